/**
 * A second, naive reading of the permission rules, for tests only. It shares no code with the evaluator: it matches
 * every pattern anew with the platform's own regular expressions and looks at one decision at a time.
 */
import type { Condition, PayloadType, Permission } from '@custodia/contract'

export type FixtureGroup = {
  group_id: number
  group_reference: string
  tags: { key: string; value: string }[]
  /** Of what waits for somebody's confirmation: no condition matches it. */
  is_reserved?: boolean
}
export type FixtureRole = {
  role_reference: string
  permissions: Permission[]
  payload_types: PayloadType[]
  cidr_ranges: string[]
  is_alertable?: boolean
}
export type Fixture = {
  groups: FixtureGroup[]
  roles: FixtureRole[]
  account_ranges: string[]
  ip: string
  group_references: string[] | undefined
}
/**
 * `nothing`: the action concerns no group at all. `null`: a thing that happens to have no group. `later`: a group of
 * which nothing is known yet, so that no condition on it can be met and none can be ruled out.
 */
export type Place = FixtureGroup | 'nothing' | 'later' | null

export function oracleAllows(
  fixture: Fixture,
  action: string,
  place: Place,
  type: PayloadType | undefined,
): boolean {
  if (!inside(fixture.ip, fixture.account_ranges)) return false
  if (place !== 'nothing' && fixture.group_references !== undefined) {
    if (place === null || place === 'later') return false
    if (place.is_reserved || !fixture.group_references.includes(place.group_reference)) return false
  }
  for (const role of fixture.roles) {
    for (const permission of role.permissions) {
      if (permission.is_denied && concerns(permission, action, place)) return false
    }
  }
  for (const role of fixture.roles) {
    if (!inside(fixture.ip, role.cidr_ranges)) continue
    if (type !== undefined && role.payload_types.length > 0 && !role.payload_types.includes(type)) continue
    for (const permission of role.permissions) {
      if (!permission.is_denied && concerns(permission, action, place)) return true
    }
  }
  return false
}

function concerns(permission: Permission, action: string, place: Place): boolean {
  const denies = permission.is_denied === true
  if (!permission.actions_matching.some((pattern) => fits(pattern, permission.is_regex, action, denies)))
    return false
  const conditions = permission.conditions ?? []
  if (conditions.length === 0) return true
  if (place === 'later') return denies
  const demands = conditions.filter((condition) => condition.is_denied !== true)
  const exceptions = conditions.filter((condition) => condition.is_denied === true)
  if (place === 'nothing' || place === null || place.is_reserved) return denies && demands.length === 0
  const wanted = demands.length === 0 || demands.some((condition) => holds(condition, place, denies))
  return wanted && !exceptions.some((condition) => holds(condition, place, !denies))
}

function holds(condition: Condition, group: FixtureGroup, ifUncertain: boolean): boolean {
  const { names_matching: names, keys_matching: keys, values_matching: values, is_regex } = condition
  const patterns = [...(names ?? []), ...(keys ?? []), ...(values ?? [])]
  if (
    ifUncertain &&
    (patterns.length === 0 || patterns.some((pattern) => toRegExp(pattern, is_regex) === null))
  )
    return true
  if (patterns.length === 0) return false
  if (names && !names.some((pattern) => fits(pattern, is_regex, group.group_reference, false))) return false
  if (!keys && !values) return true
  for (const tag of group.tags) {
    const key = !keys || keys.some((pattern) => fits(pattern, is_regex, tag.key, false))
    const value = !values || values.some((pattern) => fits(pattern, is_regex, tag.value, false))
    if (key && value) return true
  }
  return false
}

function fits(pattern: string, is_regex: boolean | undefined, text: string, ifUncertain: boolean): boolean {
  const regex = toRegExp(pattern, is_regex)
  return regex === null ? ifUncertain : regex.test(text)
}

/** Null when the pattern cannot be used. Worlds hold only patterns on which RE2 and the platform agree. */
function toRegExp(pattern: string, is_regex: boolean | undefined): RegExp | null {
  if (pattern === '' || pattern.length > 128) return null
  if (!is_regex) {
    const escaped = pattern.replace(/[.+^${}()|[\]\\/]/g, '\\$&')
    return new RegExp(`^${escaped.replaceAll('*', '[^]*').replaceAll('?', '[^]')}$`, 'u')
  }
  try {
    return new RegExp(`^(?:${pattern})$`, 'u')
  } catch {
    return null
  }
}

/** Compares addresses as strings of bits. */
function inside(ip: string, ranges: string[]): boolean {
  if (ranges.length === 0) return true
  if (ip.includes(':')) return false
  const bits = (address: string) =>
    [...address.split('.'), '0', '0', '0']
      .slice(0, 4)
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('')
  return ranges.some((range) => {
    const [network = '', length] = range.split('/')
    return bits(ip).slice(0, Number(length)) === bits(network).slice(0, Number(length))
  })
}
