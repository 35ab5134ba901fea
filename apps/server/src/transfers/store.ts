import { NEXT_RUNS, type PayloadType, type TransferConfig, type TransferSettings } from '@custodia/contract'
import { nextRuns, type PayloadReach } from '@custodia/domain'
import { clientColumn } from '../clients/store.ts'
import { getVersion } from '../http/etag.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { SealedSecrets } from './target.ts'

export { checkReconciliation } from './reconciliation/check.ts'

type ConfigRow = Omit<TransferConfig, 'version' | 'next_runs'> & SealedSecrets & CollectionState
/** Collected until (`processed_at`), next scheduled start, and the reach decided last. */
export interface CollectionState {
  gathered_to: number | null
  next_at: number | null
  /** Null: never decided. */
  reach: PayloadReach | null
}
/** A config with its sealed secrets. */
export interface StoredConfig extends CollectionState {
  config: TransferConfig
  sealed: SealedSecrets
}

/** SQL: first delivery of payload `p` per config, as JSON. */
export const DELIVERIES = `coalesce((select jsonb_agg(jsonb_build_object('transfer_config_reference', i.transfer_config_reference,
    'transferred_at', i.transferred_at)) from transfer_items i
  where i.client_id = p.client_id and i.payload_id = p.payload_id and i.transferred_at is not null), '[]')`

const COLUMNS = `${clientColumn('t.client_id')}, t.transfer_config_reference, t.transfer_type, t.payload_types, t.schedule, t.pgp_key,
  t.transfer_file_format, t.params, t.is_active, t.wrapped_key, t.zip_password, t.sftp_password, t.sftp_private_key,
  t.zip_password is not null as has_zip_password, t.sftp_password is not null as has_sftp_password,
  t.sftp_private_key is not null as has_sftp_private_key, t.gathered_to, t.next_at, t.role_reference, t.groups, t.reach, t.updated_at, t.updated_by`

function getStored(row: ConfigRow): StoredConfig {
  const {
    wrapped_key,
    zip_password,
    sftp_password,
    sftp_private_key,
    gathered_to,
    next_at,
    reach,
    ...saved
  } = row
  const sealed = { zip_password, sftp_password, sftp_private_key }
  // A replaced secret is a change; rewrapping its key is none.
  const secrets = Object.values(sealed).map((secret) => secret?.toString('hex') ?? null)
  return {
    config: { ...saved, next_runs: getNext(saved, next_at), version: getVersion([saved, secrets]) },
    sealed: { ...sealed, wrapped_key },
    gathered_to,
    next_at,
    reach,
  }
}

/** Scheduled times from the stored one on. */
const getNext = ({ schedule }: { schedule: string | null }, next_at: number | null): number[] =>
  schedule === null || next_at === null ? [] : [next_at, ...nextRuns(schedule, next_at, NEXT_RUNS - 1)]

/** Finds a config, or undefined. */
export async function findConfig(q: Queryable, reference: string): Promise<StoredConfig | undefined> {
  const { rows } = await q.query<ConfigRow>(
    `select ${COLUMNS} from transfer_configs t where t.client_id = $1 and t.transfer_config_reference = $2`,
    [q.client_id, reference],
  )
  return rows[0] && getStored(rows[0])
}

/** As `findConfig`, with a lock until the transaction ends. */
export async function lockConfig(tx: Tx, reference: string): Promise<StoredConfig | undefined> {
  await tx.query(
    'select from transfer_configs where client_id = $1 and transfer_config_reference = $2 for update',
    [tx.client_id, reference],
  )
  return findConfig(tx, reference)
}

const MATCHES = `t.client_id = $1 and position(lower($2) in lower(t.transfer_config_reference)) > 0`

/** Configs after a reference, by reference. */
export async function listConfigs(
  q: Queryable,
  { search, after, limit }: { search: string; after: string; limit: number },
): Promise<TransferConfig[]> {
  const { rows } = await q.query<ConfigRow>(
    `select ${COLUMNS} from transfer_configs t where ${MATCHES} and t.transfer_config_reference > $3
     order by t.transfer_config_reference limit $4`,
    [q.client_id, search, after, limit],
  )
  return rows.map((row) => getStored(row).config)
}

export function countConfigs(q: Queryable, search: string): Promise<number> {
  return q.count(`select count(*)::int as total from transfer_configs t where ${MATCHES}`, [
    q.client_id,
    search,
  ])
}

