import { useLocalStorage } from '@mantine/hooks'
import { useRouter } from '@tanstack/react-router'
import { useSyncExternalStore } from 'react'
import { useProfile } from '../../api/use-profile.ts'
import type { ListSearch } from './list-search.ts'
import { memoryKey } from './memory-key.ts'

/**
 * Stored state of a list, per account and user.
 * @param read parses the stored value, possibly of an older version
 */
export function useListMemory<T>(list: string, what: string, read: (stored: unknown) => T) {
  return useLocalStorage<T>({
    key: memoryKey(useProfile(), list, what),
    defaultValue: read(undefined),
    getInitialValueInEffect: false,
    deserialize: (text) => {
      try {
        return read(text === undefined ? undefined : JSON.parse(text))
      } catch {
        return read(undefined)
      }
    },
  })
}

/** View mode of a list with tiles; tiles by default. */
export const useViewMode = ({ name, kind }: { name: string; kind?: string }) =>
  useListMemory<'table' | 'tiles'>(kind ?? name, 'look', (stored) => (stored === 'table' ? 'table' : 'tiles'))

/** Position in a list, restored for the same filters. Lives until page unload. */
export interface Place {
  /** Pixels. */
  offset: number
  current: number
  /** Row at which the user left the list. */
  seen?: string
}
const places = new Map<string, Place>()

export const getPlace = (list: string, filters: string): Place | undefined => places.get(`${list} ${filters}`)

/** Filters of each list when a page of its rows was opened, by address. */
const left = new Map<string | undefined, ListSearch>()
export const getLeftSearch = (list: string | undefined): ListSearch | undefined => left.get(list)
export const keepLeftSearch = (list: string | undefined, search: ListSearch): void =>
  void left.set(list, search)

/** Stores the user's current row; the list shows and focuses it on return. */
export function keepSeen(
  list: string,
  filters: string,
  { key, index }: { key: string; index: number },
): void {
  places.set(`${list} ${filters}`, {
    offset: getPlace(list, filters)?.offset ?? 0,
    current: index,
    seen: key,
  })
}

const OPEN_ROW = 'custodia.open_row'
/** Keeps the place of the row that the address opens, for a reload: rows up to it are loaded again. */
export const keepOpenRow = (key: string, index: number): void =>
  sessionStorage.setItem(OPEN_ROW, `${index} ${key}`)

/** Index of a row before the reload; 0 for another one. */
export function openRowIndex(key: string | undefined): number {
  const stored = sessionStorage.getItem(OPEN_ROW) ?? ''
  return key !== undefined && stored.endsWith(` ${key}`) ? Number.parseInt(stored) : 0
}

export function keepPlace(list: string, filters: string, place: Place): void {
  places.set(`${list} ${filters}`, place)
}

/** Key of the previewed row. One of the list shows with the key press: the router takes longer. */
export function useOpenKey({ preview }: ListSearch, keys: readonly string[]): string | undefined {
  const { history } = useRouter()
  const headed = useSyncExternalStore(history.subscribe, () =>
    new URLSearchParams(history.location.search).get('preview'),
  )
  if (headed !== null && keys.includes(headed)) return headed
  return typeof preview === 'string' ? preview : undefined
}
