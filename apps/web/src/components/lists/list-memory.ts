import { useLocalStorage } from '@mantine/hooks'
import { useProfile } from '../../api/use-profile.ts'

/** Where the browser keeps `what` of a list: apart for each account and person who use this browser. */
function useMemoryKey(list: string, what: string): string {
  const { client, user_reference } = useProfile()
  return `custodia.lists.${client}.${user_reference}.${list}.${what}`
}

/**
 * State that this browser remembers for one list, account and person.
 *
 * @param read turns what is stored, possibly by an older version, into a value
 */
export function useListMemory<T>(list: string, what: string, read: (stored: unknown) => T) {
  return useLocalStorage<T>({
    key: useMemoryKey(list, what),
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

/** How the reader wants a list drawn that has tiles: those at first. */
export const useViewMode = ({ name, kind }: { name: string; kind?: string }) =>
  useListMemory<'table' | 'tiles'>(kind ?? name, 'look', (stored) => (stored === 'table' ? 'table' : 'tiles'))

/** Where a list was left: restored when the reader comes back to the same filters. Lives as long as the page. */
export interface Place {
  /** Pixels. */
  offset: number
  current: number
  /** The row at which the reader went on without the list. */
  seen?: string
}
const places = new Map<string, Place>()

export const placeOf = (list: string, filters: string): Place | undefined => places.get(`${list} ${filters}`)

/** The reader is at this row, without the list: it will be shown, and have the focus, when they come back. */
export function keepSeen(
  list: string,
  filters: string,
  { key, index }: { key: string; index: number },
): void {
  places.set(`${list} ${filters}`, { offset: placeOf(list, filters)?.offset ?? 0, current: index, seen: key })
}

export function keepPlace(list: string, filters: string, place: Place): void {
  places.set(`${list} ${filters}`, place)
}
