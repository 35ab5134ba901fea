import type { Role } from '@custodia/contract'
import type { AccessGroup } from '@custodia/domain'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { RightsSource } from './rights.ts'

/** How often the client's rights have changed. */
export async function readEpoch(q: Queryable): Promise<number> {
  const { rows } = await q.query<{ epoch: number }>(
    'select access_epoch as epoch from clients where client_id = $1',
    [q.client_id],
  )
  return rows[0]?.epoch ?? 0
}

/**
 * Counts a change of the client's rights and resolves to the new epoch. Another change waits until the transaction
 * ends.
 */
export async function raiseEpoch(tx: Tx): Promise<number> {
  const { rows } = await tx.query<{ epoch: number }>(
    'update clients set access_epoch = access_epoch + 1 where client_id = $1 returning access_epoch as epoch',
    [tx.client_id],
  )
  return rows[0]?.epoch ?? 1
}

/** All that the client's rights are compiled from. */
export async function readSource(q: Queryable): Promise<RightsSource> {
  // The epoch first: what changes while we read makes the next request read again.
  const client = await q.query<{ access_epoch: number; is_provider: boolean }>(
    'select access_epoch, is_provider from clients where client_id = $1',
    [q.client_id],
  )
  const groups = await q.query<AccessGroup>(
    `select g.group_id, g.group_reference, g.is_reserved, coalesce(
       jsonb_agg(jsonb_build_object('key', t.tag_key, 'value', t.tag_value) order by t.tag_key, t.tag_value collate "C")
         filter (where t.tag_key is not null), '[]') as tags
     from groups g left join group_tags t using (client_id, group_id)
     where g.client_id = $1 group by g.group_id order by g.group_id`,
    [q.client_id],
  )
  const roles = await q.query<{ document: Role; updated_at: number; updated_by: string }>(
    'select document, updated_at, updated_by from roles where client_id = $1 order by role_reference',
    [q.client_id],
  )
  const defaults = await q.query<{
    role: string | null
    cidr_ranges: string[]
    contact: string | null
    asked: string[] | null
  }>(
    'select role, cidr_ranges, contact, case when asks_reason then reasons end as asked from account_defaults where client_id = $1',
    [q.client_id],
  )
  return {
    epoch: client.rows[0]?.access_epoch ?? 0,
    is_provider: client.rows[0]?.is_provider ?? false,
    groups: groups.rows,
    roles: roles.rows.map((row) => row.document),
    role_changes: new Map(
      roles.rows.map(({ document, ...change }) => [document.role_reference, change] as const),
    ),
    default_role: defaults.rows[0]?.role ?? null,
    cidr_ranges: defaults.rows[0]?.cidr_ranges ?? [],
    contact: defaults.rows[0]?.contact ?? null,
    reasons: defaults.rows[0]?.asked ?? null,
  }
}

/** Whether an alert with this key exists. Processes wait here for each other until their transactions end. */
export async function wasAlerted(tx: Tx, alert_key: string): Promise<boolean> {
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, $2))', [alert_key, tx.client_id])
  const known = await tx.query(
    `select from alerts where client_id = $1 and alert_target = 'client' and alert_scope = 'sec' and alert_key = $2`,
    [tx.client_id, alert_key],
  )
  return known.rowCount > 0
}
