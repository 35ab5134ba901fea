import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { alertSummaryQuery } from '../../components/alerts/alert-summary-query.ts'
import { countsBySeverity } from '../../components/alerts/severity.ts'
import { CountLink } from './count-link.tsx'

/** Number of triggered alerts that the user has not dismissed. */
export function AlertCount() {
  const { t, i18n } = useLingui()
  const { data, error } = useQuery(alertSummaryQuery)
  const counts = data && countsBySeverity(data.data)
  const total = counts && counts.High + counts.Medium + counts.Low
  return (
    <CountLink
      to={{ to: '/dashboard/account/alerts' }}
      what={t`Alerts`}
      text={total === undefined ? undefined : i18n.number(total)}
      hasFailed={error !== null}
      look={counts?.High ? 'worry' : total ? 'some' : 'none'}
    />
  )
}
