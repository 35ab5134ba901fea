import type { ClaimMapping, Role, RoleAssignment, SupportAccess } from '@custodia/contract'
import type { AccessGroup } from '@custodia/domain'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { RightsSource } from './rights.ts'

/** How often the client's rights have changed. */
export async function readEpoch(q: Queryable): Promise<number> {
  return (await q.value<number>('select access_epoch from clients where client_id = $1', [q.client_id])) ?? 0
}

/**
 * Counts a change of the client's rights and resolves to the new epoch. Another change waits until the transaction
 * ends.
 */
export async function raiseEpoch(tx: Tx): Promise<number> {
  return (
    (await tx.value<number>(
      'update clients set access_epoch = access_epoch + 1 where client_id = $1 returning access_epoch as epoch',
      [tx.client_id],
    )) ?? 1
  )
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

interface GivenRights {
  roles: string[]
  groups: string[] | null
}

/** What versions of rights say, by their kind. */
export interface RightsDocuments {
  account: { role: string | null; cidr_ranges: string[] }
  app: { roles: string[]; cidr_ranges: string[] }
  assignment: RoleAssignment
  /** A role that is part of the program. */
  builtin: { document: Role }
  /** Of a person of the embedded provider. */
  embedded: GivenRights
  group: Pick<AccessGroup, 'group_id' | 'group_reference' | 'is_reserved'>
  mapping: { claim_mapping: Partial<ClaimMapping> | null }
  /** Of a person’s newest session. */
  person: GivenRights
  role: { document: Role }
  support: Pick<
    SupportAccess,
    'role' | 'requested_by' | 'requested_expiry' | 'approval_state' | 'approval_expiry'
  >
  tag: { group_id: number; tag_key: string; tag_value: string }
}
export type RightsKind = keyof RightsDocuments

/** What a role, a group, a person or another part of the rights was from a moment on; null: removed. */
export type RightsVersion = {
  [Kind in RightsKind]: { kind: Kind; reference: string; at: number; document: RightsDocuments[Kind] | null }
}[RightsKind]

/** Records versions of the built-in roles that differ from the recorded ones. */
export async function keepBuiltinRoles(tx: Tx, roles: readonly Role[]): Promise<void> {
  await tx.query(
    `with held as (
       select distinct on (reference) reference, document from rights_versions
       where client_id = $1 and kind = 'builtin' order by reference, version_id desc
     )
     insert into rights_versions (client_id, kind, reference, document)
     select $1, 'builtin', reference, n.document
     from jsonb_to_recordset($2::jsonb) as n (reference text, document jsonb) full join held h using (reference)
     where n.document is distinct from h.document`,
    [
      tx.client_id,
      JSON.stringify(
        roles.map((document) => ({ reference: document.role_reference, document: { document } })),
      ),
    ],
  )
}

/** SQL condition: a version concerns one of the groups $2, or no group. */
const OF_GROUPS = `($2::int[] is null or kind not in ('group', 'tag') or split_part(reference, ' ', 1) = any($2::text[]))`

/** Since when versions of the client's rights are kept. */
export async function findRightsKnownSince(q: Queryable): Promise<number> {
  return (
    (await q.value<number>(
      `select at from rights_versions where client_id = $1 and kind = 'account' order by version_id limit 1`,
      [q.client_id],
    )) ?? 0
  )
}

/** The versions that held at a moment, of the given groups or of all. */
export function findRightsAt(
  q: Queryable,
  at: number,
  group_ids: readonly number[] | null,
): Promise<RightsVersion[]> {
  return q.rows<RightsVersion>(
    `select * from (
       select distinct on (kind, reference) kind, reference, at, document from rights_versions
       where client_id = $1 and ${OF_GROUPS} and at <= $3 order by kind, reference, version_id desc
     ) held where document is not null`,
    [q.client_id, group_ids, at],
  )
}

/** The versions that began after `from` and before `to`, in their order. */
export function listRightsVersions(
  q: Queryable,
  { from, to }: { from: number; to: number },
  group_ids: readonly number[] | null,
): Promise<RightsVersion[]> {
  return q.rows<RightsVersion>(
    `select kind, reference, at, document from rights_versions
     where client_id = $1 and ${OF_GROUPS} and at > $3 and at < $4 order by at, version_id`,
    [q.client_id, group_ids, from, to],
  )
}
