import type { PortalActivity } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { visible } from '../../ui/visible.ts'
import classes from './audit.module.css'

/** Who acted; provider's staff and client apps are marked. */
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
