import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMay } from '../api/use-profile.ts'
import { Icon } from '../ui/icon.tsx'
import { ALERT_SEVERITY_WORDS } from '../components/words/alert-words.ts'
import classes from './alert-bell.module.css'
import { alertSummaryQuery } from '../components/alerts/alert-summary-query.ts'
import { countsBySeverity, GRAVEST_FIRST, SEVERITY_LOOKS } from '../components/alerts/severity.ts'

/** Larger numbers would widen the top bar. */
const MOST_SHOWN = 99

/** Bell of the top bar: open alerts by severity. Hidden without the right. */
export function AlertBell() {
  const { t, i18n } = useLingui()
  const may = useMay()
  const { data } = useQuery({ ...alertSummaryQuery, enabled: may('alerts.summary:read') })
  if (!may('alerts.summary:read')) return null
  const counts = countsBySeverity(data?.data ?? [])
  const present = GRAVEST_FIRST.filter((severity) => counts[severity] > 0)
  const total = present.reduce((sum, severity) => sum + counts[severity], 0)
  const parts = present
    .map((severity) => `${counts[severity]} ${i18n._(ALERT_SEVERITY_WORDS[severity])}`)
    .join(', ')
  const label =
    total === 0 ? t`No alerts` : `${t`${plural(total, { one: '# alert', other: '# alerts' })}`}: ${parts}`
  const content = (
    <>
      <VisuallyHidden>{label}</VisuallyHidden>
      <span aria-hidden className={classes.content}>
        <Icon name="bell" />
        {present.map((severity, index) => (
          <span
            key={severity}
            className={classes.count}
            data-severity={severity}
            // Narrow screens show the highest severity only.
            data-first={index === 0 || undefined}
          >
            <Icon name={SEVERITY_LOOKS[severity].icon} size={12} />
            {counts[severity] > MOST_SHOWN ? `${MOST_SHOWN}+` : counts[severity]}
          </span>
        ))}
      </span>
    </>
  )
  return may('alerts:list') ? (
    <Link to="/dashboard/account/alerts" className={classes.bell} title={label}>
      {content}
    </Link>
  ) : (
    <span className={classes.bell} title={label}>
      {content}
    </span>
  )
}
