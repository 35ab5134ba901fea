import { createHash, createPublicKey, verify } from 'node:crypto'
import {
  type Checkpoint,
  formatKey,
  formatLeaf,
  leafHash,
  type Leaf,
  type NoteKey,
  openNote,
  parseCheckpoint,
  type ReadNodes,
  type Sha256,
  utf8,
  type VerifyEd25519,
} from '@custodia/sealed-log'
import type { GlobalQueryable, Queryable, Tx } from '../ports/database/lease.ts'
import type { KeyProvider } from '../ports/keys/port.ts'

export { readHeld, removeHeld } from './held-checkpoint.ts'

/** SHA-256 of Node. */
export const sha256: Sha256 = (bytes) => createHash('sha256').update(bytes).digest()

/** A table whose rows enter the sealed log. */
export interface SealedSource {
  table: string
  id: string
  at: string
  /** The columns that the digest covers, in any order. A change would alter the digests of sealed entries. */
  fields: readonly string[]
  /** Whether retention removes entries; `destroyed_as` and `follows` are its action and its policy entry. */
  retention?: { destroyed_as: string; follows: string }
}

/** Fields of a call in both audit logs. */
const CALL = [
  'log_id',
  'activity_time',
  'activity_end_time',
  'duration',
  'action',
  'is_allowed',
  'denial_reason',
  'parameters',
  'status_code',
  'request_id',
  'group_id',
]

/** The tables whose rows enter the sealed log. */
export const SEALED_SOURCES: readonly SealedSource[] = [
  {
    table: 'portal_activities',
    id: 'log_id',
    at: 'activity_time',
    fields: [
      ...CALL,
      'user_reference',
      'user_ip',
      'browser',
      'user_group',
      'roles',
      'is_client_app',
      'support_reference',
    ],
    retention: { destroyed_as: 'retention:destroy_activities', follows: 'PortalUser' },
  },
  {
    table: 'device_activities',
    id: 'log_id',
    at: 'activity_time',
    fields: [...CALL, 'device_ip', 'device_reference', 'device_user_reference', 'group_reference'],
    retention: { destroyed_as: 'retention:destroy_device_activities', follows: 'Device' },
  },
  {
    table: 'payload_history',
    id: 'entry_id',
    at: 'at',
    fields: ['payload_id', 'at', 'from_state', 'to_state', 'reason', 'by'],
  },
  {
    table: 'legal_hold_events',
    id: 'event_id',
    at: 'at',
    fields: ['target_type', 'target', 'act', 'at', 'by', 'reason_id', 'matter_id', 'confirmed_by'],
  },
  {
    table: 'retention_policies',
    id: 'policy_version',
    at: 'at',
    fields: ['policy_version', 'entries', 'minimums', 'applies_to_kept', 'note', 'at', 'by', 'confirmed_by'],
  },
]

/** SQL: an entry of a source: `source`, `source_id`, `xid`, `at` and `fields`. */
const entryColumns = ({ table, id, at, fields }: SealedSource): string =>
  `'${table}' as source, r.${id}::text as source_id, r.xid::text as xid, r.${at} as at,
   json_build_object(${fields.map((name) => `'${name}', r.${name}`).join(', ')}) as fields`

/** An entry before it is sealed. */
export interface SourceEntry {
  source: string
  source_id: string
  xid: string
  at: number
  fields: Record<string, unknown>
}

/** The fields as the digest covers them: canonical JSON has whole numbers only, so fractions become text. */
export function sealedFields(fields: unknown): unknown {
  if (typeof fields === 'number') return Number.isSafeInteger(fields) ? fields : String(fields)
  if (Array.isArray(fields)) return fields.map(sealedFields)
  if (typeof fields !== 'object' || fields === null) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, sealedFields(value)]))
}

// A row may be taken once no older transaction can still commit: `is_final`. A restored dump has transaction numbers of
// another server, so then everything without a position is taken.
const UNSEALED = `
  select * from (${SEALED_SOURCES.map(
    (source) => `
    (select ${entryColumns(source)}, $3 or r.xid < pg_snapshot_xmin(pg_current_snapshot()) as is_final
     from ${source.table} r where r.client_id = $1 and r.xid >= $2::text::xid8
       and not exists (select from sealed_entries e where e.client_id = $1 and e.source = '${source.table}' and e.source_id = r.${source.id}::text)
     order by r.xid, r.${source.id} limit $4)`,
  ).join(' union all ')}) x
  order by xid::xid8, source, source_id limit $4`

/** Committed entries without a position in the order of their transactions. */
export const readUnsealed = async (
  q: Queryable,
  { until_xid, isRestored, limit }: { until_xid: string; isRestored: boolean; limit: number },
): Promise<(SourceEntry & { is_final: boolean })[]> =>
  (
    await q.query<SourceEntry & { is_final: boolean }>(
      UNSEALED,
      [q.client_id, isRestored ? '0' : until_xid, isRestored, limit],
      'sealed_waiting',
    )
  ).rows

