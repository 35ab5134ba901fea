import { ClientReference, GroupReference, PARSE_OPTIONS, toFaults, PersonReference } from '@custodia/contract'
import * as z from 'zod/mini'
import { type Claims, SignInRefused } from './port.ts'

/** Items of a list at most; Microsoft Entra leaves longer lists of groups out as well. */
const LIMIT = 200
/** A list, or one value in place of a list, as some providers send it. */
const listOf = <T extends z.ZodMiniType<string>>(item: T) =>
  z.optional(
    z.pipe(
      z.transform((value: unknown) => (typeof value === 'string' ? [value] : value)),
      z.array(item).check(z.maxLength(LIMIT)),
    ),
  )

const Person = z.object({
  sub: z.string(),
  user_reference: z.optional(PersonReference),
  client: z.optional(ClientReference),
  // A role that this client does not have grants nothing, so any text may stand here.
  roles: listOf(z.string().check(z.normalize('NFC'), z.maxLength(255))),
  user_group: z.optional(GroupReference),
  groups: listOf(GroupReference),
  // What is no address is none: nobody is refused for it.
  email: z.catch(z.optional(z.string().check(z.maxLength(255))), undefined),
  email_verified: z.optional(z.unknown()),
})

/**
 * The claims of a verified id token. `user_reference` names the person, else `sub`. Throws SignInRefused when they do not
 * have the expected form: a malformed `groups` must not end as "not confined".
 */
export function readClaims(payload: unknown): Claims {
  const parsed = Person.safeParse(payload, PARSE_OPTIONS)
  if (!parsed.success) {
    const faults = toFaults(parsed.error.issues).map(({ path, message }) => `${path}: ${message}`)
    throw new SignInRefused(
      `claims of the provider are not valid: ${faults.slice(0, 5).join(' ')}`,
      personOf(payload),
    )
  }
  const { sub, user_reference = sub, client, roles, user_group, groups, email, email_verified } = parsed.data
  if (!PersonReference.safeParse(user_reference).success) {
    throw new SignInRefused('the provider gives no usable user reference')
  }
  const isDenied = email_verified === false || email_verified === 'false'
  return {
    subject: sub,
    user_reference,
    client,
    roles,
    user_group,
    groups,
    ...(email && !isDenied && { email }),
  }
}

/** Whom unusable claims are about, so that their refusal can be found in the audit log. */
function personOf(payload: unknown): string | undefined {
  const { user_reference, sub } = payload as { user_reference?: unknown; sub?: unknown }
  return [user_reference, sub].flatMap((each) => PersonReference.safeParse(each).data ?? [])[0]
}
