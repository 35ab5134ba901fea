import { HOLD_TARGETS, type HoldTarget, type LegalHold } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { Badge, List, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { holdsApi, noticeDoneOrProposed } from '../../api/governance-api.ts'
import { recordQuery } from '../../api/queries.ts'
import { ReasonDialog } from '../../components/reason-dialog.tsx'
import type { Words } from '../../components/words/spec-word.tsx'
import { Icon } from '../../ui/icon.tsx'
import { useNow } from '../../ui/use-now.ts'

/** Whether a released hold still protects records, at a time in epoch seconds. */
export const isInGrace = ({ keeps_until }: Pick<LegalHold, 'keeps_until'>, now: number): boolean =>
  keeps_until !== null && keeps_until > now

/** State of a hold: active, in grace after its release, or ended. */
export function HoldState({ hold }: { hold: Pick<LegalHold, 'is_active' | 'keeps_until'> }) {
  const { t } = useLingui()
  const now = useNow()
  if (hold.is_active)
    return (
      <Badge color="grape" leftSection={<Icon name="lock" size={13} />}>
        {t({ context: 'legally', message: 'On hold' })}
      </Badge>
    )
  return isInGrace(hold, now) ? (
    <Badge color="orange" leftSection={<Icon name="clock" size={13} />}>
      <Trans>Released, still protects</Trans>
    </Badge>
  ) : (
    <Badge color="gray" leftSection={<Icon name="check" size={13} />}>
      {t({ context: 'legal hold', message: 'Released' })}
    </Badge>
  )
}

/** The person on hold by name; without one by reference. */
export const heldPerson = ({ target, target_name }: Pick<LegalHold, 'target' | 'target_name'>): string =>
  target_name ?? target

type Target = Pick<LegalHold, 'target' | 'target_type'>

/** Key of a hold in addresses: `DeviceUser/nina`. */
export const holdKey = ({ target_type, target }: Target): string => `${target_type}/${target}`

/** Parses a key; an invalid key reads a hold that does not exist. */
function getTarget(key: string): Target {
  const target_type = HOLD_TARGETS.find((each) => key.startsWith(`${each}/`)) ?? 'PortalUser'
  return { target_type, target: key.slice(target_type.length + 1) }
}

export const holdQuery = recordQuery('readLegalHold', (key, options) =>
  holdsApi.readLegalHold({ params: getTarget(key), query: {} }, options),
)

/** Types of held people. */
export const HOLD_TARGET_WORDS: Words<HoldTarget> = {
  DeviceUser: msg`Device user`,
  PortalUser: msg`Portal user`,
}

/** Asks for the reason of a release, and lists the effects. */
export function ReleaseDialog(props: {
  title: string
  submitLabel: ReactNode
  save: (reason: string) => Promise<unknown>
  /** Notice of a release that needs no second person. */
  done: string
  onClose: () => void
  /** Effects, as items of a list. */
  children: ReactNode
}) {
  const { t } = useLingui()
  return (
    <ReasonDialog
      title={props.title}
      description={t`3 to 500 characters. Shown in each hold’s history, never logged.`}
      name="reason"
      limits={{ min: 3, max: 500 }}
      submitLabel={props.submitLabel}
      isDangerous
      // A reason is one line.
      save={(reason) => props.save(reason.replace(/\s+/g, ' '))}
      onSaved={(answer) => {
        props.onClose()
        noticeDoneOrProposed(answer, props.done)
      }}
      onClose={props.onClose}
    >
      <Stack gap="xs">
        <Text size="sm">
          <Trans>Next step:</Trans>
        </Text>
        <List size="sm" spacing={4}>
          {props.children}
        </List>
      </Stack>
    </ReasonDialog>
  )
}
