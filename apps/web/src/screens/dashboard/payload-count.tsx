import { payloadEndpoints } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { totalOf } from '../../api/all-pages.ts'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { wireFilters } from '../../components/lists/call-search.ts'
import { totalText } from '../../components/lists/total-text.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { listOf, type ScreenService, SERVICES } from '../../components/payloads/services.ts'
import { CountLink } from './count-link.tsx'

/** How many payloads of a service match, as a link to the list that shows them. */
export function PayloadCount(props: { service: ScreenService; search: ListSearch; isWorry: boolean }) {
  const { i18n } = useLingui()
  const { service, search, isWorry } = props
  const { data, error } = useQuery({
    queryKey: keyOf('listPayloads', 'total', service, search),
    queryFn: ({ signal }) => {
      const filters = wireFilters(payloadEndpoints.listPayloads.query, search, Date.now())
      return totalOf(api.listPayloads({ query: { ...filters, service, type: 'total' } }, { signal }))
    },
    meta: { isWatch: true },
  })
  return (
    <CountLink
      to={listOf(service, search)}
      what={i18n._(SERVICES[service].title)}
      text={data && totalText(data, (count) => i18n.number(count))}
      hasFailed={error !== null}
      look={!data?.total ? 'none' : isWorry ? 'worry' : 'some'}
    />
  )
}
