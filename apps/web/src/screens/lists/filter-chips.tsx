import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react/macro'
import { Icon } from '../../ui/icon.tsx'
import { dateWords } from './date-words.ts'
import classes from './filter-bar.module.css'
import { chosen } from './filter-choice.tsx'
import type { ListDefinition } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'

interface Chip {
  key: string
  label: string
  value?: string
  without: ListSearch
}

/** Every active filter as a chip that takes it away. */
export function FilterChips({
  list,
  search,
  change,
}: {
  list: Pick<ListDefinition<never, never>, 'filters' | 'dates'>
  search: ListSearch
  change: ChangeSearch
}) {
  const { t, i18n } = useLingui()
  const chips: Chip[] = []
  const wordOf = (word: MessageDescriptor | undefined) => word && i18n._(word)
  const time = dateWords(search, i18n)
  const field = list.dates?.find(({ value }) => value === search.date)
  if (time !== undefined || field !== undefined) {
    const label = field === undefined ? t`Time` : i18n._(field.label)
    chips.push({
      key: 'time',
      label,
      value: time ?? t`Any time`,
      without: { date: undefined, from: undefined, to: undefined },
    })
  }
  for (const filter of list.filters) {
    const { name } = filter
    const label = i18n._(filter.label)
    if (filter.kind === 'choice') {
      const values = chosen(search, name)
      for (const value of values) {
        const rest = values.filter((one) => one !== value)
        chips.push({
          key: `${name} ${value}`,
          label,
          value: wordOf(filter.words?.[value]) ?? value,
          without: { [name]: rest.length > 0 ? rest : undefined },
        })
      }
    } else if (search[name] !== undefined) {
      chips.push({
        key: name,
        label,
        ...(filter.kind === 'flag' ? {} : { value: String(search[name]) }),
        without: { [name]: undefined },
      })
    }
  }
  if (chips.length === 0) return null
  return (
    <ul className={classes.chips} aria-label={t`Active filters`}>
      {chips.map(({ key, label, value, without }) => {
        const text = value === undefined ? label : `${label}: ${value}`
        return (
          <li key={key} className={classes.chip}>
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
              onClick={() => change(without)}
            >
              <Icon name="x" size={12} />
            </button>
          </li>
        )
      })}
    </ul>
  )
}
