import { decideRecord, type PolicyVersion, soonestOfRecords } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { lockAgainst } from '../../held-records/store.ts'
import { systemEntry } from '../../http/audit-entry.ts'
import { RETENTION } from '../../http/context.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { isPaused, readClock, sharePolicies } from '../engine-store.ts'
import { allPolicies } from '../store.ts'
import { RETAINED_KINDS } from './fleet-store.ts'
import { SELF_EXPIRING_KINDS, type SelfExpiringKind, type RecordKind, getStage } from './kind-store.ts'
import {
  destroyRecords,
  findDependentRows,
  findOldestRecords,
  type FoundRecord,
  lockRecords,
  noteRecordPosition,
  subjectsOfRecords,
  takeRecordPosition,
} from './record-store.ts'

/** Maximum number of records per transaction. */
const BATCH = 500
/** Seconds after which a pass restarts, to check skipped records again. */
const DAY = 86_400

type Parts = Pick<AppContext, 'db' | 'audit'>
interface Client {
  client_id: number
  client: string
}

/**
 * Destroys due records and deletes unused devices and users, by kind, oldest first. Each batch commits with its audit
 * entry and position. Resolves to the number.
 */
export async function destroyDueRecords(parts: Parts, client: Client, signal: AbortSignal): Promise<number> {
  let destroyed = 0
  for (const kind of [...RETAINED_KINDS, ...SELF_EXPIRING_KINDS]) {
    for (let hasMore = true; hasMore;) {
      signal.throwIfAborted()
      const done = await parts.db.write(client.client_id, (tx) => step(parts, tx, client, kind))
      destroyed += done.destroyed
      hasMore = done.hasMore
    }
  }
  return destroyed
}

const NO_RECORDS: { gone: FoundRecord[]; references?: string[] } = { gone: [] }
const NOTHING = { destroyed: 0, hasMore: false }

async function step(
  { audit }: Pick<Parts, 'audit'>,
  tx: Tx,
  client: Client,
  kind: RecordKind | SelfExpiringKind,
): Promise<{ destroyed: number; hasMore: boolean }> {
  await sharePolicies(tx)
  if (await isPaused(tx)) return NOTHING
  const versions = await allPolicies(tx)
  const days = isOwn(kind) ? kind.days : soonestOfRecords(versions, kind.follows, getStage(kind))
  if (days === undefined) return NOTHING
  const now = await readClock(tx)
  const position = await takeRecordPosition(tx, kind, { now, anew: DAY })
  if (position === undefined) return NOTHING
  const limit = kind.batch ?? BATCH
  const found = await findOldestRecords(tx, kind, { after: position, until: now - days * DAY, limit })
  const due = found.filter((record) => isDue(kind, record, versions, now))
  const { gone, references } = due.length > 0 ? await deleteBatch(tx, kind, due, versions) : NO_RECORDS
  if (gone.length > 0) {
    const by = isOwn(kind)
      ? { kept_days: kind.days }
      : { policy_version: versions.at(-1)?.policy_version ?? 0 }
    const until = Math.max(...gone.map(({ recorded_at, received_at }) => Math.max(recorded_at, received_at)))
    const facts = { ...by, until, [references ? 'deleted' : 'destroyed']: gone.length, references }
    await audit.appendWithin(
      tx,
      systemEntry(client, { at: await readClock(tx), by: RETENTION }, kind.action, facts),
    )
  }
  const hasMore = found.length === limit
  const last = found.at(-1)
  await noteRecordPosition(tx, kind, {
    at: last?.recorded_at ?? position.at,
    key: last?.key ?? position.key,
    began_at: position.began_at,
    ended_at: hasMore ? null : now,
  })
  return { destroyed: gone.length, hasMore }
}

/** Locks subjects and records, so that no hold or reassignment happens before the end. */
async function deleteBatch(
  tx: Tx,
  kind: RecordKind | SelfExpiringKind,
  due: readonly FoundRecord[],
  versions: readonly PolicyVersion[],
): Promise<{ gone: FoundRecord[]; references?: string[] }> {
  const keys = due.map(({ key }) => key)
  const holds = await lockAgainst(tx, keys, () => subjectsOfRecords(tx, kind, due))
  const dependentRows = await findDependentRows(tx, kind, due)
  await kind.with?.before?.(tx, dependentRows)
  const locked = await lockRecords(tx, kind, due)
  const free = await holds.free()
  const now = await readClock(tx)
  const going = locked.filter((record) => free.has(record.key) && isDue(kind, record, versions, now))
  if (going.length === 0) return NO_RECORDS
  if ('deletes' in kind && kind.deletes) {
    const ids = going.map((record) => Number(record.key))
    return {
      gone: going,
      references: await kind.deletes(tx, ids, { updated_at: now, updated_by: RETENTION }),
    }
  }
  const destroyed = await destroyRecords(tx, kind, going)
  if (destroyed !== going.length)
    throw new Error(`${destroyed} of ${kind.table} would go instead of ${going.length}.`)
  await kind.with?.after(tx, dependentRows, now)
  return { gone: going }
}

const isOwn = (kind: RecordKind | SelfExpiringKind): kind is SelfExpiringKind => 'days' in kind

/** A self-expiring record is due at its own end. */
const isDue = (
  kind: RecordKind | SelfExpiringKind,
  { recorded_at, received_at }: FoundRecord,
  versions: readonly PolicyVersion[],
  now: number,
) => {
  if (isOwn(kind)) return now >= Math.max(recorded_at, received_at) + kind.days * DAY
  const { follows } = kind
  const stage = getStage(kind)
  const record = {
    follows,
    recorded_at: stage === 'record' ? recorded_at : received_at,
    received_at,
    ...(stage === 'ended' && { ended_at: recorded_at }),
    ...(stage === 'deleted' && { deleted_at: recorded_at }),
  }
  return decideRecord(record, { versions, holds: [] }, now).verdict !== 'keep'
}
