import { useLingui } from '@lingui/react/macro'
import {
  Badge,
  Button,
  CheckboxIndicator,
  Combobox,
  type ComboboxStore,
  Group,
  Text,
  useCombobox,
} from '@mantine/core'
import { useLayoutEffect, useState } from 'react'
import { includesText } from '../../ui/text.ts'
import { Icon } from '../../ui/icon.tsx'
import { useDropdownFocus } from '../../ui/use-focus.ts'
import type { FilterOption, ListFilter } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'

export const chosen = (search: ListSearch, name: string): readonly string[] => {
  const value = search[name]
  return value === undefined ? [] : Array.isArray(value) ? value : [String(value)]
}

/** Multiple choice: a button that opens a searchable list with check marks. */
export function FilterChoice({
  filter,
  search,
  change,
  fullWidth = false,
}: {
  filter: Extract<ListFilter, { kind: 'choice' }>
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
      width={260}
      position="bottom-start"
      withinPortal={false}
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
          rightSection={
            <Group gap={4} wrap="nowrap">
              {values.length > 0 && (
                <Badge size="sm" circle variant="filled">
                  {values.length}
                </Badge>
              )}
              <Icon name="chevron-down" size={14} />
            </Group>
          }
          onClick={() => combobox.toggleDropdown()}
        >
          {label}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown ref={dropdown}>
        {combobox.dropdownOpened && <Choices filter={filter} values={values} combobox={combobox} />}
      </Combobox.Dropdown>
    </Combobox>
  )
}

/** Options of a filter; they load when the list opens. */
function Choices({
  filter,
  values,
  combobox,
}: {
  filter: Extract<ListFilter, { kind: 'choice' }>
  values: readonly string[]
  combobox: ComboboxStore
}) {
  const { t, i18n } = useLingui()
  const options = filter.useOptions()
  const [searchText, setSearchText] = useState('')
  const label = i18n._(filter.label)
  // A selected value without an option can still be removed.
  const known = new Set(options.map(({ value }) => value))
  const all: FilterOption[] = [
    ...options,
    ...values.filter((value) => !known.has(value)).map((value) => ({ value, label: value })),
  ]
  const { searchRef, updateSelectedOptionIndex } = combobox
  useLayoutEffect(() => {
    // No timer: it would fire after the next key, which belongs to the search field.
    searchRef.current?.focus({ preventScroll: true })
    updateSelectedOptionIndex(all.findIndex(({ value }) => values.includes(value)))
    // oxlint-disable-next-line react/exhaustive-deps -- once, when the list opens
  }, [])
  const found = all.filter(({ label: word, title = '' }) => includesText(`${word} ${title}`, searchText))
  return (
    <>
      <Combobox.Search
        value={searchText}
        onChange={(event) => {
          setSearchText(event.currentTarget.value)
          updateSelectedOptionIndex()
        }}
        placeholder={t`Search`}
        aria-label={t`Search in ${label}`}
      />
      <Combobox.Options mah={340} tabIndex={0} style={{ overflowY: 'auto' }} aria-label={label}>
        {found.map((option) => {
          const isChosen = values.includes(option.value)
          return (
            <Combobox.Option
              key={option.value}
              value={option.value}
              active={isChosen}
              aria-selected={isChosen}
            >
              <Group gap={8} wrap="nowrap">
                <CheckboxIndicator size="xs" checked={isChosen} aria-hidden />
                <Text span size="sm" truncate title={option.title ?? option.label}>
                  {option.label}
                </Text>
              </Group>
            </Combobox.Option>
          )
        })}
        {found.length === 0 && <Combobox.Empty>{t`Nothing found`}</Combobox.Empty>}
      </Combobox.Options>
    </>
  )
}
