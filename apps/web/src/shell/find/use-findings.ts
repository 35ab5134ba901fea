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
import { callQuery, getKey } from '../../api/call-keys.ts'
import { holdsApi, requestsApi } from '../../api/governance-api.ts'
import { useMay, useProfile } from '../../api/use-profile.ts'
import { callSearch, wireFilters } from '../../components/lists/call-search.ts'
import { dateWords } from '../../components/lists/date-words.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { ownerText } from '../../screens/payloads/owner-text.ts'
import { getDetail, getList, type ScreenService, SERVICES } from '../../screens/payloads/services.ts'
import { getScreens, SHORTEST_SEARCH, suggestionIn } from '../../screens/payloads/suggestions.ts'
import { includesText, totalText } from '../../ui/text.ts'
import { visible } from '../../ui/visible.ts'
import type { Area } from '../navigation.ts'
import type { Command, Findings } from './command.ts'
import { searchTime, type SearchTime } from './search-time.ts'
import { useAnswer, useFleetFindings } from './use-fleet-findings.ts'

/** Maximum search length. */
const LONGEST = 255
/** Pattern of a conversation reference. */
const THREAD = /^(?=.*\d)[^\s+]{8,}$/
/** Maximum messages per conversation name: devices may use the same name. */
const OF_THREADS = 20

const suggestionsQuery = (search: string) => callQuery(api, 'suggestPayloads', { query: { search } })
const threadsQuery = (thread_id: string) =>
  callQuery(api, 'listPayloads', { query: { service: 'messages', thread_id, limit: OF_THREADS } })

/**
 * Search results: recordings and conversations by reference, lists by text or time, people, devices, parties. All come
 * from list calls, so access rules apply. Immediate results come first.
 */
export function useFindings(query: string, area: Area, now: Date): Findings {
  const { t, i18n } = useLingui()
  const navigate = useNavigate()
  const may = useMay()
  const typed = area.home === '/dashboard' ? query.trim().slice(0, LONGEST) : ''
  const time = typed === '' ? undefined : searchTime(typed, now)
  // `yesterday` may be a name as well; `20/11 14:30` may not.
  const name = time !== undefined && /\d/.test(typed) ? '' : typed
  const mayList = may('payloads:list')
  const isNamed = name.length >= SHORTEST_SEARCH
  const lists = useListFindings(typed, time)
  const timed = useTimedLists(time, area)
  const fleet = useFleetFindings(name)
  const cases = useCaseFindings(name)
  const suggestions = useAnswer(name, mayList && isNamed, suggestionsQuery)
  const threads = useAnswer(name, mayList && THREAD.test(name), threadsQuery)

  const found = (suggestions.data?.data ?? []).flatMap((suggestion) =>
    getScreens(suggestion).map((service) => {
      const { key, label, detail, icon, leads } = suggestionIn(suggestion, service, i18n)
      const isItem = suggestion.kind === 'payload'
      const list = isItem ? undefined : i18n._(SERVICES[service].title)
      const command: Command = {
        id: `${service} ${key}`,
        label,
        detail: [detail, list].filter(Boolean).join(' · '),
        icon,
        go: () => navigate('target' in leads ? leads.target : getList(service, leads.change)),
      }
      return { isItem, command }
    }),
  )
  const conversations = Map.groupBy(threads.data?.data ?? [], ({ device_reference }) => device_reference)
  const ofThreads = [...conversations.values()].flatMap(([last]): Command[] =>
    last === undefined
      ? []
      : [
          {
            id: `thread ${last.payload_reference}`,
            label: SERVICES.messages.getShortName(last, i18n),
            detail: [t`Conversation`, ownerText(last)].join(' · '),
            icon: 'message',
            go: () => navigate(getDetail('messages', last.payload_reference)),
          },
        ],
  )
  const of = (isItem: boolean) => found.flatMap((each) => (each.isItem === isItem ? [each.command] : []))
  // Found by reference: no list search needed.
  const isFound = of(true).some(({ label }) => label.toUpperCase() === typed.toUpperCase())
  const answers = [lists, suggestions, threads, ...fleet.answers, ...cases.answers]
  const failed = answers.flatMap(({ retry }) => retry ?? [])
  return {
    groups: [
      { label: t`By reference`, commands: [...of(true), ...ofThreads] },
      { label: t`Recordings`, commands: isFound ? [] : lists.commands },
      { label: t`Other lists`, commands: timed },
      { label: t`People and devices`, commands: fleet.commands },
      { label: t`Matters and requests`, commands: cases.commands },
      { label: t`Possible matches`, commands: of(false) },
    ],
    isPending: answers.some(({ isPending }) => isPending),
    retry: failed.length === 0 ? undefined : () => failed.forEach((ask) => ask()),
  }
}

/** Maximum matters and requests shown. */
const NAMED = 3
/** Open requests that are searched by their subject. */
const OPEN_REQUESTS = 100

const mattersQuery = (search: string) =>
  callQuery(holdsApi, 'listLegalMatters', { query: { search, limit: NAMED } })
const requestsQuery = () =>
  queryOptions({
    ...callQuery(requestsApi, 'listDataRequests', { query: { state: 'Open', limit: OPEN_REQUESTS } }),
    staleTime: 60_000,
  })

/** Legal matters by their name, and open data subject requests by their subject. */
function useCaseFindings(typed: string) {
  const { t } = useLingui()
  const may = useMay()
  const navigate = useNavigate()
  const isSearched = typed.length >= SHORTEST_SEARCH
  const matters = useAnswer(
    typed,
    isSearched && may('account.legal_matters:list') && may('account.legal_matters:read'),
    mattersQuery,
  )
  const requests = useAnswer(
    typed,
    isSearched && may('account.data_requests:list') && may('account.data_requests:read'),
    requestsQuery,
  )
  const ofMatters = (matters.data?.data ?? []).map(({ matter_id, name }): Command => ({
    id: `matter ${matter_id}`,
    label: visible(name),
    detail: t`Legal matter`,
    icon: 'archive',
    go: () => navigate({ to: '/dashboard/governance/matters', search: { matter: matter_id } }),
  }))
  const ofRequests = (requests.data?.data ?? [])
    .filter(({ subject }) => includesText(subject, typed))
    .slice(0, NAMED)
    .map(({ data_request_id, subject }): Command => ({
      id: `request ${data_request_id}`,
      label: visible(subject),
      detail: t`Data subject request`,
      icon: 'user',
      go: () => navigate({ to: '/dashboard/governance/requests', search: { request: data_request_id } }),
    }))
  return { answers: [matters, requests], commands: [...ofMatters, ...ofRequests] }
}

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
    queryKey: getKey('countPayloads', 'found', search),
    queryFn: ({ signal }) => {
      const filters = SCREENS.map((service) => ({ ...wireFilters(PAYLOADS, search, Date.now()), service }))
      return api.countPayloads({ query: { filters } }, { signal })
    },
  })

/** Payload lists that match the text or time, with counts. Lists without matches are hidden. */
function useListFindings(typed: string, time: SearchTime | undefined) {
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
        go: () => navigate(getList(service, search)),
      },
    ]
  })
  return { ...answer, commands }
}

/** Other lists at the typed time. */
function useTimedLists(time: SearchTime | undefined, area: Area): Command[] {
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
