import { REFERENCE_BEGINNING, type Service, type Suggestion } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import type { Queryable } from '../../../ports/database/lease.ts'
import { STATE_CODES, typeOfCode } from '../../../payload-records/codes.ts'
import { scopeOf } from './scope.ts'

/** Payloads whose references have the typed prefix: how many are read, and how many suggested. */
const [LOOKED_AT, SHOWN] = [200, 3]

/** Visible payloads whose reference has this prefix. */
export async function findBeginning(
  q: Queryable,
  access: Access,
  { search, service }: { search: string; service?: Service | undefined },
): Promise<Suggestion[]> {
  const beginning = search.trim()
  if (!BEGINNING.test(beginning)) return []
  const scope = scopeOf(access, 'payloads:list', { service })
  const { rows } = await q.query<{
    payload_reference: string
    service: number
    type: number
    group_id: number
  }>(REFERENCES, [q.client_id, [...new Set([beginning, beginning.toUpperCase()])]], 'suggest_references')
  return rows
    .filter((row) =>
      scope.some(
        (part) =>
          part.service === row.service &&
          (part.types?.includes(row.type) ?? true) &&
          (part.groups?.includes(row.group_id) ?? true),
      ),
    )
    .slice(0, SHOWN)
    .map(({ payload_reference, type }) => ({
      kind: 'payload',
      payload_reference,
      payload_type: typeOfCode(type),
    }))
}

const BEGINNING = new RegExp(`^[A-Za-z0-9_-]{${REFERENCE_BEGINNING},36}$`)
// In collation "C", '~' sorts behind every character of a reference.
const REFERENCES = `
  select payload_reference, service, type, group_id from unnest($2::text[]) b (beginning) cross join lateral (
    select payload_reference, service, type, group_id, state from payloads
    where client_id = $1 and payload_reference >= b.beginning and payload_reference < b.beginning || '~'
    order by payload_reference limit ${LOOKED_AT}) p
  where state not in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed})`

/** The name of a device user with a device. */
export interface PersonName {
  device_user_reference: string
  first_name: string | null
  surname: string | null
}

/** The names of these people. */
export async function findPeople(q: Queryable, references: readonly string[]): Promise<PersonName[]> {
  const { rows } = await q.query<PersonName>(
    'select device_user_reference, first_name, surname from device_users where client_id = $1 and device_user_reference = any($2)',
    [q.client_id, references],
    'suggest_people',
  )
  return rows
}
