import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useMay } from '../../../api/use-profile.ts'
import { Icon } from '../../../ui/icon.tsx'
import type { AuditTab } from './audit-search.ts'
import classes from './audit.module.css'

/** Whose log is on screen: that of people or that of devices. */
export function AuditTabs({ tab }: { tab: AuditTab }) {
  const { t } = useLingui()
  const may = useMay()
  if (!may('device_activities:list')) return null
  return (
    <nav aria-label={t`Whose log`} className={classes.tabs}>
      <Link
        to="/dashboard/account/audit"
        search={{}}
        className={classes.tab}
        activeOptions={{ exact: true, includeSearch: true }}
        aria-current={tab === 'users' ? 'page' : undefined}
      >
        <Icon name="user" size={15} />
        <Trans>Portal users</Trans>
      </Link>
      <Link
        to="/dashboard/account/audit"
        search={{ tab: 'devices' }}
        className={classes.tab}
        activeOptions={{ exact: true, includeSearch: true }}
        aria-current={tab === 'devices' ? 'page' : undefined}
      >
        <Icon name="device" size={15} />
        <Trans>Devices</Trans>
      </Link>
    </nav>
  )
}
