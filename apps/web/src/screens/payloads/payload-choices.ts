import { HEARD, MARK_FILTERS, PAYLOAD_STATES, type PayloadQuery, type PayloadType } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react'
import { HELD_FILTER } from '../../components/cells.tsx'
import type { QueryOf } from '../../components/lists/call-search.ts'
import type { FilterOption, ListFilter } from '../../components/lists/list-definition.ts'
import { DEVICE_FILTER, DEVICE_USER_FILTER, GROUP_FILTER } from '../../components/record-filters.ts'
import {
  heardWords,
  isHeard,
  MARK_WORDS,
  PAYLOAD_STATE_WORDS,
  PAYLOAD_TYPE_WORDS,
} from '../../components/words/payload-words.ts'
import { wordOptions, wordFilter, eitherFilter } from '../../components/words/spec-word.tsx'
import type { ScreenService } from './services.ts'
import { getSuggestions } from './suggestions.ts'

/** Marks, and none. */
export const useMarks = wordOptions(
  {
    none: msg`Not reviewed`,
    ...MARK_WORDS,
  },
  MARK_FILTERS,
)
const RECEIPTS = { true: msg`Confirmed`, false: msg`Not confirmed` } as const
function useReceiptOptions(): readonly FilterOption[] {
  const { i18n } = useLingui()
  return Object.entries(RECEIPTS).map(([value, word]) => ({ value, label: i18n._(word) }))
}

/** Whether a recording is as its device sealed it. */
export const ALTERED_FILTER = eitherFilter('is_altered', msg`Integrity`, {
  true: msg`Altered after recording`,
  false: msg`Not altered`,
})

const useStates = wordOptions(PAYLOAD_STATE_WORDS, PAYLOAD_STATES)

/** Filters of a service's list with `types`. */
export function payloadFilterFields(
  service: ScreenService,
  types: readonly PayloadType[],
): readonly ListFilter<keyof QueryOf<'listPayloads'>>[] {
  return [
    {
      kind: 'search',
      name: 'search',
      label: msg`Search`,
      placeholder: msg`Number, name or reference`,
      hint: msg`Try four or more final digits of a number, the start of a name, or a whole reference. Other filters also narrow the search.`,
      useSuggestions: getSuggestions(service),
    },
    GROUP_FILTER,
    wordFilter('payload_types', msg`Type`, PAYLOAD_TYPE_WORDS, { values: types }),
    { kind: 'choice', name: 'states', label: msg`State`, useOptions: useStates },
    DEVICE_USER_FILTER,
    { kind: 'text', name: 'number', label: msg`Number`, placeholder: msg`Number, as recorded` },
    DEVICE_FILTER,
    { kind: 'flag', name: 'is_late', label: msg`Late only` },
    ALTERED_FILTER,
    ...(service === 'messages'
      ? [{ kind: 'flag', name: 'is_copy', label: msg`Duplicate upload` } as const]
      : []),
    HELD_FILTER,
    { kind: 'choice', name: 'mark', label: msg`Mark`, isSingle: true, useOptions: useMarks },
    { kind: 'flag', name: 'marked_by_me', label: msg`Marked by me` },
    wordFilter(
      'heard',
      isHeard(types[0]) ? msg`Heard` : msg({ context: 'filter', message: 'Opened' }),
      heardWords(types[0]),
      { values: HEARD, isSingle: true },
    ),
    {
      kind: 'choice',
      name: 'has_receipt',
      label: msg`Receipt`,
      isSingle: true,
      useOptions: useReceiptOptions,
    },
  ]
}

/** Times for filtering and sorting (spec section 4). */
export const PAYLOAD_DATES = [
  { value: 'payload_time', label: msg({ context: 'when', message: 'Recorded' }) },
  { value: 'processed_at', label: msg`Processed` },
  { value: 'updated_at', label: msg`Updated` },
] as const satisfies readonly { value: PayloadQuery['date_filter']; label: unknown }[]
