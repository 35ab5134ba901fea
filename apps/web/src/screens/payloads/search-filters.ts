import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import type { QueryOf } from '../../components/lists/call-search.ts'
import type { ListFilter, ListSuggestion } from '../../components/lists/list-definition.ts'
import { DEVICE_USER_FILTER } from '../../components/record-filters.ts'
import { useMarks } from './payload-choices.ts'
import { suggestionIn, useSuggestions } from './suggestions.ts'

/** Answer while no words are searched. */
export const nothing = (type: 'page' | 'total' | undefined) =>
  Promise.resolve(
    type === 'total' ? { total: 0, is_complete: true } : { count: 0, data: [], is_complete: true },
  )

/** Suggests people and numbers of every service. */
function usePeopleAndNumbers(typed: string): readonly ListSuggestion[] {
  const { i18n } = useLingui()
  return useSuggestions(typed)
    .filter(({ kind }) => kind !== 'payload')
    .map((suggestion) => suggestionIn(suggestion, 'messages', i18n))
}

/** Filters by recordings, for content searches of their texts and of their comments. */
export const RECORDING_FILTERS: readonly ListFilter<
  keyof QueryOf<'searchPayloads'> & keyof QueryOf<'searchComments'>
>[] = [
  {
    kind: 'search',
    name: 'search',
    label: msg`Person or number`,
    placeholder: msg`Person or number`,
    useSuggestions: usePeopleAndNumbers,
  },
  { kind: 'choice', name: 'mark', label: msg`Mark`, isSingle: true, useOptions: useMarks },
  { kind: 'flag', name: 'marked_by_me', label: msg`Marked by me` },
  DEVICE_USER_FILTER,
  { kind: 'text', name: 'number', label: msg`Number`, placeholder: msg`Number, as recorded` },
]
