import { deleteWhateverHolds, type Doing, take } from '../payloads/deletion-store.ts'
import { CLOCK } from '../legal-holds/store.ts'
import { destructionOf } from '@custodia/domain'
import type { GlobalQueryable, GlobalTx, Queryable, Tx } from '../ports/database/lease.ts'
import type { Mark } from '../ports/keys/ledger/files.ts'
import { forgetPayloads, writeIntents } from './ledger-store.ts'

/** Who stands in the history of a payload that was destroyed once more, because the ledger outside says so. */
export const REPLAY = 'ledger'

/** A line of the ledger outside about a payload: the client by its name, and the row as it was. Others are about certificates (`CertificateLine`). */
export interface OutsideLine {
  client: string
  payload_reference: string
}

/** What is destroyed and not yet noted outside: its id and the line. */
export async function findUnnoted(
  q: Queryable,
  client: string,
  payload_ids: readonly number[],
): Promise<{ payload_id: number; line: string }[]> {
  const { rows } = await q.query<{ payload_id: number; line: string }>(
    `select payload_id, (to_jsonb(l) || jsonb_build_object('client', $3::text))::text as line
     from destruction_intents i join destruction_ledger l using (client_id, payload_id)
     where i.client_id = $1 and i.payload_id = any($2) and i.file is null order by payload_id`,
    [q.client_id, payload_ids, client],
    'destruction_unnoted',
  )
  return rows
}

/** Notes in which file these stand. */
export async function setFile(tx: Tx, payload_ids: readonly number[], file: string): Promise<void> {
  await tx.query(
    'update destruction_intents set file = $3 where client_id = $1 and payload_id = any($2) and file is null',
    [tx.client_id, payload_ids, file],
    'destruction_file',
  )
}

/** How much of each file the database has. */
export async function readMarks(q: GlobalQueryable): Promise<Map<string, Mark>> {
  const { rows } = await q.query<Mark>('select file, bytes, hash from destruction_files')
  return new Map(rows.map((mark) => [mark.file, mark]))
}

/** Notes how much of a file the database has. */
export async function setMark(tx: GlobalTx, { file, bytes, hash }: Mark): Promise<void> {
  await tx.query(
    `insert into destruction_files (file, bytes, hash) values ($1, $2, $3)
     on conflict (file) do update set bytes = excluded.bytes, hash = excluded.hash where destruction_files.bytes < excluded.bytes`,
    [file, bytes, hash],
    'destruction_mark',
  )
}

/**
 * Destroys once more what lines of the tenant say is destroyed, whatever keeps it here: its keys are gone. Resolves to how many were destroyed,
 * and how many must wait until they are at rest.
 */
export async function replayLines(
  tx: Tx,
  lines: ReadonlyMap<string, OutsideLine>,
): Promise<{ destroyed: number; waiting: number }> {
  const { rows } = await tx.query<{ payload_id: number; payload_reference: string; now: number }>(
    `select payload_id, payload_reference, ${CLOCK} as now from payloads p where client_id = $1 and payload_reference = any($2)
       and not exists (select from destruction_ledger l where l.client_id = p.client_id and l.payload_id = p.payload_id)`,
    [tx.client_id, [...lines.keys()]],
    'replay_find',
  )
  const [first] = rows
  if (!first) return { destroyed: 0, waiting: 0 }
  const doing: Doing = { now: Number(first.now), by: REPLAY }
  const ids = rows.map(({ payload_id }) => payload_id)
  await deleteWhateverHolds(tx, ids, doing)
  const taken = new Set((await take(tx, ids, destructionOf, doing)).map(({ payload_id }) => payload_id))
  const again = rows.flatMap(({ payload_id, payload_reference }) =>
    taken.has(payload_id) ? { payload_id, line: lines.get(payload_reference) } : [],
  )
  if (again.length > 0) {
    const said = JSON.stringify(again)
    await tx.query(RUNS, [tx.client_id, said], 'replay_runs')
    await tx.query(LINES, [tx.client_id, said], 'replay_lines')
    await writeIntents(tx, [...taken])
    await forgetPayloads(tx, [...taken])
  }
  return { destroyed: taken.size, waiting: rows.length - taken.size }
}

const RUNS = `
  insert into destruction_runs (client_id, run_id, began_at, ended_at)
  select $1, x.line ->> 'run_id', min((x.line ->> 'destroyed_at')::bigint), max((x.line ->> 'destroyed_at')::bigint)
  from jsonb_to_recordset($2::jsonb) as x(payload_id bigint, line jsonb) group by 2 on conflict do nothing`

const LINES = `
  insert into destruction_ledger select r.* from jsonb_to_recordset($2::jsonb) as x(payload_id bigint, line jsonb)
  cross join lateral jsonb_populate_record(null::destruction_ledger,
    x.line || jsonb_build_object('client_id', $1::int, 'payload_id', x.payload_id, 'replayed_at', ${CLOCK})) r`
