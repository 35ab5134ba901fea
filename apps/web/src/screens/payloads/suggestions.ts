import type { Suggestion } from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { useLingui } from '@lingui/react'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { callQuery } from '../../api/call-keys.ts'
import type { ListSuggestion } from '../../components/lists/list-definition.ts'
import { PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { visible } from '../../ui/visible.ts'
import { partyText } from './party-text.ts'
import { getDetail, type ScreenService, screenService, SERVICES } from './services.ts'

/** Minimum characters for suggestions. */
export const SHORTEST_SEARCH = 2
/** Debounce of typing, in milliseconds. */
export const PAUSE_MS = 200

const suggestionsQuery = (search: string, service: ScreenService | undefined) =>
  queryOptions({
    ...callQuery(api, 'suggestPayloads', { query: { search, ...(service ? { service } : {}) } }),
    enabled: search.length >= SHORTEST_SEARCH,
    staleTime: 30_000,
    placeholderData: search.length >= SHORTEST_SEARCH ? keepPreviousData : undefined,
    meta: { silent: true },
  })

/** Suggestions for a typed text, in one service or all; empty for short texts and on failure. */
export function useSuggestions(typed: string, service?: ScreenService): readonly Suggestion[] {
  const [search] = useDebouncedValue(typed.trim().slice(0, 255), PAUSE_MS)
  const { data } = useQuery(suggestionsQuery(search, service))
  return typed.trim().length < SHORTEST_SEARCH || search.length < SHORTEST_SEARCH ? [] : (data?.data ?? [])
}

/** Services with matches. */
export const getScreens = (suggestion: Suggestion): ScreenService[] =>
  suggestion.kind === 'payload'
    ? [screenService(suggestion.payload_type)].filter((service) => service !== undefined)
    : suggestion.services.filter((service): service is ScreenService => service in SERVICES)

/** Suggestion in a service's list, with its target. */
export function suggestionIn(suggestion: Suggestion, service: ScreenService, i18n: I18n): ListSuggestion {
  switch (suggestion.kind) {
    case 'payload': {
      const { payload_reference, payload_type } = suggestion
      return {
        key: payload_reference,
        label: payload_reference,
        detail: i18n._(PAYLOAD_TYPE_WORDS[payload_type]),
        icon: SERVICES[service].icon,
        leads: { target: getDetail(service, payload_reference) },
      }
    }
    case 'person': {
      const { device_user_reference, name } = suggestion
      return {
        key: `person ${device_user_reference}`,
        label: visible(name ?? device_user_reference),
        ...(name === null ? {} : { detail: visible(device_user_reference) }),
        icon: 'user',
        leads: { change: { device_user_reference, search: undefined } },
      }
    }
    case 'party': {
      const { contact_name, phone_number } = suggestion
      return {
        key: `party ${contact_name ?? ''} ${phone_number ?? ''}`,
        label: partyText(suggestion, i18n),
        ...(contact_name === null || phone_number === null ? {} : { detail: visible(phone_number) }),
        icon: 'phone',
        leads: { change: { search: phone_number ?? contact_name ?? undefined } },
      }
    }
  }
}

/** Suggestions for a list's search. */
export const getSuggestions = (service: ScreenService) =>
  function useSuggestionsOfService(typed: string): readonly ListSuggestion[] {
    const { i18n } = useLingui()
    return useSuggestions(typed, service)
      .filter((suggestion) => suggestion.kind !== 'payload' || getScreens(suggestion).includes(service))
      .map((suggestion) => suggestionIn(suggestion, service, i18n))
  }
