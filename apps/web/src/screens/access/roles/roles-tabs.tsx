import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import classes from './roles-tabs.module.css'

/** Roles and account defaults: two pages of one entry in the menu. */
export function RolesTabs({ isDefaults }: { isDefaults: boolean }) {
  const { t } = useLingui()
  return (
    <nav className={classes.tabs} aria-label={t`Parts of this page`}>
      <Link
        to="/dashboard/access/roles"
        search={{}}
        className={classes.tab}
        aria-current={isDefaults ? undefined : 'page'}
        data-active={!isDefaults || undefined}
        activeOptions={{ exact: true, includeSearch: true }}
      >
        <Trans>Roles</Trans>
      </Link>
      <Link
        to="/dashboard/access/roles"
        search={{ tab: 'defaults' }}
        className={classes.tab}
        aria-current={isDefaults ? 'page' : undefined}
        data-active={isDefaults || undefined}
        activeOptions={{ exact: true, includeSearch: true }}
      >
        <Trans>Account defaults</Trans>
      </Link>
    </nav>
  )
}
