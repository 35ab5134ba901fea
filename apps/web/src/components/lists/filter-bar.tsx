import { useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { type RefObject, useEffect, useRef } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { FilterChoice } from './filter-choice.tsx'
import { FilterChips } from './filter-chips.tsx'
import { FilterDate } from './filter-date.tsx'
import { FilterMore } from './filter-more.tsx'
import { FilterSearch } from './filter-search.tsx'
import type { ListDefinition, ListFilter } from './list-definition.ts'
import { type ChangeSearch, filtersOf, type ListSearch } from './list-search.ts'
import classes from './filter-bar.module.css'

const CHIPS = 'li > button'

/**
 * Moves the focus when a chip is removed: to the next chip, the previous one, or the search.
 * @param bar container of chips and search
 * @returns call with the removed chip's button, or with none for all
 */
function useNextChip(bar: RefObject<HTMLElement | null>): (button?: Element) => void {
  const left = useRef<{ at: number; of: number }>(undefined)
  useEffect(() => {
    const chips = bar.current?.querySelectorAll<HTMLElement>(CHIPS) ?? []
    if (left.current === undefined || chips.length >= left.current.of) return
    const next = chips[Math.min(left.current.at, chips.length - 1)]
    left.current = undefined
    const other = bar.current?.querySelector<HTMLElement>('[data-list-search], [data-list-filter]')
    ;(next ?? other)?.focus()
  })
  return (button) => {
    const chips = [...(bar.current?.querySelectorAll(CHIPS) ?? [])]
    left.current = { at: button === undefined ? 0 : chips.indexOf(button), of: chips.length }
  }
}

export interface FilterBarProps {
  list: Pick<ListDefinition<never, never>, 'filters' | 'dates'>
  search: ListSearch
  change: ChangeSearch
  reset: () => void
  isNarrow: boolean
}

const ofKind = <K extends ListFilter['kind']>(filters: readonly ListFilter[], kind: K) =>
  filters.filter((filter): filter is Extract<ListFilter, { kind: K }> => filter.kind === kind)

/** Search, dates and permitted filters; active filters below as removable chips. */
export const FilterBar = (props: FilterBarProps) =>
  props.list.filters.some(({ action }) => action !== undefined) ? (
    <Permitted {...props} />
  ) : (
    <Bar {...props} />
  )

function Permitted({ list, ...props }: FilterBarProps) {
  const may = useMay()
  const filters = list.filters.filter(({ action }) => action === undefined || may(action))
  return <Bar {...props} list={{ ...list, filters }} />
}

function Bar({ list, search, change, reset, isNarrow }: FilterBarProps) {
  const { t } = useLingui()
  const bar = useRef<HTMLElement>(null)
  const onGoing = useNextChip(bar)
  const active = Object.keys(filtersOf(search)).length
  const choices = ofKind(list.filters, 'choice')
  return (
    <search ref={bar} aria-label={t`Filters`} className={classes.bar}>
      <Group gap={8}>
        {ofKind(list.filters, 'search').map((filter) => (
          <FilterSearch key={filter.name} filter={filter} search={search} change={change} />
        ))}
        {list.dates !== undefined && list.dates.length > 0 && (
          <FilterDate dates={list.dates} search={search} change={change} />
        )}
        {!isNarrow &&
          choices.map((filter) => (
            <FilterChoice key={filter.name} filter={filter} search={search} change={change} />
          ))}
        <FilterMore
          filters={list.filters.filter(
            ({ kind }) => kind === 'text' || kind === 'flag' || (isNarrow && kind === 'choice'),
          )}
          search={search}
          change={change}
          label={isNarrow ? t`Filters` : t`More filters`}
        />
        {active > 0 && !isNarrow && (
          <Button
            size="xs"
            h={32}
            variant="subtle"
            color="gray"
            leftSection={<Icon name="x" size={14} />}
            onClick={() => {
              onGoing()
              reset()
            }}
          >
            {t`Reset`}
          </Button>
        )}
      </Group>
      <FilterChips list={list} search={search} change={change} onGoing={onGoing} />
    </search>
  )
}
