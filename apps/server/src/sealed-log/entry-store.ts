import type { SealedEntry as DisclosedEntry } from '@custodia/contract'
import type { Access } from '@custodia/domain'
import { formatLeaf, leafHash, type Leaf, type ReadNodes, utf8 } from '@custodia/sealed-log'
import type { GlobalQueryable, Queryable } from '../ports/database/lease.ts'
import { sha256 } from './notes.ts'
import {
  entryColumns,
  getEntry,
  type EntryRow,
  getId,
  isEntryOf,
  isWithin,
  getName,
  ofTransaction,
  SEALED_SOURCES,
  sealedFields,
} from './sources.ts'

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
      `select e.position, e.source, e.source_id, e.xid::text as xid, e.at, e.digest, e.salt
       from sealed_entries e where e.client_id = $1 and ${isWithin('$2', '$3')} order by e.position`,
      [range.client_id, range.from, range.to],
    )
  ).rows

interface SealedRange {
  client_id: number
  from: number
  to: number
}

/** The position of an entry of an audit log; undefined: it has none yet. */
export async function findPosition(q: Queryable, table: string, log_id: string): Promise<number | undefined> {
  const source = SEALED_SOURCES.find((each) => each.table === table)
  if (!source) throw new Error(`${table} is not sealed`)
  return q.value<number>(
    `select e.position from ${table} r join sealed_entries e on ${isEntryOf(source)} and ${ofTransaction('r.xid')}
     where r.client_id = $1 and r.log_id = $2`,
    [q.client_id, log_id],
  )
}

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
    const { rows } = await q.query<EntryRow>(
      `select ${entryColumns(source)} from ${source.table} r
       where r.client_id = $1 and ${getId(source)} = any($2) and r.${source.at} between $3 and $4 and r.xid = any($5::text[]::xid8[])`,
      [
        client_id,
        mine.map(({ source_id }) => source_id),
        Math.min(...times),
        Math.max(...times),
        [...new Set(mine.map(({ xid }) => xid))],
      ],
      'unprepared',
    )
    for (const row of rows) found.set(getName(row), getEntry(row).fields)
  }
  return found
}

/** The action that shows the fields of entries; other entries need the whole account. */
const ACTION_OF: Readonly<Record<string, string>> = {
  portal_activities: 'activities:list',
  device_activities: 'device_activities:list',
}

/** Entries as the reader may see them. */
export async function withFields(
  q: Queryable,
  access: Access,
  entries: readonly SealedEntry[],
): Promise<DisclosedEntry[]> {
  const fields = await readFields(q, q.client_id, entries)
  return entries.map((entry) => {
    const { position, salt } = entry
    const sealed = { position, leaf: getLeaf(entry) }
    const own = sealedFields(fields.get(getName(entry))) as Record<string, unknown> | undefined
    if (salt === null || own === undefined || !isReadable(access, entry.source, own)) return sealed
    return { ...sealed, salt: salt.toString('hex'), fields: own }
  })
}

function isReadable(access: Access, source: string, { group_id }: Record<string, unknown>): boolean {
  const action = ACTION_OF[source]
  if (action === undefined) return access.groups('activities:list') === 'all'
  return access.permits(action, { group_id: group_id as number | null })
}

/** Entries before the checkpoint's transactions that have no position: `subject`. */
export const UNSEALED_BEFORE = SEALED_SOURCES.map((source) => {
  const { table } = source
  return `
  select '${table} ' || ${getId(source)} as subject from ${table} r
  where r.client_id = $1 and (r.xid < $2::text::xid8 or r.xid >= pg_snapshot_xmax(pg_current_snapshot()))
    and not exists (select from sealed_entries e where ${isEntryOf(source)})`
}).join(' union all ')

/** The text of a stored entry's leaf. */
export const getLeaf = ({ source, at, digest }: Pick<SealedEntry, 'source' | 'at' | 'digest'>): string => {
  const leaf: Leaf = { source, at, digest: digest.toString('hex') }
  return formatLeaf(leaf)
}

/** Reads the tree of a client: leaves of entries, and stored nodes above them. */
export const getNodes =
  (q: GlobalQueryable, client_id: number): ReadNodes =>
  async (level, from, count) => {
    if (level === 0) {
      const { rows } = await q.query<SealedEntry>(
        `select source, at, digest from sealed_entries e
         where client_id = $1 and ${isWithin('$2', '$3')} order by position`,
        [client_id, from, from + count],
      )
      return rows.map((row) => leafHash(sha256, utf8(getLeaf(row))))
    }
    return q.column<Buffer>(
      'select hash from sealed_nodes where client_id = $1 and level = $2 and index >= $3 and index < $4 order by index',
      [client_id, level, from, from + count],
    )
  }
