import type { Sample } from '@custodia/contract'
import type { PortalUser } from '../http/context.ts'
import type { Rights } from './rights.ts'

/** What a review may name: a caller who sees some groups only reads of the others how many they are, not which. */
export interface SeenGroups {
  sees: (group_reference: string) => boolean
  /** The same value with all its samples cut to names that the caller sees. */
  cut: <T>(value: T) => T
}

export function seenGroups({ access }: Pick<PortalUser, 'access'>, { universe }: Rights): SeenGroups {
  const ids = access.groups('groups:list')
  if (ids === 'all') return { sees: () => true, cut: (value) => value }
  const seen = new Set(ids)
  const names = new Set(
    universe.groups.filter(({ group_id }) => seen.has(group_id)).map((group) => group.group_reference),
  )
  const sees = (group_reference: string): boolean => names.has(group_reference)
  return { sees, cut: (value) => cutNames(value, sees) as typeof value }
}

function cutNames(value: unknown, sees: (name: string) => boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => cutNames(each, sees))
  if (typeof value !== 'object' || value === null) return value
  if (isSample(value)) return { ...value, first: value.first.filter(sees) }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cutNames(each, sees)]))
}

const isSample = (value: object): value is Sample => 'is_all' in value && 'first' in value
