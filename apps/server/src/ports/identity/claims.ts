import {
  type ClaimMapping,
  ClientReference,
  GroupReference,
  PARSE_OPTIONS,
  toFaults,
  CLAIM_LIMITS,
  PersonReference,
} from '@custodia/contract'
import * as z from 'zod/mini'
import { type Claims, SignInRefused } from './port.ts'

/** Which claims hold what. */
export type ClaimNames = Pick<
  ClaimMapping,
  'user_reference' | 'display_name' | 'roles' | 'groups' | 'user_group'
>

/** A list, or one value in place of a list, as some providers send it. A value that has no meaning here grants nothing, so any text may stand here. */
const Values = z.optional(
  z.pipe(
    z.transform((value: unknown) => (typeof value === 'string' ? [value] : value)),
    z.array(z.string().check(z.normalize('NFC'), z.maxLength(1024))).check(z.maxLength(CLAIM_LIMITS.values)),
  ),
)
/** What is only shown, or only written to: nobody is refused for it. */
const Harmless = z.catch(z.optional(z.string().check(z.minLength(1), z.maxLength(255))), undefined)

const Person = z.object({
  sub: z.string(),
  user_reference: z.optional(PersonReference),
  display_name: Harmless,
  client: z.optional(ClientReference),
  roles: Values,
  user_group: z.optional(GroupReference),
  groups: Values,
  email: Harmless,
  email_verified: z.optional(z.unknown()),
})

/** The name that only the default mapping reads: where it is missing, `sub` names the person. */
const OWN_NAME = 'user_reference'

/**
 * The claims of a verified id token, read by the names of a mapping. Throws SignInRefused when they do not have the expected form, or
 * when the provider left a claim out that it should have sent: neither must end as "not confined".
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
 * As `readClaims`. Where roles are assigned in the portal, claims of roles and groups that cannot be read, or that the provider left out because
 * they are too long, refuse no sign-in.
 */
export function readPortalClaims(payload: Readonly<Record<string, unknown>>, mapping: ClaimMapping): Claims {
  if (mapping.roles_from === 'claims') return readClaims(payload, mapping)
  const {
    roles: _roles,
    groups: _groups,
    ...person
  } = readClaims(payload, {
    ...mapping,
    roles: NO_CLAIM,
    groups: NO_CLAIM,
  })
  return person
}

/** A name that no claim has. */
const NO_CLAIM = ''

/** The claims of a mapping, by what they hold. */
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

/** Stands for a claim on whose path there is something other than an object. */
const MALFORMED = Symbol('malformed')

/**
 * The claim of a name, or at a path with dots; undefined where there is none. Names may hold dots themselves (`https://example.com/roles`,
 * the clients of Keycloak's `resource_access`), so at every step the longest name that is there counts.
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

/** Whether the provider says that the claim is to be fetched elsewhere: aggregated claims (OpenID Connect Core 5.6.2), and Entra's `hasgroups`. */
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

/** A fault's path with the claim's own name in place of what it holds. */
function named(path: string, names: ClaimNames): string {
  const [field = '', ...rest] = path.split('.')
  return [(names as Record<string, string>)[field] ?? field, ...rest].join('.')
}

/** Whom unusable claims are about, so that their refusal can be found in the audit log. */
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
