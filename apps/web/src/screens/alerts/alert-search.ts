import type { ListSearch } from '../../components/lists/list-search.ts'

/** Open alerts: the default view. `/dashboard/account/alerts?states=Triggered&is_dismissed=false` */
export const OPEN_ALERTS = {
  view: 'open',
  states: ['Triggered'],
  is_dismissed: false,
} satisfies ListSearch & {
  states: ['Triggered']
}

/** Marks the view without filters, which would otherwise mean the default view. */
const ALL_ALERTS = 'all'

/** Address of a search; a search without filters is explicit, as the plain address means open alerts. */
export function alertAddress(search: ListSearch): ListSearch {
  const { preview: _, ...rest } = search
  return Object.keys(rest).length > 0 ? search : { ...search, view: ALL_ALERTS }
}

/** Search of an address, without the marker. */
export function alertSearch(search: ListSearch): ListSearch {
  const { view, ...rest } = search
  return view === ALL_ALERTS ? rest : search
}