/** A stored checkpoint. */
export interface StoredCheckpoint {
  size: number
  signed_at: number
  algorithm: string
  key_id: string
  /** A signed note. */
  checkpoint: string
}

/** The newest checkpoints of a client, the newest first. */
export const readCheckpoints = async (q: Queryable, limit: number): Promise<StoredCheckpoint[]> =>
  (
    await q.query<StoredCheckpoint>(
      `select size, signed_at, algorithm, key_id, checkpoint from sealed_checkpoints
       where client_id = $1 order by size desc limit $2`,
      [q.client_id, limit],
      'sealed_checkpoints',
    )
  ).rows

/** The checkpoint of a size; undefined when none was signed then. */
export const findCheckpoint = async (q: Queryable, size: number): Promise<StoredCheckpoint | undefined> =>
  (
    await q.query<StoredCheckpoint>(
      `select size, signed_at, algorithm, key_id, checkpoint from sealed_checkpoints where client_id = $1 and size = $2`,
      [q.client_id, size],
      'sealed_checkpoint',
    )
  ).rows[0]

/** How far the log of a client is sealed. */
export interface SealedUntil {
  size: number
  until_xid: string
  /** Whether the database was restored from a dump since. */
  is_restored: boolean
}

/** How far the log is sealed, once no other process seals it; undefined while one does. */
export async function lockSealed(tx: Tx): Promise<SealedUntil | undefined> {
  const { rows } = await tx.query<{ is_mine: boolean }>(
    `select pg_try_advisory_xact_lock(hashtext('sealed log'), $1) as is_mine`,
    [tx.client_id],
    'sealed_lock',
  )
  if (!rows[0]?.is_mine) return undefined
  const found = await tx.query<SealedUntil>(
    `select size, until_xid::text as until_xid, until_xid > pg_snapshot_xmax(pg_current_snapshot()) as is_restored
     from sealed_checkpoints where client_id = $1 order by size desc limit 1`,
    [tx.client_id],
    'sealed_until',
  )
  return found.rows[0] ?? { size: 0, until_xid: '0', is_restored: false }
}

/** A sealed batch. */
export interface SealedBatch {
  entries: readonly (SourceEntry & { position: number; digest: Uint8Array; salt: Uint8Array })[]
  nodes: readonly { level: number; index: number; hash: Uint8Array }[]
  checkpoint: StoredCheckpoint
  until_xid: string
}

/** Stores a batch with its checkpoint. */
export async function insertSealed(
  tx: Tx,
  { entries, nodes, checkpoint, until_xid }: SealedBatch,
): Promise<void> {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
  await tx.query(
    `with x as materialized (select * from jsonb_to_recordset($2::jsonb) as x(position bigint, source text, source_id text, xid text, at bigint,
       digest text, salt text)),
     added as (insert into sealed_entries (client_id, position, source, source_id, xid, at, digest)
       select $1, position, source, source_id, xid::xid8, at, decode(digest, 'hex') from x returning position)
     insert into sealed_salts (client_id, position, salt) select $1, position, decode(salt, 'hex') from x join added using (position)`,
    [
      tx.client_id,
      JSON.stringify(
        entries.map(({ position, source, source_id, xid, at, digest, salt }) => ({
          position,
          source,
          source_id,
          xid,
          at,
          digest: hex(digest),
          salt: hex(salt),
        })),
      ),
    ],
    'sealed_insert',
  )
  for (const { level, index, hash } of nodes)
    await tx.query('insert into sealed_nodes (client_id, level, index, hash) values ($1, $2, $3, $4)', [
      tx.client_id,
      level,
      index,
      Buffer.from(hash),
    ])
  await tx.query(
    `insert into sealed_checkpoints (client_id, size, signed_at, algorithm, key_id, checkpoint, until_xid)
     values ($1, $2, $3, $4, $5, $6, $7::text::xid8)`,
    [
      tx.client_id,
      checkpoint.size,
      checkpoint.signed_at,
      checkpoint.algorithm,
      checkpoint.key_id,
      checkpoint.checkpoint,
      until_xid,
    ],
    'sealed_checkpoint_insert',
  )
}

/** An entry of the log as it is stored. */
export interface SealedEntry {
  position: number
  source: string
  source_id: string
  xid: string
  at: number
  digest: Buffer
  /** Null: erased with its entry. */
  salt: Buffer | null
}

/** Entries from a position on. */
export const readSealed = async (q: GlobalQueryable, range: SealedRange): Promise<SealedEntry[]> =>
  (
    await q.query<SealedEntry>(
      `select e.position, e.source, e.source_id, e.xid::text as xid, e.at, e.digest, s.salt
       from sealed_entries e left join sealed_salts s using (client_id, position)
       where e.client_id = $1 and e.position >= $2 and e.position < $3 order by e.position`,
      [range.client_id, range.from, range.to],
    )
  ).rows

