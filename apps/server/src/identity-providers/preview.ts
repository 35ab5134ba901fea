import { type ClaimMapping, type ClaimPreview, fault, PARSE_OPTIONS } from '@custodia/contract'
import { applyMapping, evaluate } from '@custodia/domain'
import { decodeJwt } from 'jose'
import * as z from 'zod/mini'
import type { Rights } from '../access/rights.ts'
import { findDefaults } from '../account/store.ts'
import type { Client } from '../clients/store.ts'
import { Problem } from '../http/problem.ts'
import { readClaims } from '../ports/identity/claims.ts'
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
  client: Pick<Client, 'client'>,
  { token, mapping }: { token: string; mapping: ClaimMapping },
): Promise<ClaimPreview> {
  const payload = payloadOf(token)
  const defaults = await findDefaults(q)
  try {
    const claims = readClaims(payload, mapping)
    if (claims.client !== undefined && claims.client !== client.client)
      return { refusal: 'a person of another client', person: null }
    const { roles, groups, user_group, unused } = applyMapping(mapping, claims, defaults)
    return {
      refusal: null,
      person: {
        user_reference: claims.user_reference,
        display_name: claims.display_name ?? null,
        email: claims.email ?? null,
        user_group,
        roles: roles.map((each) => ({ ...each, exists: rights.roles.has(each.role) })),
        groups,
        unused,
        actions: actionsOf(
          rights,
          roles.map(({ role }) => role),
          groups,
        ),
      },
    }
  } catch (error) {
    if (!(error instanceof SignInRefused)) throw error
    return { refusal: error.message, person: null }
  }
}

/** What these roles permit from any network. */
function actionsOf(rights: Rights, names: readonly string[], groups: readonly string[] | null): string[] {
  const roles = names.flatMap((name) => rights.roles.get(name) ?? [])
  const anywhere = roles.map((role) => ({ ...role, networks: 'any' as const }))
  return evaluate(
    { roles: anywhere, ip: '', group_references: groups ?? undefined },
    { networks: 'any' },
  ).actions()
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
