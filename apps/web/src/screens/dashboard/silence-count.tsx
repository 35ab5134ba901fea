import type { Silence } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { dashboardQuery } from '../../api/queries.ts'
import { CountLink } from './count-link.tsx'

/** Number of devices with these levels of silence. */
export function SilenceCount({ silences }: { silences: readonly Silence[] }) {
  const { t, i18n } = useLingui()
  const { data, error } = useQuery(dashboardQuery)
  const count = data && silences.reduce((sum, silence) => sum + data.silences[silence], 0)
  return (
    <CountLink
      to={{ to: '/dashboard/devices', search: { silences: [...silences] } }}
      what={t`Devices`}
      text={count === undefined ? undefined : i18n.number(count)}
      hasFailed={error !== null}
      look={count ? 'worry' : 'none'}
    />
  )
}
