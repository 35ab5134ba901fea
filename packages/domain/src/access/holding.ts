/**
 * A person's rights with their terms. A right from a role with networks is held within these networks only; one whose
 * use raises an alert is held with that alert only. It covers grants on the same or stricter terms.
 */
import type { ALERT_PERMISSIONS, Excess, PayloadType } from '@custodia/contract'
import { type GroupIndex, NOWHERE, type Reach, WITHOUT_GROUP } from './group-index.ts'
import { admits, intersection, type Networks, within } from './networks.ts'
import { type CompiledRole, sumRoles } from './role-sum.ts'

/** What a person or client app holds. */
export type Holding = {
  roles: readonly CompiledRole[]
  /** Groups to which the holder is confined; absent: not confined. */
  group_references?: readonly string[] | undefined
  /** The only actions that any role can give; absent: all. */
  actions?: ReadonlySet<string> | undefined
  /**
   * With an address, roles whose networks do not admit it grant nothing but still forbid. Without one, all roles
   * grant within their networks.
   */
  ip?: string | undefined
  /** Networks from which the holder may call at all: a client app's own ranges. Absent: any. */
  networks?: Networks | undefined
}

/** Where and how a right may be used. */
export type Terms = {
  networks: Networks
  /** Whether its use raises an alert. */
  is_alertable: boolean
}

/** The terms of a removed denial: the terms on which others hold the forbidden right are unknown. */
export const NO_TERMS: Terms = { networks: 'any', is_alertable: false }

/** Why a right exceeds the actor's own, most serious first. */
export const LIMITS = ['reach', 'networks', 'watch'] as const satisfies readonly Excess['limit'][]
export type Limit = (typeof LIMITS)[number]
/** What exceeds the actor's rights, each place under one limit. */
export type ExcessReach = Record<Limit, Reach>
export const NO_EXCESS: ExcessReach = { reach: NOWHERE, networks: NOWHERE, watch: NOWHERE }

/** A person's rights on the terms of a grant. */
export type Cover = {
  /** `rows`: what the grant gives among things; `any`: the same before a confinement, of which what concerns no group counts. */
  beyond: (action: string, type: PayloadType, given: { rows: Reach; any?: Reach }) => ExcessReach
  /** Undefined: held. */
  alertLimit: (right: (typeof ALERT_PERMISSIONS)[number]) => Limit | undefined
}

/** The roles of a holder that grant, those of the others only forbid. */
export const grantingRoles = ({ roles, ip }: Holding): readonly CompiledRole[] =>
  ip === undefined ? roles : roles.filter((role) => admits(role.networks, ip))

/** The terms on which a role's grants are held. */
export const getTerms = (
  role: CompiledRole,
  { networks = 'any' }: Pick<Holding, 'networks'> = {},
): Terms => ({
  networks: intersection(role.networks, networks),
  is_alertable: role.is_alertable,
})

/** Roles of one holder that grant on the same terms. */
export function rolesByTerms(holder: Holding): Map<Terms, CompiledRole[]> {
  const known = new Map<string, Terms>()
  return Map.groupBy(grantingRoles(holder), (role) => {
    const terms = getTerms(role, holder)
    const key = JSON.stringify(terms)
    const same = known.get(key) ?? terms
    known.set(key, same)
    return same
  })
}

/** What the holder covers of grants that stand on the groups of `groupIndex`. */
export function getCover(holder: Holding, groupIndex: GroupIndex): (terms: Terms) => Cover {
  const granting = grantingRoles(holder)
  const there = getTranslator(holder.roles[0]?.groupIndex, groupIndex)
  return (terms) => {
    const inNetworks = granting.filter((role) => within(terms.networks, getTerms(role, holder).networks))
    const unwatched = inNetworks.filter((role) => terms.is_alertable || !role.is_alertable)
    const levels = [granting, inNetworks, unwatched].map((roles) => ({
      roles,
      holds: getHolds(holder, roles),
    }))
    return {
      beyond: (action, type, { rows, any = NOWHERE }) => {
        const found = { ...NO_EXCESS }
        let before = NOWHERE
        for (const [i, limit] of LIMITS.entries()) {
          const level = levels[i]
          if (!level || level.roles.length === levels[i - 1]?.roles.length) continue
          const lacking = lackingIn(level.holds, there, action, type, { rows, any })
          found[limit] = lacking & ~before
          before = lacking
        }
        return found
      },
      alertLimit: (right) =>
        LIMITS.find((_, i) => !levels[i]?.roles.some((role) => role.alert_permissions[right])),
    }
  }
}

type Holds = (action: string, type?: PayloadType) => { rows: Reach; any: Reach }

/** `rows`: what may be done with things, which a confinement narrows. `any`: the same without it. */
export function getHolds(
  { roles, group_references, actions }: Holding,
  granting: readonly CompiledRole[],
): Holds {
  const { reach, confinement } = sumRoles(roles, granting, group_references, actions)
  return (action, type) => {
    const any = reach(action, type)
    return { any, rows: any & confinement }
  }
}

function lackingIn(
  holds: Holds,
  there: (reach: Reach) => Reach,
  action: string,
  type: PayloadType,
  given: { rows: Reach; any: Reach },
): Reach {
  if (given.rows === NOWHERE && given.any === NOWHERE) return NOWHERE
  const groupless = given.any & WITHOUT_GROUP & ~holds(action).any
  return (given.rows & ~there(holds(action, type).rows)) | groupless
}

/** Converts reaches of one index to another one, each distinct reach once. */
export function getTranslator(from: GroupIndex | undefined, to: GroupIndex): (reach: Reach) => Reach {
  if (!from) return () => NOWHERE
  if (from === to) return (reach) => reach
  const known = new Map<Reach, Reach>()
  return (reach) => {
    let there = known.get(reach)
    if (there === undefined) known.set(reach, (there = from.translate(reach, to)))
    return there
  }
}
