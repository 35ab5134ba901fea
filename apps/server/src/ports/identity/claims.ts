import { ClientReference, GroupReference, PARSE_OPTIONS, UserReference } from '@custodia/contract'
import * as z from 'zod/mini'
import { type Claims, SignInRefused } from './port.ts'

const LIMIT = 100
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
  user_reference: z.optional(UserReference),
  client: z.optional(ClientReference),
  // A role that this client does not have grants nothing, so any text may stand here.
  roles: listOf(z.string().check(z.maxLength(255))),
  user_group: z.optional(GroupReference),
  groups: listOf(GroupReference),
})

/**
 * The claims of a verified id token. `user_reference` names the person, else `sub`. Throws SignInRefused when they do not
 * have the expected form: a malformed `groups` must not end as "not confined".
 */
export function readClaims(payload: unknown): Claims {
  const parsed = Person.safeParse(payload, PARSE_OPTIONS)
  if (!parsed.success) {
    const paths = parsed.error.issues.map((issue) => issue.path.join('.')).join(', ')
    throw new SignInRefused(`claims of the provider are not valid: ${paths}`)
  }
  const { sub, user_reference = sub, client, roles, user_group, groups } = parsed.data
  if (!UserReference.safeParse(user_reference).success) {
    throw new SignInRefused('the provider gives no usable user reference')
  }
  return { user_reference, client, roles, user_group, groups }
}