interface SealedRange {
  client_id: number
  from: number
  to: number
}

/** The position of an entry of a source; undefined: it has none yet. */
export const findPosition = async (
  q: Queryable,
  source: string,
  source_id: string,
): Promise<number | undefined> =>
  (
    await q.query<{ position: number }>(
      'select position from sealed_entries where client_id = $1 and source = $2 and source_id = $3',
      [q.client_id, source, source_id],
      'sealed_position',
    )
  ).rows[0]?.position

/** The fields of sealed entries as their tables have them now, by source and key. Missing ones were removed. */
export async function readFields(
  q: GlobalQueryable,
  client_id: number,
  entries: readonly SealedEntry[],
): Promise<Map<string, unknown>> {
  const found = new Map<string, unknown>()
  for (const source of SEALED_SOURCES) {
    const mine = entries.filter((entry) => entry.source === source.table)
    if (mine.length === 0) continue
    const times = mine.map(({ at }) => at)
    // The times narrow it to few partitions of the audit logs, the transactions to the key of the histories.
    const { rows } = await q.query<SourceEntry>(
      `select ${entryColumns(source)} from ${source.table} r
       where r.client_id = $1 and r.${source.id}::text = any($2) and r.${source.at} between $3 and $4 and r.xid = any($5::text[]::xid8[])`,
      [
        client_id,
        mine.map(({ source_id }) => source_id),
        Math.min(...times),
        Math.max(...times),
        [...new Set(mine.map(({ xid }) => xid))],
      ],
    )
    for (const row of rows) found.set(nameOf(row), row.fields)
  }
  return found
}

/** Names an entry of a source. */
export const nameOf = ({ source, source_id }: Pick<SealedEntry, 'source' | 'source_id'>): string =>
  `${source} ${source_id}`

/** Entries before the checkpoint's transactions that have no position: `subject`. */
export const UNSEALED_BEFORE = SEALED_SOURCES.map(
  ({ table, id }) => `
  select '${table} ' || r.${id} as subject from ${table} r
  where r.client_id = $1 and r.xid < $2::text::xid8
    and not exists (select from sealed_entries e where e.client_id = $1 and e.source = '${table}' and e.source_id = r.${id}::text)`,
).join(' union all ')

/** The text of a stored entry's leaf. */
export const leafOf = ({ source, at, digest }: Pick<SealedEntry, 'source' | 'at' | 'digest'>): string => {
  const leaf: Leaf = { source, at, digest: digest.toString('hex') }
  return formatLeaf(leaf)
}

/** Reads the tree of a client: leaves of entries, and stored nodes above them. */
export const nodesOf =
  (q: GlobalQueryable, client_id: number): ReadNodes =>
  async (level, from, count) => {
    if (level === 0) {
      const { rows } = await q.query<SealedEntry>(
        `select source, at, digest from sealed_entries
         where client_id = $1 and position >= $2 and position < $3 order by position`,
        [client_id, from, from + count],
        'sealed_leaves',
      )
      return rows.map((row) => leafHash(sha256, utf8(leafOf(row))))
    }
    const { rows } = await q.query<{ hash: Buffer }>(
      'select hash from sealed_nodes where client_id = $1 and level = $2 and index >= $3 and index < $4 order by index',
      [client_id, level, from, from + count],
      'sealed_nodes',
    )
    return rows.map(({ hash }) => hash)
  }

/** The name of a client's log. */
export const originOf = (client: string): string => `custodia/${client}`

/** The keys that sign checkpoints of a client, by the name that the key provider gives them. */
export async function noteKeys(
  keys: Pick<KeyProvider, 'verificationKeys'>,
  client: string,
): Promise<Map<string, NoteKey>> {
  const listed = await keys.verificationKeys()
  return new Map(
    listed.map(({ key_id, public_key_pem }) => {
      const der = createPublicKey(public_key_pem).export({ format: 'der', type: 'spki' })
      return [key_id, { name: originOf(client), algorithm: 'Ed25519', public_key: der.subarray(-32) }]
    }),
  )
}

/** The keys of a client's log as text, oldest first. */
export const keyTexts = (keys: ReadonlyMap<string, NoteKey>): string[] =>
  [...keys.values()].map((key) => formatKey(sha256, key))

/** DER of a public Ed25519 key, before its 32 bytes. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** Ed25519 of Node. */
export const verifyEd25519: VerifyEd25519 = (public_key, message, signature) =>
  verify(
    null,
    message,
    createPublicKey({ key: Buffer.concat([SPKI, public_key]), format: 'der', type: 'spki' }),
    signature,
  )

/** The checkpoint of a note that one of the keys signed. */
export function openCheckpoint(note: string, keys: readonly NoteKey[]): Checkpoint | undefined {
  const text = openNote(sha256, verifyEd25519, note, keys)
  return text === undefined ? undefined : parseCheckpoint(text)
}
