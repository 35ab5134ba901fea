import type { ListSort } from './list-header.tsx'
import type { ListDefinition } from './list-definition.ts'
import type { ChangeSearch, ListSearch } from './list-search.ts'

/** Sort order: one of the `dates`, newest first, or oldest first where the call supports it. Undefined for lists with a fixed order. */
export function sortOf(
  { dates = [], hasOrder }: Pick<ListDefinition<never, never>, 'dates' | 'hasOrder'>,
  search: ListSearch,
  change: ChangeSearch,
): ListSort | undefined {
  const usual = dates[0]?.value
  if (usual === undefined || (dates.length < 2 && !hasOrder)) return undefined
  const by = typeof search.date_filter === 'string' ? search.date_filter : usual
  const isOldestFirst = search.order === 'oldest'
  return {
    times: dates.map(({ value }) => value),
    by,
    isOldestFirst,
    change: (time) => {
      const turned = hasOrder && time === by && !isOldestFirst
      change({ date_filter: time === usual ? undefined : time, order: turned ? 'oldest' : undefined })
    },
  }
}
