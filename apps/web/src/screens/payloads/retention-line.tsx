import type { Payload, RetentionDisposition } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { TextLink } from '../../components/text-link.tsx'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { periodWords } from '../../components/words/period-words.ts'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'

/** When a recording is deleted and destroyed, by which rule, and which hold keeps it: one line under its title. */
export function RetentionLine({ payload }: { payload: Payload }) {
  const { retention, payload_state } = payload
  if (retention === undefined || payload_state === 'Destroyed') return null
  if (retention === null)
    return (
      <Text size="sm" c="dimmed">
        <RuleLink>
          <Trans>Kept indefinitely: no policy applies</Trans>
        </RuleLink>
      </Text>
    )
  const isHeld = retention.blocked_by.includes('held')
  return (
    <Text size="sm" c="dimmed" component="div">
      {isHeld && (
        <>
          <HeldBy held_by={retention.held_by ?? []} />
          {' · '}
        </>
      )}
      <Times disposition={retention} isHeld={isHeld} />
      {' · '}
      <RuleLink>
        <Rule payload={payload} disposition={retention} />
      </RuleLink>
    </Text>
  )
}

/** Links to the rule for users who may read it. */
const RuleLink = ({ children }: { children: ReactNode }) => (
  <TextLink action="account.retention:read" to="/dashboard/governance/retention">
    {children}
  </TextLink>
)

const day = (at: number) => <Time at={at} style="day" />

function Times({
  disposition: { delete_at, destroy_at, blocked_by },
  isHeld,
}: {
  disposition: RetentionDisposition
  isHeld: boolean
}) {
  // A hold, or a condition that is not met yet: the day is the earliest one.
  const isEarliest = isHeld || blocked_by.length > 0
  if (delete_at !== null && destroy_at !== null)
    return isEarliest ? (
      <Trans>
        Deleted on {day(delete_at)} at the earliest, destroyed on {day(destroy_at)}
      </Trans>
    ) : (
      <Trans>
        Deleted on {day(delete_at)}, destroyed on {day(destroy_at)}
      </Trans>
    )
  if (delete_at !== null)
    return isEarliest ? (
      <Trans>Deleted on {day(delete_at)} at the earliest, never destroyed</Trans>
    ) : (
      <Trans>Deleted on {day(delete_at)}, never destroyed</Trans>
    )
  if (destroy_at !== null)
    return isEarliest ? (
      <Trans>Destroyed on {day(destroy_at)} at the earliest</Trans>
    ) : (
      <Trans>Destroyed on {day(destroy_at)}</Trans>
    )
  return <Trans>No date yet</Trans>
}

/** “Call policy, 5 years”, or the law that keeps it longer. */
function Rule({
  payload: { payload_type },
  disposition,
}: {
  payload: Payload
  disposition: RetentionDisposition
}) {
  const { i18n } = useLingui()
  if (disposition.legal_basis !== undefined)
    return <Trans>Legal minimum: {visible(disposition.legal_basis)}</Trans>
  const type = i18n._(PAYLOAD_TYPE_WORDS[payload_type])
  const days = disposition.delete_after_days ?? disposition.destroy_after_days
  if (days === undefined) return <Trans>{type} policy</Trans>
  const period = periodWords(days)
  return (
    <Trans>
      {type} policy, {period}
    </Trans>
  )
}

/** The matters that hold a recording, else the persons on hold. */
function HeldBy({ held_by }: { held_by: NonNullable<RetentionDisposition['held_by']> }) {
  const matters = new Map(
    held_by.flatMap((each) => each.matters.map(({ matter_id, name }) => [matter_id, name])),
  )
  const persons = held_by
    .filter((each) => each.matters.length === 0)
    .map(({ target, target_name }) => visible(target_name ?? target))
  const names = [
    ...[...matters].map(([matter, name]) => (
      <TextLink
        key={matter}
        action="account.legal_matters:list"
        to="/dashboard/governance/matters"
        search={{ matter }}
      >
        {visible(name)}
      </TextLink>
    )),
    ...persons,
  ]
  if (names.length === 0) return <Trans>On legal hold</Trans>
  const list = names.flatMap((name, i) => (i === 0 ? [name] : [', ', name]))
  return matters.size > 0 ? <Trans>Held by {list}</Trans> : <Trans>Held by the legal hold on {list}</Trans>
}
