import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { dashboardQuery } from '../../api/queries.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { CountLink } from './count-link.tsx'

/** Number of pending approvals, as a link. */
export function WaitingCount(props: {
  of: 'waiting_devices' | 'waiting_proposals'
  what: string
  to: LinkTarget
}) {
  const { i18n } = useLingui()
  const { data, error } = useQuery(dashboardQuery)
  const count = data?.[props.of] ?? undefined
  return (
    <CountLink
      to={props.to}
      what={props.what}
      text={count === undefined ? undefined : i18n.number(count)}
      hasFailed={error !== null}
      look={count ? 'worry' : 'none'}
    />
  )
}
