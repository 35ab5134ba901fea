import { useLingui } from '@lingui/react/macro'
import { CloseButton, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useEffect, useRef, useState } from 'react'
import type { ListFilter } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'
import { SEARCH_STYLE } from './list-states.tsx'
import { type FieldKeys, SearchSuggestions } from './search-suggestions.tsx'

/** Debounce of typing, in milliseconds. */
const TYPING_PAUSE_MS = 350

/** Search field of a list; `/` focuses it. Enter and Escape search at once; Escape moves the focus to the rows. */
export function FilterSearch({
  filter,
  search,
  change,
}: {
  filter: Extract<ListFilter, { kind: 'search' }>
  search: ListSearch
  change: ChangeSearch
}) {
  const { t, i18n } = useLingui()
  const applied = String(search[filter.name] ?? '')
  const [typed, setTyped] = useState(applied)
  // The typed text, until the user chooses a suggestion.
  const [unsettled, setUnsettled] = useState<string>()
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // A change of the address must not overwrite the typed text.
    if (document.activeElement !== field.current) setTyped(applied)
  }, [applied])
  const apply = (text: string) => change({ [filter.name]: text.trim() || undefined }, { replace: true })
  const applySoon = useDebouncedCallback(apply, TYPING_PAUSE_MS)
  const empty = () => {
    setTyped('')
    setUnsettled(undefined)
    apply('')
  }
  const choose = (changes?: ListSearch) => {
    applySoon.cancel()
    setUnsettled(undefined)
    if (changes === undefined) return
    setTyped(String(changes[filter.name] ?? ''))
    change(changes)
  }
  const keys: FieldKeys = {
    onKeyDown: (event) => {
      if (event.key === 'Enter' || event.key === 'Escape') applySoon.flush()
    },
  }
  const input = (those: FieldKeys) => (
    <TextInput
      {...SEARCH_STYLE}
      ref={field}
      data-list-search
      aria-label={i18n._(filter.label)}
      placeholder={i18n._(filter.placeholder)}
      rightSection={typed !== '' && <CloseButton size={24} aria-label={t`Clear`} onClick={empty} />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value)
        setUnsettled(event.currentTarget.value)
        applySoon(event.currentTarget.value)
      }}
      {...those}
    />
  )
  const { useSuggestions } = filter
  if (useSuggestions === undefined) return input(keys)
  return (
    <SearchSuggestions
      label={i18n._(filter.label)}
      typed={unsettled}
      useSuggestions={useSuggestions}
      onChoose={choose}
      field={input}
      keys={keys}
    />
  )
}
