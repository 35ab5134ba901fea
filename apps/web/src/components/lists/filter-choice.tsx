import { useLingui } from '@lingui/react/macro'
import {
  Button,
  CheckboxIndicator,
  Combobox,
  type ComboboxStore,
  Group,
  Text,
  useCombobox,
} from '@mantine/core'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { includesText } from '../../ui/text.ts'
import { useDropdownFocus } from '../../ui/use-focus.ts'
import { FilterCount } from './filter-popover.tsx'
import type { FilterOption, ListFilter } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'

export const chosen = (search: ListSearch, name: string): readonly string[] => {
  const value = search[name]
  return value === undefined ? [] : Array.isArray(value) ? value : [String(value)]
}

type ChoiceFilter = Extract<ListFilter, { kind: 'choice' }>
type PickFilter = Extract<ListFilter, { kind: 'pick' }>

/** A choice or a picker: a button that opens a searchable list with check marks. */
export function FilterChoice({
  filter,
  search,
  change,
  fullWidth = false,
}: {
  filter: ChoiceFilter | PickFilter
  search: ListSearch
  change: ChangeSearch
  fullWidth?: boolean
}) {
  const { i18n } = useLingui()
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() })
  const { target, dropdown } = useDropdownFocus(combobox.dropdownOpened)
  const values = chosen(search, filter.name)
  const label = i18n._(filter.label)
  const toggle = (value: string) => {
    const others = filter.isSingle ? [] : values.filter((one) => one !== value)
    const next = values.includes(value) ? others : [...others, value]
    change({ [filter.name]: next.length === 0 ? undefined : next })
    if (filter.isSingle) combobox.closeDropdown()
  }
  return (
    <Combobox
      store={combobox}
      width={filter.kind === 'pick' ? 380 : 260}
      position="bottom-start"
      onOptionSubmit={toggle}
    >
      <Combobox.Target targetType="button" withAriaAttributes={false}>
        <Button
          ref={target}
          size="xs"
          h={32}
          fullWidth={fullWidth}
          justify={fullWidth ? 'space-between' : 'center'}
          variant="default"
          fw={500}
          data-list-filter
          aria-haspopup="listbox"
          aria-expanded={combobox.dropdownOpened}
          rightSection={<FilterCount count={values.length} />}
          onClick={() => combobox.toggleDropdown()}
        >
          {label}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown ref={dropdown}>
        {combobox.dropdownOpened &&
          (filter.kind === 'choice' ? (
            <Choices filter={filter} values={values} combobox={combobox} onChoose={toggle} />
          ) : (
            <FoundOptions filter={filter} values={values} combobox={combobox} onChoose={toggle} />
          ))}
      </Combobox.Dropdown>
    </Combobox>
  )
}

interface OptionsProps<Filter> {
  filter: Filter
  values: readonly string[]
  combobox: ComboboxStore
  onChoose: (value: string) => void
}

/** Options of a filter; they load when the list opens. */
function Choices({ filter, ...props }: OptionsProps<ChoiceFilter>) {
  const [typed, setTyped] = useState('')
  const options = filter.useOptions(typed)
  // A selected value without an option can still be removed.
  const known = new Set(options.map(({ value }) => value))
  const all: FilterOption[] = [
    ...options,
    ...props.values.filter((value) => !known.has(value)).map((value) => ({ value, label: value })),
  ]
  const found = all.filter(({ label: word, title = '' }) => includesText(`${word} ${title}`, typed))
  return <Options {...props} filter={filter} found={found} typed={typed} onType={setTyped} />
}

/** Records whose names match the typed text. A text without a match may be a reference. */
function FoundOptions({ filter, ...props }: OptionsProps<PickFilter>) {
  const [typed, setTyped] = useState('')
  const { options, isPending } = filter.picker.useFound(typed)
  const reference = typed.trim()
  const isUnknown = !isPending && options.length === 0 && reference !== ''
  return (
    <Options
      {...props}
      filter={filter}
      found={isUnknown ? [{ value: reference, label: reference }] : options}
      isPending={isPending}
      isGuess={isUnknown}
      typed={typed}
      onType={setTyped}
    />
  )
}

function Options({
  filter,
  values,
  combobox,
  onChoose,
  found,
  isPending = false,
  isGuess = false,
  typed,
  onType,
}: OptionsProps<ListFilter> & {
  found: readonly FilterOption[]
  isPending?: boolean
  /** The only option is the typed text, which the user must choose. */
  isGuess?: boolean
  typed: string
  onType: (typed: string) => void
}) {
  const { t, i18n } = useLingui()
  const label = i18n._(filter.label)
  const { searchRef, updateSelectedOptionIndex } = combobox
  useLayoutEffect(() => {
    // No timer: it would fire after the next key, which belongs to the search field.
    searchRef.current?.focus({ preventScroll: true })
    updateSelectedOptionIndex(found.findIndex(({ value }) => values.includes(value)))
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the list opens
  }, [])
  // Enter before the answer waits for it.
  const isEntered = useRef(false)
  const single = found.length === 1 && !isGuess && typed.trim() !== '' ? found[0] : undefined
  const enter = () => {
    isEntered.current = isPending
    if (!isPending && single) onChoose(single.value)
  }
  useEffect(() => {
    if (isPending || !isEntered.current) return
    isEntered.current = false
    if (single) onChoose(single.value)
  })
  return (
    <>
      <Combobox.Search
        value={typed}
        onChange={(event) => {
          onType(event.currentTarget.value)
          updateSelectedOptionIndex()
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && combobox.getSelectedOptionIndex() === -1) enter()
        }}
        placeholder={t`Search`}
        aria-label={t`Search in ${label}`}
      />
      <Combobox.Options mah={340} tabIndex={0} style={{ overflowY: 'auto' }} aria-label={label}>
        {found.map((option) => (
          <Choice key={option.value} option={option} isChosen={values.includes(option.value)} />
        ))}
        {found.length === 0 && (
          <Combobox.Empty>{isPending ? t`Searching…` : t`Nothing found`}</Combobox.Empty>
        )}
      </Combobox.Options>
    </>
  )
}

function Choice({ option, isChosen }: { option: FilterOption; isChosen: boolean }) {
  return (
    <Combobox.Option value={option.value} active={isChosen} aria-selected={isChosen}>
      <Group gap={8} wrap="nowrap">
        <CheckboxIndicator size="xs" checked={isChosen} aria-hidden />
        <Text span size="sm" truncate title={option.title ?? option.label}>
          {option.label}
        </Text>
        {option.detail !== undefined && (
          <Text span size="sm" c="dimmed" ml="auto" style={{ flex: 'none' }}>
            {option.detail}
          </Text>
        )}
      </Group>
    </Combobox.Option>
  )
}
