import type { DeviceActivity, PortalActivity } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { visible } from '../../ui/visible.ts'
import classes from './audit.module.css'

/** The actor, with a mark for provider staff and client apps. */
export const Who = ({ row }: { row: PortalActivity }) => (
  <span className={classes.user}>
    <span>{visible(row.user_id)}</span>
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

/** The device, by its holder. */
export function WhichPhone({ row }: { row: DeviceActivity }) {
  const { device_reference, device_user_reference } = row
  const holder = visible(device_user_reference ?? '')
  const short = visible(device_reference.slice(-8))
  return (
    <strong title={visible(device_reference)}>
      {device_user_reference === null ? <Trans>Phone …{short}</Trans> : <Trans>Phone of {holder}</Trans>}
    </strong>
  )
}
