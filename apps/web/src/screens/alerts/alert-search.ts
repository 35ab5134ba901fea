import type { ListSearch } from '../../components/lists/list-search.ts'

/** What waits for somebody: the view with which the page begins. `/dashboard/account/alerts?states=Triggered&is_dismissed=false` */
export const OPEN_ALERTS = {
  view: 'open',
  states: ['Triggered'],
  is_dismissed: false,
} satisfies ListSearch & {
  states: ['Triggered']
}

/** Stands in the address for the view without filters, which else would be the beginning again. */
const ALL_ALERTS = 'all'

/** The address of a search: without any filter it says so, as the bare address means the open alerts. */
export function alertAddress(search: ListSearch): ListSearch {
  const { preview: _, ...rest } = search
  return Object.keys(rest).length > 0 ? search : { ...search, view: ALL_ALERTS }
}

/** The search of an address; the view without filters has no name. */
export function alertSearch(search: ListSearch): ListSearch {
  const { view, ...rest } = search
  return view === ALL_ALERTS ? rest : search
}
