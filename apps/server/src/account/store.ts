import type { AccountDefaults, AccountDefaultsInput } from '@custodia/contract'
import { clientColumn } from '../clients/store.ts'
import { getVersion } from '../http/etag.ts'
import { findWordIndex, getResult, wantWordIndex } from '../payloads/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

type DefaultsRow = Omit<AccountDefaults, 'version' | 'content_search' | 'content_index'>

/** The defaults, or undefined. Within a change they are locked. */
export async function findDefaults(q: Queryable): Promise<AccountDefaults | undefined> {
  const row = await q.row<DefaultsRow>(
    `select ${clientColumn('d.client_id')}, g.group_reference as user_group, d.role, d.default_for_empty_roles, d.cidr_ranges, d.contact,
       d.play_limit, d.download_limit, d.export_limit, d.asks_reason, d.reasons, d.updated_at, d.updated_by
     from account_defaults d join groups g using (client_id, group_id) where d.client_id = $1`,
    [q.client_id],
  )
  if (!row) return undefined
  const words = getResult(await findWordIndex(q))
  const version = getVersion([
    row.user_group,
    row.role,
    row.default_for_empty_roles,
    row.cidr_ranges,
    row.contact,
    words.content_search,
    row.play_limit,
    row.download_limit,
    row.export_limit,
    row.asks_reason,
    row.reasons,
  ])
  return { ...row, ...words, version }
}

/** Replaces the defaults; the group must be there. */
export async function writeDefaults(
  tx: Tx,
  defaults: AccountDefaultsInput,
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  const { user_group, role, cidr_ranges, contact, content_search } = defaults
  await tx.query(
    `insert into account_defaults (client_id, group_id, role, cidr_ranges, contact, updated_at, updated_by)
     select $1, group_id, $3, $4, $5, $6, $7 from groups where client_id = $1 and group_reference = $2
     on conflict (client_id) do update
       set group_id = excluded.group_id, role = excluded.role, cidr_ranges = excluded.cidr_ranges, contact = excluded.contact,
         updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
    [tx.client_id, user_group, role, cidr_ranges, contact, by.updated_at, by.updated_by],
  )
  const { play_limit, download_limit, export_limit, asks_reason, reasons, default_for_empty_roles } = defaults
  await tx.query(
    `update account_defaults set play_limit = coalesce($2::int, play_limit), download_limit = coalesce($3::int, download_limit),
       export_limit = coalesce($4::int, export_limit), asks_reason = coalesce($5::bool, asks_reason), reasons = coalesce($6::text[], reasons),
       default_for_empty_roles = coalesce($7::bool, default_for_empty_roles)
     where client_id = $1`,
    [
      tx.client_id,
      play_limit ?? null,
      download_limit ?? null,
      export_limit ?? null,
      asks_reason ?? null,
      reasons ?? null,
      default_for_empty_roles ?? null,
    ],
  )
  if (content_search !== undefined) await wantWordIndex(tx, content_search)
}

/** Gives the client its first defaults, with this group; existing ones do not change. */
export async function insertDefaultsIfNone(tx: Tx, group_reference: string): Promise<void> {
  await tx.query(
    `insert into account_defaults (client_id, group_id)
     select $1, group_id from groups where client_id = $1 and group_reference = $2 on conflict do nothing`,
    [tx.client_id, group_reference],
  )
}
