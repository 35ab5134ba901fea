import { getDestruction } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { CLOCK } from '../held-records/store.ts'
import { deleteWhateverHolds, type DeletionContext, take } from '../payloads/deletion-store.ts'
import type { GlobalQueryable, GlobalTx, Queryable, Tx } from '../ports/database/lease.ts'
import type { Mark } from '../ports/keys/ledger/files.ts'
import { findKeyNames, forgetPayloads, writeIntents } from './ledger-store.ts'

/** Actor of a destruction that was replayed from the keystore's ledger. */
export const REPLAY = 'ledger'

/** A ledger line of a payload: client name and row. Certificates have their own lines (`CertificateLine`). */
export interface OutsideLine {
  client: string
  payload_reference: string
  destroyed_at: number
}

/** Lines that are not yet in the keystore's ledger. */
export function findUnnoted(q: Queryable, client: string, payload_ids: readonly number[]): Promise<string[]> {
  return q.column<string>(
    `select (to_jsonb(l) - 'xid' || jsonb_build_object('client', $3::text))::text as line
     from destruction_intents i join destruction_ledger l using (client_id, payload_id)
     where i.client_id = $1 and i.payload_id = any($2) and i.file is null order by payload_id`,
    [q.client_id, payload_ids, client],
  )
}

/** Stores the ledger file of these payloads. */
export async function setFile(tx: Tx, payload_ids: readonly number[], file: string): Promise<void> {
  await tx.query(
    'update destruction_intents set file = $3 where client_id = $1 and payload_id = any($2) and file is null',
    [tx.client_id, payload_ids, file],
  )
}

/** How much of each file the database knows. */
export async function readMarks(q: GlobalQueryable): Promise<Map<string, Mark>> {
  const { rows } = await q.query<Mark>('select file, bytes, hash from destruction_files')
  return new Map(rows.map((mark) => [mark.file, mark]))
}

/** Stores how much of a file the database knows. */
export async function setMark(tx: GlobalTx, { file, bytes, hash }: Mark): Promise<void> {
  await tx.query(
    `insert into destruction_files (file, bytes, hash) values ($1, $2, $3)
     on conflict (file) do update set bytes = excluded.bytes, hash = excluded.hash where destruction_files.bytes < excluded.bytes`,
    [file, bytes, hash],
  )
}

/** Payloads by the result of a replay. */
export interface ReplayCounts {
  destroyed: number
  /** Still in processing; retried later. */
  waiting: number
  /** With all keys: retention decides again. */
  kept: number
  /** Unknown to this database. */
  unknown: number
}

/**
 * Destroys payloads of ledger lines again whose keys are gone. One with all keys stays: its destruction never committed,
 * or the database is from before it. Retention destroys it if it is still due and neither held nor paused.
 */
export async function replayLines(
  tx: Tx,
  keys: Pick<AppContext['keys'], 'missing'>,
  lines: ReadonlyMap<string, OutsideLine>,
  file: string,
): Promise<ReplayCounts> {
  const { rows } = await tx.query<{
    payload_id: number
    payload_reference: string
    is_known: boolean
    now: number
  }>(
    `select payload_id, payload_reference, ${CLOCK} as now, exists (
       select from destruction_ledger l where l.client_id = p.client_id and l.payload_id = p.payload_id) as is_known
     from payloads p where client_id = $1 and payload_reference = any($2)`,
    [tx.client_id, [...lines.keys()]],
  )
  const unknown = lines.size - rows.length
  const left = rows.filter(({ is_known }) => !is_known)
  const [first] = left
  if (!first) return { destroyed: 0, waiting: 0, kept: 0, unknown }
  const doing: DeletionContext = { now: Number(first.now), by: REPLAY }
  const ids = left.map(({ payload_id }) => payload_id)
  const kept = new Set(await getOpenable(tx, keys, ids))
  const going = ids.filter((id) => !kept.has(id))
  await deleteWhateverHolds(tx, going, doing)
  const taken = new Set((await take(tx, going, getDestruction, doing)).map(({ payload_id }) => payload_id))
  const again = left.flatMap(({ payload_id, payload_reference }) =>
    taken.has(payload_id) ? { payload_id, line: lines.get(payload_reference) } : [],
  )
  if (again.length > 0) {
    const stated = JSON.stringify(again)
    await tx.query(RUNS, [tx.client_id, stated])
    await tx.query(LINES, [tx.client_id, stated])
    await writeIntents(tx, [...taken])
    await setFile(tx, [...taken], file)
    await forgetPayloads(tx, [...taken])
  }
  return { destroyed: taken.size, waiting: going.length - taken.size, kept: kept.size, unknown }
}

/** Payloads with all keys present. */
async function getOpenable(
  tx: Tx,
  keys: Pick<AppContext['keys'], 'missing'>,
  payload_ids: readonly number[],
): Promise<number[]> {
  const named = await findKeyNames(tx, payload_ids)
  const hex = (name: Buffer) => name.toString('hex')
  const gone = new Set((await keys.missing([...named.values()].flat())).map(hex))
  return payload_ids.filter((id) => !(named.get(id) ?? []).some((name) => gone.has(hex(name))))
}

const RUNS = `
  insert into destruction_runs (client_id, run_id, began_at, ended_at)
  select $1, x.line ->> 'run_id', min((x.line ->> 'destroyed_at')::bigint), max((x.line ->> 'destroyed_at')::bigint)
  from jsonb_to_recordset($2::jsonb) as x(payload_id bigint, line jsonb) group by 2 on conflict do nothing`

const LINES = `
  insert into destruction_ledger select r.* from jsonb_to_recordset($2::jsonb) as x(payload_id bigint, line jsonb)
  cross join lateral jsonb_populate_record(null::destruction_ledger,
    x.line || jsonb_build_object('client_id', $1::int, 'payload_id', x.payload_id, 'replayed_at', ${CLOCK}, 'xid', pg_current_xact_id()::text)) r`
