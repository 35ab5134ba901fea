import { PAYLOAD_TYPES, type PayloadType } from '@custodia/contract'
import type { Lane } from './lanes.ts'

type Groups = readonly number[] | 'all'

/** Which payloads are within reach: of these types in these groups. A type stands in one part at most, no part is empty. It is stored as JSON. */
export type PayloadReach = readonly { types: readonly PayloadType[]; groups: Groups }[]

/** The reach of lanes, limited to some payload types. */
export const reachOfLanes = (lanes: readonly Lane[], types: readonly PayloadType[]): PayloadReach =>
  combine(lanes, [{ types, groups: 'all' }], intersectGroups)

/** What lies in both. */
export const intersectReach = (a: PayloadReach, b: PayloadReach): PayloadReach =>
  combine(a, b, intersectGroups)

/** What lies in `a` and not in `b`. All groups without some count as all groups, because later groups are unknown. */
export const subtractReach = (a: PayloadReach, b: PayloadReach): PayloadReach =>
  combine(a, b, (mine, others) => {
    if (others === 'all') return []
    if (mine === 'all') return 'all'
    const taken = new Set(others)
    return mine.filter((id) => !taken.has(id))
  })

/** Whether a payload lies in the reach. */
export const isWithinReach = (
  reach: PayloadReach,
  { group_id, payload_type }: { group_id: number; payload_type: PayloadType },
): boolean =>
  reach.some(
    ({ types, groups }) => types.includes(payload_type) && (groups === 'all' || groups.includes(group_id)),
  )

function intersectGroups(a: Groups, b: Groups): Groups {
  if (a === 'all') return b
  if (b === 'all') return a
  const wanted = new Set(b)
  return a.filter((id) => wanted.has(id))
}

type Parts = readonly { types: readonly PayloadType[] | 'all'; groups: Groups }[]

function combine(a: Parts, b: Parts, groupsOf: (a: Groups, b: Groups) => Groups): PayloadReach {
  const [ofA, ofB] = [groupsByType(a), groupsByType(b)]
  const byGroups = new Map<string, { types: PayloadType[]; groups: Groups }>()
  for (const type of PAYLOAD_TYPES) {
    const groups = groupsOf(ofA.get(type) ?? [], ofB.get(type) ?? [])
    if (groups.length === 0) continue
    const key = JSON.stringify(groups)
    const part = byGroups.get(key)
    if (part) part.types.push(type)
    else byGroups.set(key, { types: [type], groups })
  }
  return [...byGroups.values()]
}

const groupsByType = (parts: Parts): Map<PayloadType, Groups> =>
  new Map(
    parts.flatMap(({ types, groups }) =>
      (types === 'all' ? PAYLOAD_TYPES : types).map((type) => [type, groups] as const),
    ),
  )
