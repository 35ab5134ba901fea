import {
  activityEndpoints,
  alertEndpoints,
  commentEndpoints,
  deviceLogEndpoints,
  payloadEndpoints,
} from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { queryOptions } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api/api.ts'
import { keyOf } from '../../api/call-keys.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { callSearch, wireFilters } from '../../components/lists/call-search.ts'
import { dateWords } from '../../components/lists/date-words.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { totalText } from '../../ui/text.ts'
import { listOf, type ScreenService, SERVICES } from '../../screens/payloads/services.ts'
import { visible } from '../../ui/visible.ts'
import type { Area } from '../navigation.ts'
import type { Command } from './command.ts'
import type { SearchTime } from './search-time.ts'
import { useAnswer } from './use-fleet-findings.ts'

/** Minimum characters for counts: fewer match most names. */
const SHORTEST_COUNTED = 3
/** A reference or most of one: the link appears only with a match. */
const REFERENCE = /^(?=.*\d)(?=.*[A-Za-z])[\w-]{16,36}$/

/** Lists other than payload lists with a time filter, and their calls. */
const TIMED: Partial<Record<Area['home'] | string, { query: Parameters<typeof callSearch>[0] }>> = {
  '/dashboard/services/comments': commentEndpoints.listComments,
  '/dashboard/devices/logs': deviceLogEndpoints.listDeviceLogs,
  '/dashboard/account/alerts': alertEndpoints.listAlerts,
  '/dashboard/account/audit': activityEndpoints.listActivities,
}

const SCREENS = Object.keys(SERVICES) as ScreenService[]
const { query: PAYLOADS } = payloadEndpoints.listPayloads

/** Number of matches per payload list. */
const totalsQuery = (search: ListSearch) =>
  queryOptions({
    queryKey: keyOf('countPayloads', 'found', search),
    queryFn: ({ signal }) => {
      const filters = SCREENS.map((service) => ({ ...wireFilters(PAYLOADS, search, Date.now()), service }))
      return api.countPayloads({ query: { filters } }, { signal })
    },
  })

/** Payload lists that match the text or time, with counts. Lists without matches are hidden. */
export function useListFindings(typed: string, time: SearchTime | undefined) {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const may = useMay()
  const search: ListSearch = time ? { ...time } : { search: typed }
  const isSearched = typed !== '' && may('payloads:list')
  const isCounted = isSearched && (time !== undefined || typed.length >= SHORTEST_COUNTED)
  const answer = useAnswer(typed, isCounted, () => totalsQuery(search))
  const totals = answer.data?.totals
  const isHeldBack = time === undefined && answer.isPending && REFERENCE.test(typed)
  const query = visible(typed)
  const commands = SCREENS.flatMap((service, i): Command[] => {
    const total = totals?.[i]
    if (!isSearched || isHeldBack || (total?.total === 0 && !total.is_capped)) return []
    const list = i18n._(SERVICES[service].title)
    return [
      {
        id: `search ${service}`,
        label: time ? list : t`“${query}” in ${list}`,
        ...(time && { detail: dateWords(search, i18n) }),
        ...(total && total.total > 0 && { count: totalText(total, (count) => i18n.number(count)) }),
        icon: SERVICES[service].icon,
        go: () => navigate(listOf(service, search)),
      },
    ]
  })
  return { ...answer, commands }
}

/** Other lists at the typed time. */
export function useTimedLists(time: SearchTime | undefined, area: Area): Command[] {
  const { i18n } = useLingui()
  const navigate = useNavigate()
  const profile = useProfile()
  if (time === undefined) return []
  return area.menuFor(profile).flatMap(({ to, label, icon }) => {
    const call = TIMED[to]
    if (call === undefined) return []
    const search = callSearch(call.query, [])(time)
    return [
      {
        id: `time ${to}`,
        label: i18n._(label),
        detail: dateWords(search, i18n) ?? '',
        icon,
        go: () => navigate({ to, search: search as never }),
      },
    ]
  })
}
