import { useRouter } from '@tanstack/react-router'
import { type KeyboardEvent, type RefObject, useEffect } from 'react'
import { keepKeys } from '../../ui/keep-keys.ts'
import { useSingleKeys } from '../../ui/use-keys.ts'
import { WEEK } from './date-range.ts'
import type { ListDefinition } from './list-definition.ts'
import type { ListState } from './use-list-view.ts'

/**
 * Single-key shortcuts of a list, and the keys of its search field.
 * @param view element of the list
 * @param isOn whether the page's shortcuts go to this list
 */
export function useListKeys<Row, Query>(
  list: ListDefinition<Row, Query>,
  state: ListState<Row, Query>,
  view: RefObject<HTMLElement | null>,
  isOn: boolean,
) {
  const { gridRef, keys, data, selection, focusRef, place } = state
  const getPart = (selector: string) => view.current?.querySelector<HTMLElement>(selector)
  /** Keys typed before the filters load go to them. */
  const focusIn = (selector: string) =>
    keepKeys(() => getPart(selector) ?? (getPart('[data-pending]') ? undefined : document.body))
  const press = (key: string) => {
    if (gridRef.current) gridRef.current.press(key)
    else if (data.isFirstLoad)
      keepKeys(() => (getPart('[aria-busy="true"]') ? undefined : document.body), key)
  }
  /** An action on a row moves the cursor there. */
  const act = (action: (index: number) => void) => {
    gridRef.current?.focus()
    action(place.current)
  }
  /** Escape leads from the filters or the actions of a selection to the rows. */
  const leaveControls = (event: KeyboardEvent) => {
    const from = event.target
    // Portals of dialogs and menus bubble here, too.
    if (!(from instanceof HTMLElement) || !event.currentTarget.contains(from)) return
    // The rows of a submitted search get the focus, unless the user types on.
    if (from.matches('[data-submits]')) focusRef.current = event.key === 'Enter'
    if (event.key !== 'Escape' || event.defaultPrevented) return
    event.preventDefault()
    if (gridRef.current) return gridRef.current.focus()
    // Rows may still arrive. Without any, the arrows and the next Tab start at the title.
    focusRef.current = true
    focusTitle()
  }
  const isEmpty = keys.length === 0 && !data.isFirstLoad
  useEffect(() => {
    // The focused rows left: the new filters find none.
    if (isEmpty && focusRef.current && document.activeElement === document.body) focusTitle()
  }, [isEmpty, focusRef])
  /** Keys of the list itself act on the selected rows, or on the current one and step to the next. */
  const rowKeys = Object.entries(list.rowKeys ?? {}).map(([key, run]) => {
    const onPress = () => {
      const chosen = [...selection.selection.keys]
      const current = keys[place.current]
      // The bar asks before it acts on all matching rows.
      if (selection.selection.isAll) return getPart(`[aria-keyshortcuts="${key}"]`)?.click()
      if (chosen.length > 0) {
        run(chosen, selection.clear)
        return selection.clear()
      }
      if (current === undefined) return
      gridRef.current?.focus()
      run([current])
      press('j')
    }
    return [key, onPress] as const
  })
  const keysOfPage = {
    ...Object.fromEntries(rowKeys),
    ...list.pageKeys,
    j: () => press('j'),
    'h1 ArrowDown': () => press('j'),
    ...(state.look === 'tiles' && list.Tile && { 'h1 ArrowRight': () => press('j') }),
    k: () => press('k'),
    x: () => act(selection.toggle),
    o: () => act(state.togglePreview),
    p: () => list.hear && act(state.hear),
    w: useToggleWeek(list, state.goTo),
    t: () => focusIn('[data-list-filter]'),
    '/': () => focusIn('[data-list-search]'),
  }
  useSingleKeys(isOn ? keysOfPage : {})
  return { leaveControls, focusSearch: () => focusIn('[data-list-search]') }
}

const focusTitle = () => document.querySelector<HTMLElement>('h1[tabindex]')?.focus({ preventScroll: true })

/** Filters by the last seven days, or no longer. */
function useToggleWeek<Row, Query>(list: ListDefinition<Row, Query>, goTo: ListState<Row, Query>['goTo']) {
  const router = useRouter()
  return () => {
    if (list.dates === undefined) return
    // The typed search counts, also while its rows load.
    const latest = list.parse(router.latestLocation.search)
    const isWeek = latest.from === WEEK && latest.to === undefined
    goTo({ ...latest, from: isWeek ? undefined : WEEK, to: undefined })
  }
}
