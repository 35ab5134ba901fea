import type { AccountDefaults, AccountDefaultsInput } from '@custodia/contract'
import { clientColumn } from '../clients/store.ts'
import { versionOf } from '../http/etag.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

type DefaultsRow = Omit<AccountDefaults, 'version'>

/** The defaults, or undefined. Within a change nobody else can change them. */
export async function findDefaults(q: Queryable): Promise<AccountDefaults | undefined> {
  const { rows } = await q.query<DefaultsRow>(
    `select ${clientColumn('d.client_id')}, g.group_reference as user_group, d.role, d.cidr_ranges, d.contact, d.keys_required, d.updated_at, d.updated_by
     from account_defaults d join groups g using (client_id, group_id) where d.client_id = $1`,
    [q.client_id],
    'defaults_read',
  )
  const [row] = rows
  if (!row) return undefined
  const { user_group, role, cidr_ranges, contact, keys_required } = row
  return { ...row, version: versionOf([user_group, role, cidr_ranges, contact, keys_required]) }
}

/** Replaces the defaults; the group must be there. */
export async function writeDefaults(
  tx: Tx,
  { user_group, role, cidr_ranges, contact, keys_required }: AccountDefaultsInput,
  by: { updated_at: number; updated_by: string },
): Promise<void> {
  await tx.query(
    `insert into account_defaults (client_id, group_id, role, cidr_ranges, contact, keys_required, updated_at, updated_by)
     select $1, group_id, $3, $4, $5, coalesce($6::bool, false), $7, $8 from groups where client_id = $1 and group_reference = $2
     on conflict (client_id) do update
       set group_id = excluded.group_id, role = excluded.role, cidr_ranges = excluded.cidr_ranges, contact = excluded.contact,
         keys_required = coalesce($6::bool, account_defaults.keys_required),
         updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
    [
      tx.client_id,
      user_group,
      role,
      cidr_ranges,
      contact,
      keys_required ?? null,
      by.updated_at,
      by.updated_by,
    ],
  )
}

/** Gives the client its first defaults, with this group; what is there already stays as it is. */
export async function insertDefaultsIfNone(tx: Tx, group_reference: string): Promise<void> {
  await tx.query(
    `insert into account_defaults (client_id, group_id)
     select $1, group_id from groups where client_id = $1 and group_reference = $2 on conflict do nothing`,
    [tx.client_id, group_reference],
  )
}
