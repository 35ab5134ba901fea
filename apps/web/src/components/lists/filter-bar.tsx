import { useLingui } from '@lingui/react/macro'
import { Button, Group } from '@mantine/core'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { visible } from '../../ui/visible.ts'
import { dateWords } from './date-words.ts'
import { chosen, FilterChoice } from './filter-choice.tsx'
import { FilterDate } from './filter-date.tsx'
import { FilterMore } from './filter-more.tsx'
import { FilterSearch } from './filter-search.tsx'
import type { ListDefinition, ListFilter } from './list-definition.ts'
import { type ChangeSearch, getFilters, type ListSearch } from './list-search.ts'
import classes from './filter-bar.module.css'
import view from './list-view.module.css'

interface ChipsProps {
  list: Pick<ListDefinition<never, never>, 'filters' | 'dates'>
  search: ListSearch
  change: ChangeSearch
  /** Called with the chip before its removal. */
  onGoing: (button: Element) => void
}

/**
 * Active filters as removable chips, and `children` after them; the search field has its own value. Their place is
 * kept without any, so that rows never move.
 */
function FilterChips({ list, search, change, onGoing, children }: ChipsProps & { children: ReactNode }) {
  const { t, i18n } = useLingui()
  const time = dateWords(search, i18n)
  const field = list.dates?.find(({ value }) => value === search.date_filter)
  const hasTime = time !== undefined || field !== undefined
  const active = getFilters(search)
  const filters = list.filters.filter(({ name, kind }) => kind !== 'search' && active[name] !== undefined)
  const isTurned = search.order === 'oldest'
  if (!hasTime && !isTurned && filters.length === 0)
    return list.filters.length > 0 && <div className={view.chips} />
  return (
    <ul className={view.chips} aria-label={t`Active filters`}>
      {hasTime && (
        <Chip
          label={field === undefined ? t`Time` : i18n._(field.label)}
          value={time ?? t`Any time`}
          onRemove={() => change({ date_filter: undefined, from: undefined, to: undefined })}
          onGoing={onGoing}
        />
      )}
      {isTurned && (
        <Chip label={t`Oldest first`} onRemove={() => change({ order: undefined })} onGoing={onGoing} />
      )}
      {filters.map((filter) =>
        filter.kind === 'choice' ? (
          <ChoiceChips key={filter.name} filter={filter} search={search} change={change} onGoing={onGoing} />
        ) : filter.kind === 'pick' ? (
          <PickedChips key={filter.name} filter={filter} search={search} change={change} onGoing={onGoing} />
        ) : (
          <Chip
            key={filter.name}
            label={i18n._(filter.label)}
            {...(filter.kind === 'flag' ? {} : { value: String(search[filter.name]) })}
            onRemove={() => change({ [filter.name]: undefined })}
            onGoing={onGoing}
          />
        ),
      )}
      <li>
        <span>{children}</span>
      </li>
    </ul>
  )
}

/** Selected options of one filter, with their labels. */
function ChoiceChips(props: Omit<ChipsProps, 'list'> & { filter: Extract<ListFilter, { kind: 'choice' }> }) {
  const { i18n } = useLingui()
  const { filter, search, change } = props
  const options = filter.useOptions()
  const values = chosen(search, filter.name)
  return values.map((value) => {
    const rest = values.filter((one) => one !== value)
    return (
      <Chip
        key={value}
        label={i18n._(filter.label)}
        value={options.find((option) => option.value === value)?.label ?? value}
        onRemove={() => change({ [filter.name]: rest.length > 0 ? rest : undefined })}
        onGoing={props.onGoing}
      />
    )
  })
}

/** Picked records of one filter, by name. */
function PickedChips(props: Omit<ChipsProps, 'list'> & { filter: Extract<ListFilter, { kind: 'pick' }> }) {
  return chosen(props.search, props.filter.name).map((value) => (
    <PickedChip key={value} {...props} value={value} />
  ))
}

