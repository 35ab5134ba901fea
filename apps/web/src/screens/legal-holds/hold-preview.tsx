import type { LegalHold, LegalHoldPeriod } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, List, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { holdsApi } from '../../api/governance-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { UserLink } from '../../components/devices/links.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { type PreviewProps, RecordPreview } from '../../components/record-preview.tsx'
import { TextLink } from '../../components/text-link.tsx'
import { SpecWord } from '../../components/words/spec-word.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Reference } from '../../ui/reference.tsx'
import { Time } from '../../ui/time.tsx'
import { useNow } from '../../ui/use-now.ts'
import { authorName, visible } from '../../ui/visible.ts'
import {
  heldPerson,
  HOLD_TARGET_WORDS,
  holdKey,
  holdQuery,
  HoldState,
  isInGrace,
  ReleaseDialog,
} from './hold.tsx'

/** Preview of a hold: person, scope, start, reason and release. */
export default function HoldPreview({ rowKey, row }: PreviewProps<LegalHold>) {
  return (
    <RecordPreview row={row} query={holdQuery(rowKey)} action="account.legal_holds:read">
      {(hold, whole) => (
        <>
          <HoldFacts hold={hold} />
          {whole?.periods.map((period) => (
            <Period key={`${period.from} ${period.to}`} period={period} />
          ))}
          {hold.is_active && hold.matters.length > 0 && (
            <Text size="sm" c="dimmed">
              <Trans>A matter holds this person until it is closed or the person is removed.</Trans>
            </Text>
          )}
          {hold.is_active && hold.matters.length === 0 && (
            <Group>
              <ReleaseButton key={holdKey(hold)} hold={hold} />
            </Group>
          )}
        </>
      )}
    </RecordPreview>
  )
}

function HoldFacts({ hold }: { hold: LegalHold }) {
  const { t, i18n } = useLingui()
  const now = useNow()
  const { target, target_type, keeps_until, already_destroyed } = hold
  const count = i18n.number(hold.protected)
  return (
    <Facts title={t`Legal hold`}>
      <Fact label={t({ context: 'legal hold', message: 'Who' })}>
        <TargetLink hold={hold}>{visible(heldPerson(hold))}</TargetLink>
      </Fact>
      <Fact label={t`Reference`}>
        {hold.target_name !== null && <Reference value={target} length={28} />}
      </Fact>
      <Fact label={t`Kind`}>
        <SpecWord value={target_type} words={HOLD_TARGET_WORDS} />
      </Fact>
      <Fact label={t`State`}>
        <HoldState hold={hold} />
      </Fact>
      <Fact label={t({ context: 'legal hold', message: 'Matters' })}>
        {hold.matters.length > 0 && hold.matters.map(visible).join(' · ')}
      </Fact>
      <Fact label={t`Protects until`}>
        {keeps_until !== null && isInGrace(hold, now) && <Time at={keeps_until} />}
      </Fact>
      <Fact label={t`Recordings protected`}>{hold.is_capped ? t`${count} or more` : count}</Fact>
      <Fact label={t`Destroyed before`}>{i18n.number(already_destroyed)}</Fact>
    </Facts>
  )
}

/** Links to held records: the recordings of a device user, the actions of a portal user. */
function TargetLink({ hold: { target, target_type }, children }: { hold: LegalHold; children: ReactNode }) {
  if (target_type === 'DeviceUser') return <UserLink device_user_reference={target}>{children}</UserLink>
  return (
    <TextLink action="activities:list" to="/dashboard/account/audit" search={{ users: [target] } as never}>
      {children}
    </TextLink>
  )
}

function Period({ period }: { period: LegalHoldPeriod }) {
  const { t } = useLingui()
  const { from, to } = period
  return (
    <Facts title={to === null ? t`Current hold` : t`Previous holds`}>
      <Fact label={t`Since`}>
        <Time at={from} style="second" /> · {authorName(period, 'set_by')}
        {period.set_for !== null && ` · ${visible(period.set_for)}`}
      </Fact>
      <Fact label={t`Reason`}>{period.set_reason !== null && visible(period.set_reason)}</Fact>
      <Fact label={t({ context: 'legal hold', message: 'Released' })}>
        {to !== null && (
          <>
            <Time at={to} style="second" /> · {authorName(period, 'released_by')}
            {period.release_confirmed_by !== null && ` + ${authorName(period, 'release_confirmed_by')}`}
            {period.released_with !== null && ` · ${visible(period.released_with)}`}
          </>
        )}
      </Fact>
      <Fact label={t`Reason for release`}>
        {period.release_reason !== null && visible(period.release_reason)}
      </Fact>
    </Facts>
  )
}

/** Grace period after a release, in seconds. */
const GRACE = 7 * 86_400

/** Releases a hold, for permitted users: asks for the reason and explains the effect. */
function ReleaseButton({ hold }: { hold: LegalHold }) {
  const { t } = useLingui()
  const [isAsking, setAsking] = useState(false)
  const now = useNow()
  if (!useMay()('account.legal_holds:delete')) return null
  const { target, target_type } = hold
  const who = visible(heldPerson(hold))
  return (
    <>
      <Button
        variant="light"
        color="red"
        leftSection={<Icon name="lock" size={16} />}
        onClick={() => setAsking(true)}
      >
        <Trans>Release</Trans>
      </Button>
      {isAsking && (
        <ReleaseDialog
          title={t`Release the legal hold of ${who}?`}
          submitLabel={<Trans>Release</Trans>}
          save={(reason) => holdsApi.releaseLegalHold({ params: { target_type, target }, query: { reason } })}
          done={t`Legal hold of ${who} released`}
          onClose={() => setAsking(false)}
        >
          <List.Item>
            <Trans>
              The hold stays in force for seven days, until <Time at={now + GRACE} />.
            </Trans>
          </List.Item>
          <List.Item>
            <Trans>Afterwards retention deletes due recordings, unless another hold applies.</Trans>
          </List.Item>
          <List.Item>
            <Trans>The audit log keeps the pause with your name and reason.</Trans>
          </List.Item>
        </ReleaseDialog>
      )}
    </>
  )
}
