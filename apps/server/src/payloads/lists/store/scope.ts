import { type PayloadType, SERVICE_TYPES, SERVICES, type Service } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { getCodes, SERVICE_CODES } from '../../../payload-records/codes.ts'

/**
 * One part of the caller's visible payloads, in codes and ids: one service, these types, these groups. The
 * parts of a scope never overlap. Store functions require a scope, so a query without one does not compile.
 */
export interface ScopePart {
  service: number
  /** Null: every type of the service. */
  types: readonly number[] | null
  /** Null: every group. Never empty. */
  groups: readonly number[] | null
}
export type Scope = readonly ScopePart[]

/** The scope restrictions of a request. */
export interface ScopeFilter {
  service?: Service | undefined
  payload_types?: readonly PayloadType[] | undefined
  group_ids?: readonly number[] | undefined
}

/** The payloads for which the caller has the action, restricted to the request; may be empty. */
export function getScope(access: Pick<Access, 'lanes'>, action: string, filter: ScopeFilter = {}): Scope {
  const services = filter.service ? [filter.service] : SERVICES
  return access.lanes(action).flatMap((lane) => {
    const groups = intersect(lane.groups, filter.group_ids)
    if (groups?.length === 0) return []
    return services.flatMap((service): ScopePart[] => {
      const all: readonly PayloadType[] = SERVICE_TYPES[service]
      const types = all.filter(
        (type) =>
          (lane.types === 'all' || lane.types.includes(type)) &&
          (!filter.payload_types || filter.payload_types.includes(type)),
      )
      if (types.length === 0) return []
      const codes = types.length === all.length ? null : getCodes(types)
      return [{ service: SERVICE_CODES[service], types: codes, groups }]
    })
  })
}

/** All groups of a scope; null: every group. */
export const getGroups = (scope: Scope): readonly number[] | null =>
  scope.some(({ groups }) => groups === null)
    ? null
    : [...new Set(scope.flatMap(({ groups }) => groups ?? []))].toSorted((a, b) => a - b)

/** The intersection. */
export const intersectScopes = (one: Scope, other: Scope): Scope =>
  one.flatMap((a) =>
    other.flatMap((b): ScopePart[] => {
      const types = intersect(a.types ?? 'all', b.types ?? undefined)
      const groups = intersect(a.groups ?? 'all', b.groups ?? undefined)
      if (a.service !== b.service || types?.length === 0 || groups?.length === 0) return []
      return [{ service: a.service, types, groups }]
    }),
  )

function intersect(
  reach: readonly number[] | 'all',
  asked: readonly number[] | undefined,
): readonly number[] | null {
  if (reach === 'all') return asked ?? null
  if (!asked) return reach
  const wanted = new Set(asked)
  return reach.filter((id) => wanted.has(id))
}