function PickedChip({
  filter,
  search,
  change,
  onGoing,
  value,
}: Parameters<typeof PickedChips>[0] & { value: string }) {
  const { i18n } = useLingui()
  const rest = chosen(search, filter.name).filter((one) => one !== value)
  return (
    <Chip
      label={i18n._(filter.label)}
      value={visible(filter.picker.useName(value))}
      onRemove={() => change({ [filter.name]: rest.length > 0 ? rest : undefined })}
      onGoing={onGoing}
    />
  )
}

function Chip(props: {
  label: string
  value?: string
  onRemove: () => void
  onGoing: ChipsProps['onGoing']
}) {
  const { t } = useLingui()
  const { label, value } = props
  const text = value === undefined ? label : `${label}: ${value}`
  return (
    <li className={classes.chip}>
      <span title={text}>
        {label}
        {value !== undefined && (
          <>
            {': '}
            <strong>{value}</strong>
          </>
        )}
      </span>
      <button
        type="button"
        className={classes.remove}
        aria-label={t`Remove the filter ${text}`}
        onClick={(event) => {
          props.onGoing(event.currentTarget)
          props.onRemove()
        }}
      >
        <Icon name="x" size={12} />
      </button>
    </li>
  )
}

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

interface FilterBarProps {
  list: Pick<ListDefinition<never, never>, 'filters' | 'dates' | 'hasOrder'>
  search: ListSearch
  change: ChangeSearch
  reset: () => void
  isNarrow: boolean
}

const ofKind = <K extends ListFilter['kind']>(filters: readonly ListFilter[], kind: K) =>
  filters.filter((filter): filter is Extract<ListFilter, { kind: K }> => filter.kind === kind)

/** Search, dates and permitted filters; active filters after them as removable chips. */
export const FilterBar = (props: FilterBarProps) =>
  props.list.filters.some(({ action }) => action !== undefined) ? (
    <PermittedFilters {...props} />
  ) : (
    <Bar {...props} />
  )

function PermittedFilters({ list, ...props }: FilterBarProps) {
  const may = useMay()
  const filters = list.filters.filter(({ action }) => action === undefined || may(action))
  return <Bar {...props} list={{ ...list, filters }} />
}

function Bar({ list, search, change, reset, isNarrow }: FilterBarProps) {
  const { t } = useLingui()
  const bar = useRef<HTMLElement>(null)
  const onGoing = useNextChip(bar)
  const active = Object.keys(getFilters(search)).length
  const choices = ofKind(list.filters, 'choice')
  const picks = ofKind(list.filters, 'pick').filter(({ isFirst }) => isFirst)
  return (
    <search ref={bar} aria-label={t`Filters`} className={classes.bar}>
      <Group gap={8}>
        {ofKind(list.filters, 'search').map((filter) => (
          <FilterSearch key={filter.name} filter={filter} search={search} change={change} />
        ))}
        {!isNarrow &&
          picks.map((filter) => (
            <FilterChoice key={filter.name} filter={filter} search={search} change={change} />
          ))}
        {list.dates !== undefined && list.dates.length > 0 && (
          <FilterDate dates={list.dates} hasOrder={list.hasOrder} search={search} change={change} />
        )}
        {!isNarrow &&
          choices.map(
            (filter) =>
              !filter.isRare && (
                <FilterChoice key={filter.name} filter={filter} search={search} change={change} />
              ),
          )}
        <FilterMore
          filters={list.filters.filter(
            (filter) =>
              filter.kind === 'text' ||
              filter.kind === 'flag' ||
              (filter.kind === 'pick' && (isNarrow || !filter.isFirst)) ||
              (filter.kind === 'choice' && (isNarrow || filter.isRare === true)),
          )}
          search={search}
          change={change}
          label={isNarrow ? t`Filters` : t`More filters`}
        />
        <FilterChips list={list} search={search} change={change} onGoing={onGoing}>
          {active > 0 && !isNarrow && (
            <Button
              size="compact-xs"
              h={26}
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
        </FilterChips>
      </Group>
    </search>
  )
}
