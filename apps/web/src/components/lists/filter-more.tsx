import { useLingui } from '@lingui/react/macro'
import { Button, Stack, Switch, TextInput } from '@mantine/core'
import { FilterChoice } from './filter-choice.tsx'
import { FilterCount, FilterPopover } from './filter-popover.tsx'
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
  const active = filters.filter(({ name }) => search[name] !== undefined).length
  if (filters.length === 0) return null
  return (
    <FilterPopover
      icon="filter"
      button={label}
      rightSection={<FilterCount count={active} />}
      label={label}
      width={280}
    >
      {(close) => (
        <form
          onSubmit={(event) => {
            event.preventDefault()
            close()
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
      )}
    </FilterPopover>
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
