import type { Profile } from '@custodia/contract'

/** Storage key of `what` of a list, per account and user of this browser. */
export const memoryKey = (
  { client, user_reference }: Pick<Profile, 'client' | 'user_reference'>,
  list: string,
  what: string,
): string => `custodia.lists.${client}.${user_reference}.${list}.${what}`

/** The browser's list of saved content searches, as `useListMemory` names it. */
export const SAVED_SEARCHES = 'words'

/** Whether this browser has a saved search of the user that tells of new hits; reads no other code of lists. */
export const isWatchingSearches = (user: Parameters<typeof memoryKey>[0]): boolean =>
  localStorage.getItem(memoryKey(user, SAVED_SEARCHES, 'views'))?.includes('"new_from"') ?? false
