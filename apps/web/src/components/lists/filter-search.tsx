import { useLingui } from '@lingui/react/macro'
import { CloseButton, Combobox, Group, Text, TextInput, useCombobox } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react'
import { Icon, type IconName } from '../../ui/icon.tsx'
import type { ListFilter, ListSuggestion } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'
import { SEARCH_STYLE } from './list-states.tsx'

/** Key and blur handlers of a search field. */
interface FieldKeys {
  onKeyDown: (event: KeyboardEvent) => void
  onBlur?: () => void
}

/** Suggestions below a search field: arrows choose, Enter accepts, Escape closes. Without a choice the field's own keys work. */
function SearchSuggestions({
  label,
  typed,
  useSuggestions,
  onChoose,
  field,
  keys,
}: {
  label: string
  /** Undefined: no typing since the last choice or focus. */
  typed: string | undefined
  useSuggestions: (typed: string) => readonly ListSuggestion[]
  /** Filters of the choice; absent: navigated elsewhere. */
  onChoose: (change?: ListSearch) => void
  /** Renders the field with the given handlers. */
  field: (keys: FieldKeys) => ReactElement
  keys: FieldKeys
}) {
  const { t } = useLingui()
  const navigate = useNavigate()
  const suggestions = useSuggestions(typed ?? '')
  const [closed, setClosed] = useState<string>()
  const isOpen = typed !== undefined && closed !== typed && suggestions.length > 0
  const combobox = useCombobox({ opened: isOpen })
  const { resetSelectedOption } = combobox
  const shown = suggestions.map(({ key }) => key).join('\n')
  useEffect(resetSelectedOption, [shown, resetSelectedOption])

  const choose = (key: string) => {
    const leads = suggestions.find((suggestion) => suggestion.key === key)?.leads
    if (leads === undefined) return
    setClosed(typed)
    if ('change' in leads) return onChoose(leads.change)
    onChoose()
    void navigate(leads.target)
  }
  const own: FieldKeys = {
    onKeyDown: (event) => {
      if (isOpen && event.key === 'Escape') {
        // Escape closes the suggestions only; the list must not handle it too.
        event.preventDefault()
        setClosed(typed)
      } else if (!(isOpen && event.key === 'Enter' && combobox.getSelectedOptionIndex() !== -1)) {
        if (event.key === 'Enter') setClosed(typed)
        keys.onKeyDown(event)
      }
    },
    onBlur: () => setClosed(typed),
  }
  return (
    <Combobox store={combobox} position="bottom-start" width={340} onOptionSubmit={choose}>
      <Combobox.Target withExpandedAttribute>{field(own)}</Combobox.Target>
      <Combobox.Dropdown hidden={!isOpen}>
        <Combobox.Options aria-label={t`Suggestions for ${label}`}>
          {suggestions.map(({ key, label: name, detail, icon }) => (
            <Combobox.Option key={key} value={key} onMouseDown={(event) => event.preventDefault()}>
              <Suggestion name={name} detail={detail} icon={icon} />
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  )
}

function Suggestion(props: { name: string; detail: string | undefined; icon: IconName }) {
  return (
    <Group gap={8} wrap="nowrap">
      <Icon name={props.icon} size={15} />
      <Text span size="sm" truncate title={props.name}>
        {props.name}
      </Text>
      {props.detail !== undefined && (
        <Text span size="sm" c="dimmed" ml="auto" style={{ whiteSpace: 'nowrap' }}>
          {props.detail}
        </Text>
      )}
    </Group>
  )
}

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
    // The button goes, and with it the focus.
    field.current?.focus()
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
