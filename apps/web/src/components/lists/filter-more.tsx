import { useLingui } from '@lingui/react/macro'
import { Badge, Button, Popover, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { useDropdownFocus } from '../../ui/use-focus.ts'
import { FilterChoice } from './filter-choice.tsx'
import type { ListFilter } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'

/** Secondary filters; on narrow screens all filters. */
export function FilterMore({
  filters,
  search,
  change,
  label,
}: {
  filters: readonly ListFilter[]
  search: ListSearch
  change: ChangeSearch
  label: string
}) {
  const { t } = useLingui()
  const [isOpen, setOpen] = useState(false)
  const { target, dropdown } = useDropdownFocus(isOpen)
  const active = filters.filter(({ name }) => search[name] !== undefined).length
  if (filters.length === 0) return null
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      position="bottom-start"
      width={280}
      trapFocus
      returnFocus
      shadow="md"
    >
      <Popover.Target>
        <Button
          ref={target}
          size="xs"
          h={32}
          variant="default"
          fw={500}
          data-list-filter
          leftSection={<Icon name="filter" size={15} />}
          rightSection={
            active > 0 && (
              <Badge size="sm" circle variant="filled">
                {active}
              </Badge>
            )
          }
          onClick={() => setOpen(!isOpen)}
        >
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown ref={dropdown} aria-label={label}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            setOpen(false)
          }}
        >
          <Stack gap="sm">
            {filters.map((filter) => (
              <FilterField key={filter.name} filter={filter} search={search} change={change} />
            ))}
            <Button type="submit" size="xs" variant="light">
              {t`Done`}
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}

function FilterField({
  filter,
  search,
  change,
}: {
  filter: ListFilter
  search: ListSearch
  change: ChangeSearch
}) {
  const { i18n } = useLingui()
  const label = i18n._(filter.label)
  if (filter.kind === 'choice' || filter.kind === 'pick')
    return <FilterChoice filter={filter} search={search} change={change} fullWidth />
  if (filter.kind === 'flag') {
    return (
      <Switch
        label={label}
        checked={search[filter.name] === true}
        onChange={(event) => change({ [filter.name]: event.currentTarget.checked || undefined })}
      />
    )
  }
  if (filter.kind === 'search') return null
  const applied = String(search[filter.name] ?? '')
  const apply = (text: string) => {
    const value = text.trim() || undefined
    if (value !== search[filter.name]) change({ [filter.name]: value })
  }
  return (
    <TextInput
      key={applied}
      size="xs"
      label={label}
      placeholder={filter.placeholder && i18n._(filter.placeholder)}
      defaultValue={applied}
      onBlur={(event) => apply(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') apply(event.currentTarget.value)
      }}
    />
  )
}