/** The payload types that each of these configs delivers: a report delivers none. Unknown references are left out. */
export async function readConfigTypes(
  q: Queryable,
  references: readonly string[],
): Promise<ReadonlyMap<string, readonly PayloadType[]>> {
  const rows = await q.rows<Pick<TransferConfig, 'transfer_config_reference' | 'payload_types'>>(
    `select transfer_config_reference, case transfer_type when 'Payload' then payload_types else '{}' end as payload_types from transfer_configs
     where client_id = $1 and transfer_config_reference = any($2)`,
    [q.client_id, references],
  )
  return new Map(rows.map((row) => [row.transfer_config_reference, row.payload_types]))
}

/**
 * Whether a deleted config of this name had runs. Its deliveries stay under the name, so another config would deliver
 * none of them again, and retention would take them for its own.
 */
export async function wasUsed(q: Queryable, reference: string): Promise<boolean> {
  const { rows } = await q.query(
    `select from transfer_runs where client_id = $1 and transfer_config_reference = $2
     union all select from transfer_audit where client_id = $1 and transfer_config_reference = $2 limit 1`,
    [q.client_id, reference],
  )
  return rows.length > 0
}

/** Adds or replaces a config. */
export async function writeConfig(
  tx: Tx,
  reference: string,
  settings: TransferSettings,
  sealed: SealedSecrets,
  by: { updated_at: number; updated_by: string } & CollectionState,
): Promise<void> {
  await tx.query(
    `insert into transfer_configs (client_id, transfer_config_reference, transfer_type, payload_types, schedule, pgp_key, transfer_file_format,
       params, is_active, wrapped_key, zip_password, sftp_password, sftp_private_key, updated_at, updated_by, gathered_to, next_at,
       role_reference, groups, reach)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20::jsonb)
     on conflict (client_id, transfer_config_reference) do update set transfer_type = excluded.transfer_type,
       payload_types = excluded.payload_types, schedule = excluded.schedule, pgp_key = excluded.pgp_key,
       transfer_file_format = excluded.transfer_file_format, params = excluded.params, is_active = excluded.is_active,
       wrapped_key = excluded.wrapped_key, zip_password = excluded.zip_password, sftp_password = excluded.sftp_password,
       sftp_private_key = excluded.sftp_private_key, updated_at = excluded.updated_at, updated_by = excluded.updated_by,
       gathered_to = excluded.gathered_to, next_at = excluded.next_at, role_reference = excluded.role_reference,
       groups = excluded.groups, reach = excluded.reach`,
    [
      tx.client_id,
      reference,
      settings.transfer_type,
      settings.payload_types,
      settings.schedule,
      settings.pgp_key,
      settings.transfer_file_format,
      JSON.stringify(settings.params),
      settings.is_active,
      sealed.wrapped_key,
      sealed.zip_password,
      sealed.sftp_password,
      sealed.sftp_private_key,
      by.updated_at,
      by.updated_by,
      by.gathered_to,
      by.next_at,
      settings.role_reference,
      settings.groups,
      by.reach === null ? null : JSON.stringify(by.reach),
    ],
  )
}

/** Removes a config with its secrets. */
export async function removeConfig(tx: Tx, reference: string): Promise<void> {
  await tx.query('delete from transfer_configs where client_id = $1 and transfer_config_reference = $2', [
    tx.client_id,
    reference,
  ])
}

/** Stores the collection progress and the next scheduled start. */
export async function noteGathering(
  tx: Tx,
  reference: string,
  { gathered_to, next_at }: Pick<CollectionState, 'gathered_to' | 'next_at'>,
): Promise<void> {
  await tx.query(
    'update transfer_configs set gathered_to = $3, next_at = $4 where client_id = $1 and transfer_config_reference = $2',
    [tx.client_id, reference, gathered_to, next_at],
  )
}

/** Stores what a config delivers at most. */
export async function noteReach(tx: Tx, reference: string, reach: PayloadReach): Promise<void> {
  await tx.query(
    'update transfer_configs set reach = $3::jsonb where client_id = $1 and transfer_config_reference = $2',
    [tx.client_id, reference, JSON.stringify(reach)],
  )
}

/** References of active configs with a due schedule. */
export function dueConfigs(q: Queryable, now: number): Promise<string[]> {
  return q.column<string>(
    `select transfer_config_reference from transfer_configs where client_id = $1 and is_active and next_at <= $2
     order by transfer_config_reference`,
    [q.client_id, now],
  )
}
