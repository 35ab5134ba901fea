import type { DeviceActivity, PortalActivity } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Marked, Mono, Plain } from '../../components/cells.tsx'
import classes from './audit.module.css'
import { DENIAL_REASONS } from './denial-reasons.ts'
import { outcomeOf, readDenial } from './denial.ts'

/** What both logs tell of a call. */
export type Activity = PortalActivity | DeviceActivity
interface CellProps {
  row: Activity
}
interface PortalCellProps {
  row: PortalActivity
}

export function OutcomeCell({ row }: CellProps) {
  const { t } = useLingui()
  switch (outcomeOf(row)) {
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
  return <Plain value={[...(reason ? [t(reason)] : []), ...(detail === '' ? [] : [detail])].join(' · ')} />
}
export const StatusCell = ({ row }: CellProps) => row.status_code

/** Seconds with three places: most calls last milliseconds. */
export function DurationCell({ row }: CellProps) {
  const { i18n } = useLingui()
  if (row.duration === null) return null
  const seconds = i18n.number(row.duration, { minimumFractionDigits: 3, maximumFractionDigits: 3 })
  return <span>{seconds} s</span>
}

/** Who acted; provider's staff and client apps are marked. */
export const UserCell = ({ row }: PortalCellProps) => (
  <span className={classes.user}>
    <Plain value={row.user_id} />
    {row.support_reference !== null && (
      <span className={classes.badge} data-kind="support" title={row.support_reference}>
        <Trans>Support</Trans>
      </span>
    )}
    {row.is_client_app && (
      <span className={classes.badge}>
        <Trans>Client app</Trans>
      </span>
    )}
  </span>
)
export const SupportCell = ({ row }: PortalCellProps) =>
  row.support_reference === null ? null : <Mono value={row.support_reference} />
export const ClientAppCell = ({ row }: PortalCellProps) =>
  row.is_client_app ? <Trans>Yes</Trans> : <Trans>No</Trans>
