import { useLingui } from '@lingui/react/macro'
import { Icon } from '../../ui/icon.tsx'
import { dateWords } from './date-words.ts'
import classes from './filter-bar.module.css'
import { chosen } from './filter-choice.tsx'
import type { ListDefinition, ListFilter } from './list-definition.ts'
import { type ChangeSearch, filtersOf, type ListSearch } from './list-search.ts'

interface ChipsProps {
  list: Pick<ListDefinition<never, never>, 'filters' | 'dates'>
  search: ListSearch
  change: ChangeSearch
  /** Called with the chip before its removal. */
  onGoing: (button: Element) => void
}

/** Active filters as removable chips. */
export function FilterChips({ list, search, change, onGoing }: ChipsProps) {
  const { t, i18n } = useLingui()
  const time = dateWords(search, i18n)
  const field = list.dates?.find(({ value }) => value === search.date_filter)
  const hasTime = time !== undefined || field !== undefined
  const active = filtersOf(search)
  const filters = list.filters.filter(({ name }) => active[name] !== undefined)
  const isTurned = search.order === 'oldest'
  if (!hasTime && !isTurned && filters.length === 0) return null
  return (
    <ul className={classes.chips} aria-label={t`Active filters`}>
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
