import type { Role } from '@custodia/contract'
import type pg from 'pg'
import { raiseEpoch } from './fill.ts'

/** SQL: the groups of the role `RESTRICTED_ROLE`. */
export const RESTRICTED_GROUPS = 'group_id % 4 = 1'
export const RESTRICTED_ROLE = 'Quarter'

/** Adds three tags to each group, and roles with patterns, conditions and regular expressions. */
export async function fillAccess(owner: pg.Client, client_id: number, count: number): Promise<void> {
  await owner.query(
    `insert into group_tags (client_id, group_id, tag_key, tag_value)
     select client_id, group_id, key, value from groups cross join lateral (values
       ('region', 'R' || group_id % 40), ('desk', 'D' || group_id % 97), ('quarter', (group_id % 4)::text)) t (key, value)`,
  )
  const roles = Array.from({ length: count - 1 }, (_, i) => roleNumber(i))
  const quarter = roleOf(RESTRICTED_ROLE, [{ keys_matching: ['quarter'], values_matching: ['1'] }])
  await owner.query(
    `insert into roles (client_id, role_reference, document, updated_at, updated_by)
     select $1, d->>'role_reference', d, 0, 'bench' from jsonb_array_elements($2::jsonb) d`,
    [client_id, JSON.stringify([...roles, quarter])],
  )
  await raiseEpoch(owner, client_id)
  await owner.query('vacuum analyze')
}

function roleNumber(i: number): Role {
  return roleOf(`Role ${String(i).padStart(3, '0')}`, [
    { names_matching: [`Group ${i % 10}*`] },
    { keys_matching: ['region'], values_matching: [`R${i % 40}`] },
    { names_matching: [`Group .*${i % 97}`], is_regex: true, is_denied: true },
  ])
}

function roleOf(
  role_reference: string,
  conditions: NonNullable<Role['permissions'][number]['conditions']>,
): Role {
  return {
    role_reference,
    permissions: [
      { actions_matching: ['groups:list', 'groups:read', 'payloads:*', 'payloads.*'], conditions },
      { actions_matching: ['profile:*', 'roles:list'] },
    ],
    payload_types: [],
    cidr_ranges: [],
    alert_permissions: { ops_read: false, ops_write: false, sec_read: false, sec_write: false },
    is_alertable: false,
    is_system: false,
  }
}
