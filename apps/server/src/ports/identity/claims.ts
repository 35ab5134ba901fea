import {
  type ClaimMapping,
  ClientReference,
  GroupReference,
  PARSE_OPTIONS,
  toFaults,
  CLAIM_LIMITS,
  name,
  PersonReference,
  text,
} from '@custodia/contract'
import * as z from 'zod/mini'
import { type Claims, SignInRefused } from './port.ts'

export type ClaimNames = Pick<
  ClaimMapping,
  'user_reference' | 'display_name' | 'roles' | 'groups' | 'user_group'
>

/**
 * A list, or one value instead of a list, as some providers send it. Unknown values grant nothing, so any
 * text without control characters is valid.
 */
const Values = z.optional(
  z.pipe(
    z.transform((value: unknown) => (typeof value === 'string' ? [value] : value)),
    z.array(name(0, 1024)).check(z.maxLength(CLAIM_LIMITS.values)),
  ),
)
/** Optional claims for display or e-mail: an invalid one refuses no sign-in. */
const Harmless = z.catch(z.optional(text(1, 255)), undefined)

const Person = z.object({
  sub: text(1, 1024),
  user_reference: z.optional(PersonReference),
  display_name: Harmless,
  client: z.optional(ClientReference),
  roles: Values,
  user_group: z.optional(GroupReference),
  groups: Values,
  email: Harmless,
  email_verified: z.optional(z.unknown()),
})

/** The claim of the default mapping only: without it, `sub` identifies the person. */
const OWN_NAME = 'user_reference'

/**
 * Reads the claims of a verified id token by the names of a mapping. Throws SignInRefused for malformed or
 * missing claims, because neither may give an unconfined session.
 */
export function readClaims(payload: Readonly<Record<string, unknown>>, names: ClaimNames): Claims {
  const { sub, client, email, email_verified } = payload
  const read = { sub, client, email, email_verified, ...readNamed(payload, names) }
  const parsed = Person.safeParse(read, PARSE_OPTIONS)
  if (!parsed.success) {
    const faults = toFaults(parsed.error.issues).map(
      ({ path, message }) => `${named(path, names)}: ${message}`,
    )
    throw refusal(`claims of the provider are not valid: ${faults.slice(0, 5).join(' ')}`, payload, names)
  }
  const { user_reference = names.user_reference === OWN_NAME ? parsed.data.sub : undefined } = parsed.data
  if (user_reference === undefined)
    throw refusal(`the provider sends no claim ${names.user_reference}`, payload, names)
  if (!PersonReference.safeParse(user_reference).success)
    throw new SignInRefused('the provider gives no usable user reference')
  const isDenied = parsed.data.email_verified === false || parsed.data.email_verified === 'false'
  const { email: address, sub: subject, display_name, roles, groups, user_group } = parsed.data
  return {
    subject,
    user_reference,
    ...(display_name !== undefined && { display_name }),
    client: parsed.data.client,
    roles,
    user_group,
    groups,
    ...(address && !isDenied && { email: address }),
  }
}

/**
 * As `readClaims`. When roles are assigned in the portal, unreadable or omitted claims of roles and groups refuse
 * no sign-in.
 */
export function readPortalClaims(payload: Readonly<Record<string, unknown>>, mapping: ClaimMapping): Claims {
  if (mapping.roles_from === 'claims') return readClaims(payload, mapping)
  const {
    roles: _roles,
    groups: _groups,
    ...person
  } = readClaims(payload, { ...mapping, roles: NO_CLAIM, groups: NO_CLAIM })
  return person
}

/** An impossible claim name. */
const NO_CLAIM = ''

/** The claims of a mapping, by purpose. */
function readNamed(payload: Readonly<Record<string, unknown>>, names: ClaimNames) {
  const rights = { roles: names.roles, groups: names.groups, user_group: names.user_group }
  for (const name of Object.values(rights)) {
    if (isElsewhere(payload, name))
      throw refusal(`the provider leaves out the claim ${name}, because it is too long`, payload, names)
  }
  const at = ([field, name]: [string, string]) => {
    const value = claimAt(payload, name)
    if (value === MALFORMED) throw refusal(`claims of the provider are not valid: ${name}`, payload, names)
    return [field, value] as const
  }
  const harmless = claimAt(payload, names.display_name)
  return {
    ...Object.fromEntries(Object.entries({ ...rights, user_reference: names.user_reference }).map(at)),
    display_name: harmless === MALFORMED ? undefined : harmless,
  }
}

/** Returned when the path of a claim crosses something other than an object. */
const MALFORMED = Symbol('malformed')

/**
 * The claim of a name, or at a path with dots; undefined when missing. Names may contain dots themselves
 * (`https://example.com/roles`, the clients of Keycloak's `resource_access`), so the longest existing name
 * counts at every step.
 */
function claimAt(value: unknown, path: string): unknown {
  if (!isObject(value)) return MALFORMED
  if (Object.hasOwn(value, path)) return value[path]
  for (let dot = path.lastIndexOf('.'); dot > 0; dot = path.lastIndexOf('.', dot - 1)) {
    const head = path.slice(0, dot)
    if (Object.hasOwn(value, head)) return claimAt(value[head], path.slice(dot + 1))
  }
  return undefined
}

/**
 * Whether the claim must be fetched separately: aggregated claims (OpenID Connect Core 5.6.2), and Entra's
 * `hasgroups`.
 */
function isElsewhere(payload: Readonly<Record<string, unknown>>, name: string): boolean {
  const { _claim_names: elsewhere } = payload
  if (elsewhere !== undefined) {
    const found = claimAt(elsewhere, name)
    if (found !== undefined || (isObject(elsewhere) && Object.hasOwn(elsewhere, name.split('.')[0] ?? '')))
      return true
  }
  return name === 'groups' && ['hasgroups', 'hasGroups'].some((flag) => isSet(payload[flag]))
}
const isSet = (value: unknown): boolean => value === true || value === 'true'
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The path of a fault with the claim's name instead of its value. */
function named(path: string, names: ClaimNames): string {
  const [field = '', ...rest] = path.split('.')
  return [(names as Record<string, string>)[field] ?? field, ...rest].join('.')
}

/** The user of unusable claims, so that the audit log can name them. */
function refusal(
  message: string,
  payload: Readonly<Record<string, unknown>>,
  names: ClaimNames,
): SignInRefused {
  const candidates = [claimAt(payload, names.user_reference), payload.sub]
  return new SignInRefused(
    message,
    candidates.flatMap((each) => PersonReference.safeParse(each).data ?? [])[0],
  )
}
