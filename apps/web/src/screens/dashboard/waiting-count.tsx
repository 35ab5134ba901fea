import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { dashboardQuery } from '../../api/queries.ts'
import { CountLink } from './count-link.tsx'

/** How many phones wait until somebody confirms whose they are. */
export function WaitingCount() {
  const { t, i18n } = useLingui()
  const { data, error } = useQuery(dashboardQuery)
  const count = data?.waiting_devices ?? undefined
  return (
    <CountLink
      to={{ to: '/dashboard/devices', search: { is_waiting: true } }}
      what={t`Devices`}
      text={count === undefined ? undefined : i18n.number(count)}
      hasFailed={error !== null}
      look={count ? 'worry' : 'none'}
    />
  )
}
