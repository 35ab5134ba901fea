import type { PortalActivity } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Marked, Mono, PlainText } from '../../components/cells.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { recordingName } from '../payloads/recording-name.ts'
import { type Activity, getOutcome, readDenial } from './sentence.ts'
import { DENIAL_REASONS, Sentence, ActorName } from './sentence.tsx'

interface CellProps {
  row: Activity
}
interface PortalCellProps {
  row: PortalActivity
}

export function OutcomeCell({ row }: CellProps) {
  const { t } = useLingui()
  switch (getOutcome(row)) {
    case 'allowed':
      return <Marked icon="check" tone="calm">{t`Allowed`}</Marked>
    case 'denied':
      return <Marked icon="shield-alert" tone="bad">{t`Denied`}</Marked>
    case 'failed':
      return <Marked icon="alert-circle" tone="warn">{t`Failed`}</Marked>
  }
}
export function ReasonCell({ row }: CellProps) {
  const { t } = useLingui()
  if (row.denial_reason === null) return null
  const { code, detail } = readDenial(row.denial_reason, DENIAL_REASONS)
  const reason = code === undefined ? undefined : DENIAL_REASONS[code]
  return (
    <PlainText value={[...(reason ? [t(reason)] : []), ...(detail === '' ? [] : [detail])].join(' · ')} />
  )
}
export const SentenceCell = ({ row }: CellProps) => <Sentence row={row} isInRow />

/** Seconds with three decimals: most calls take milliseconds. */
export function DurationCell({ row }: CellProps) {
  const { i18n } = useLingui()
  if (row.duration === null) return null
  const seconds = i18n.number(row.duration, { minimumFractionDigits: 3, maximumFractionDigits: 3 })
  return <span>{seconds} s</span>
}

export const UserCell = ({ row }: PortalCellProps) => <ActorName row={row} />
export const SupportCell = ({ row }: PortalCellProps) =>
  row.support_reference === null ? null : <Mono value={row.support_reference} />
export const ClientAppCell = ({ row }: PortalCellProps) =>
  row.is_client_app ? <Trans>Yes</Trans> : <Trans>No</Trans>

/** Link from an entry to all log entries of its recording. */
export function RecordingCell({ row: { recording } }: PortalCellProps) {
  const { t, i18n } = useLingui()
  if (recording === null) return null
  const { payload_reference } = recording
  const name = recordingName(recording, i18n)
  return (
    <LinkAnchor
      inherit
      tabIndex={-1}
      title={t`Audit log of ${name} (${payload_reference})`}
      to="/dashboard/account/audit"
      search={{ payload_reference }}
      onClick={(event) => event.stopPropagation()}
    >
      <Mono value={payload_reference} show={`…${payload_reference.slice(-8)}`} />
    </LinkAnchor>
  )
}
