import { getFilters, type ListSearch } from './list-search.ts'

/** Named filters of the user. */
export interface SavedView {
  /** `view` in the address. */
  id: string
  name: string
  search: ListSearch
  /** Words of a content search. */
  words?: string
  /** The user wants to know of results processed since then, in epoch seconds. */
  new_from?: number
  /** Keys of results processed after `new_from` that the user has seen. */
  seen?: readonly string[]
}

/** Maximum number of views per list. */
export const SAVED_VIEW_LIMIT = 12
export const VIEW_NAME_LENGTH = 40

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

const isSearchValue = (value: unknown): value is string | string[] | boolean =>
  typeof value === 'string' || typeof value === 'boolean' || isTexts(value)

/** Parses stored views; drops invalid ones. */
export function readSavedViews(stored: unknown): readonly SavedView[] {
  if (!Array.isArray(stored)) return []
  return stored.slice(0, SAVED_VIEW_LIMIT).flatMap((view: unknown) => {
    if (typeof view !== 'object' || view === null) return []
    const { id, name, search, words, new_from, seen } = view as Partial<Record<string, unknown>>
    if (typeof id !== 'string' || typeof name !== 'string' || typeof search !== 'object' || search === null)
      return []
    const kept = Object.entries(search).filter((entry): entry is [string, string | string[] | boolean] =>
      isSearchValue(entry[1]),
    )
    return [
      {
        id,
        name: name.slice(0, VIEW_NAME_LENGTH),
        search: Object.fromEntries(kept),
        ...(typeof words === 'string' && { words }),
        ...(typeof new_from === 'number' && { new_from }),
        ...(isTexts(seen) && { seen }),
      },
    ]
  })
}

const NEW_RANGE: readonly string[] = ['processed_from', 'processed_to', 'except']

/** The filters without the restriction to new results of a content search. */
export const withoutNew = (search: ListSearch): ListSearch =>
  Object.fromEntries(Object.entries(search).filter(([name]) => !NEW_RANGE.includes(name)))

type News = Pick<SavedView, 'words' | 'new_from' | 'seen'>

interface SavedResult {
  views: readonly SavedView[]
  saved: SavedView
}

/** Saves the filters of `search` as `name`; undefined when another view has that name. */
export function saveView(
  views: readonly SavedView[],
  name: string,
  search: ListSearch,
  more: News = {},
): SavedResult | undefined {
  const shown = name.trim().slice(0, VIEW_NAME_LENGTH)
  const id = viewId(shown)
  if (views.some((view) => view.id === id)) return undefined
  const saved = { id, name: shown, search: getFilters(withoutNew(search)), ...more }
  return { views: [...views, saved], saved }
}

/** Replaces the filters of a view; it keeps its name and place. */
export function changeView(
  views: readonly SavedView[],
  own: SavedView,
  search: ListSearch,
  more: News = {},
): SavedResult {
  const saved = { id: own.id, name: own.name, search: getFilters(withoutNew(search)), ...more }
  return { views: views.map((view) => (view.id === own.id ? saved : view)), saved }
}

/** Renames a view, which keeps its place among `views`; undefined when another one has that name. */
export function renameView(
  views: readonly SavedView[],
  id: string,
  name: string,
): { views: readonly SavedView[]; id: string } | undefined {
  const shown = name.trim().slice(0, VIEW_NAME_LENGTH)
  const next = viewId(shown)
  if (next !== id && views.some((view) => view.id === next)) return undefined
  return {
    views: views.map((view) => (view.id === id ? { ...view, id: next, name: shown } : view)),
    id: next,
  }
}

/** Readable id for the address: letters, digits and dashes. */
function viewId(name: string): string {
  const id = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
  return `my-${id}`
}
