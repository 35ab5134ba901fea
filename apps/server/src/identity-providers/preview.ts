import { type ClaimMapping, type ClaimPreview, fault, PARSE_OPTIONS } from '@custodia/contract'
import { decodeJwt } from 'jose'
import * as z from 'zod/mini'
import { findAssignment } from '../access/assignment-store.ts'
import { accessAnywhere, rightsOfPerson } from '../access/person-rights.ts'
import type { Rights } from '../access/rights.ts'
import { findDefaults } from '../account/store.ts'
import type { Client } from '../clients/store.ts'
import { Problem } from '../http/problem.ts'
import { readPortalClaims } from '../ports/identity/claims.ts'
import { SignInRefused } from '../ports/identity/port.ts'
import type { Queryable } from '../ports/database/lease.ts'

const Payload = z.looseObject({ sub: z.string() })

/**
 * Who the person of an id token, or of its claims as JSON, would be in a client under a mapping, and what they may do. The token is only
 * read: its signature, times and audience are not checked, so that an old one or one of a test is good enough. Problem: invalid_input.
 */
export async function previewOf(
  q: Queryable,
  rights: Rights,
  client: Pick<Client, 'client' | 'is_provider' | 'first_administrator'>,
  { token, mapping }: { token: string; mapping: ClaimMapping },
): Promise<ClaimPreview> {
  const payload = payloadOf(token)
  const defaults = await findDefaults(q)
  try {
    const claims = readPortalClaims(payload, mapping)
    if (claims.client !== undefined && claims.client !== client.client)
      return { refusal: 'a person of another client', person: null }
    const { user_reference } = claims
    const { roles, groups, user_group, unused } = rightsOfPerson(
      { ...client, claim_mapping: mapping },
      { user_reference, values: claims, assigned: await findAssignment(q, user_reference) },
      { defaults, exists: (role) => rights.roles.has(role) },
    )
    return {
      refusal: null,
      person: {
        user_reference,
        display_name: claims.display_name ?? null,
        email: claims.email ?? null,
        user_group,
        roles: roles.map((each) => ({ ...each, exists: rights.roles.has(each.role) })),
        groups,
        unused,
        actions: accessAnywhere(rights, roles, groups).actions(),
      },
    }
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    return { refusal: error.message, person: null }
  }
}

function payloadOf(token: string): z.output<typeof Payload> {
  const parsed = Payload.safeParse(decoded(token.trim()), PARSE_OPTIONS)
  if (!parsed.success) throw new Problem('invalid_input', { faults: [fault('token', 'not_a_token')] })
  return parsed.data
}

function decoded(token: string): unknown {
  try {
    return token.startsWith('{') ? JSON.parse(token) : decodeJwt(token)
  } catch {
    return undefined
  }
}
