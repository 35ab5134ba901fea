import { useLingui } from '@lingui/react/macro'
import { useNavigate } from '@tanstack/react-router'
import { api } from '../../api/api.ts'
import { callQuery } from '../../api/call-keys.ts'
import { useMay } from '../../api/use-profile.ts'
import { ownerText } from '../../screens/payloads/owner-text.ts'
import { detailOf, listOf, SERVICES } from '../../screens/payloads/services.ts'
import { screensOf, SHORTEST_SEARCH, suggestionIn } from '../../screens/payloads/suggestions.ts'
import type { Area } from '../navigation.ts'
import type { Command, Findings } from './command.ts'
import { searchTime } from './search-time.ts'
import { useCaseFindings } from './use-case-findings.ts'
import { useAnswer, useFleetFindings } from './use-fleet-findings.ts'
import { useListFindings, useTimedLists } from './use-list-findings.ts'

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
    screensOf(suggestion).map((service) => {
      const { key, label, detail, icon, leads } = suggestionIn(suggestion, service, i18n)
      const isItem = suggestion.kind === 'payload'
      const list = isItem ? undefined : i18n._(SERVICES[service].title)
      const command: Command = {
        id: `${service} ${key}`,
        label,
        detail: [detail, list].filter(Boolean).join(' · '),
        icon,
        go: () => navigate('target' in leads ? leads.target : listOf(service, leads.change)),
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
            label: SERVICES.messages.shortNameOf(last, i18n),
            detail: [t`Conversation`, ownerText(last)].join(' · '),
            icon: 'message',
            go: () => navigate(detailOf('messages', last.payload_reference)),
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
