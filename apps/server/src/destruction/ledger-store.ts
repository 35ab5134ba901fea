import type { RetentionRule } from '@custodia/domain'
import { CLOCK, getHoldPeriods, getSubjects } from '../held-records/store.ts'
import { newId } from '../http/new-id.ts'
import { STATE_CODES } from '../payload-records/codes.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** Why a payload is due: policy version, entry, and the required receipts and deliveries. */
export interface Cause {
  policy_version: number
  rule: RetentionRule
  receipts: readonly string[]
  transfers: readonly string[]
}

/** Writes the ledger while keys and people of the payloads are still known. */
export async function writeLedger(
  tx: Tx,
  payload_ids: readonly number[],
  { causes, run_id, by }: { causes: ReadonlyMap<number, Cause>; run_id: string; by: string },
): Promise<void> {
  const subjects = await getSubjects(tx, payload_ids)
  const periods = await getHoldPeriods(tx, payload_ids)
  const facts = payload_ids.flatMap((payload_id) => {
    const cause = causes.get(payload_id)
    if (!cause) return []
    const { policy_version, rule, receipts, transfers } = cause
    return {
      payload_id,
      policy_version,
      rule,
      gates: {
        receipts: rule.required_receipts.filter((name) => receipts.includes(name)),
        transfers: rule.required_transfers.filter((name) => transfers.includes(name)),
      },
      people_checked: subjects.get(payload_id)?.length ?? 0,
      holds_ended: periods.get(payload_id)?.length ?? 0,
    }
  })
  await tx.query(LEDGER, [tx.client_id, JSON.stringify(facts), run_id, by])
}

const LEDGER = `
  insert into destruction_ledger (client_id, payload_id, payload_reference, run_id, type, payload_time, announced_at, processed_at, deleted_at,
    deleted_from, destroyed_at, destroyed_by, checksum, digests, policy_version, rule, gates, people_checked, holds_ended, keys)
  select p.client_id, p.payload_id, p.payload_reference, $3, p.type, p.payload_time, p.announced_at, p.processed_at,
    (select max(y.at) from payload_history y where y.client_id = p.client_id and y.payload_id = p.payload_id
      and y.to_state = ${STATE_CODES.Deleted}),
    p.state_before_deletion, ${CLOCK}, $4, encode(e.checksum, 'hex'), coalesce(o.digests, '[]'), x.policy_version, x.rule, x.gates, x.people_checked, x.holds_ended,
    coalesce(o.keys, 0)
  from jsonb_to_recordset($2::jsonb) as x(payload_id bigint, policy_version int, rule jsonb, gates jsonb, people_checked int, holds_ended int)
  join payloads p on p.client_id = $1 and p.payload_id = x.payload_id left join payload_envelopes e on e.payload_id = p.payload_id
  cross join lateral (
    select jsonb_agg(jsonb_build_object('kind', kind, 'size', size, 'sealed_size', sealed_size, 'checksum', checksum)
        || case when version_id is null then '{}' else jsonb_build_object('version_id', version_id) end order by kind) as digests,
      count(wrapped_dek)::int as keys
    from payload_objects o where o.client_id = p.client_id and o.payload_id = p.payload_id) o`

/** Stores the keys and objects to remove. This is the only list of where such keys are. */
export async function writeIntents(tx: Tx, payload_ids: readonly number[]): Promise<void> {
  await tx.query(INTENTS, [tx.client_id, payload_ids])
}

/** Names of all keys of these payloads. */
export async function findKeyNames(
  q: Queryable,
  payload_ids: readonly number[],
): Promise<Map<number, Buffer[]>> {
  const { rows } = await q.query<{ payload_id: number; names: Buffer[] }>(
    `select id as payload_id, ${KEY_NAMES} as names from unnest($2::bigint[]) id`,
    [q.client_id, payload_ids],
  )
  return new Map(rows.map(({ payload_id, names }) => [payload_id, names]))
}

const KEY_NAMES = `array(
      select wrapped_dek from payload_objects where client_id = $1 and payload_id = id and wrapped_dek is not null
      union all select dek_key from payload_envelopes where client_id = $1 and payload_id = id and dek_key is not null
      union all select wrapped_key from payload_comments where client_id = $1 and payload_id = id and wrapped_key is not null
      union all select wrapped_key from payload_marks where client_id = $1 and payload_id = id and wrapped_key is not null)`

const INTENTS = `
  insert into destruction_intents (client_id, payload_id, key_names, object_keys, since)
  select $1, id, ${KEY_NAMES},
    array(select object_key from payload_objects where client_id = $1 and payload_id = id order by kind), ${CLOCK}
  from unnest($2::bigint[]) id`

/** Deletes table rows of destroyed payloads that are in the ledger. */
export async function forgetPayloads(tx: Tx, payload_ids: readonly number[]): Promise<void> {
  await tx.query('select erase_payloads($1)', [payload_ids])
}

/** Remaining work of a destroyed payload. */
export interface Intent {
  payload_id: number
  payload_reference: string
  key_names: Buffer[]
  object_keys: string[]
}

/** Intents of the tenant, oldest payloads first. */
export function findIntents(
  q: Queryable,
  { after, limit }: { after: number; limit: number },
): Promise<Intent[]> {
  return q.rows<Intent>(
    `select i.payload_id, l.payload_reference, i.key_names, i.object_keys from destruction_intents i join destruction_ledger l using (client_id, payload_id)
     where i.client_id = $1 and i.payload_id > $2 order by i.payload_id limit $3`,
    [q.client_id, after, limit],
  )
}

/** Marks payloads as finished with their number of objects. Idempotent. */
export async function endIntents(tx: Tx, objects: ReadonlyMap<number, number>): Promise<void> {
  await tx.query(
    `with seen as (select * from unnest($2::bigint[], $3::int[]) as x(payload_id, objects)),
     ended as (delete from destruction_intents i using seen where i.client_id = $1 and i.payload_id = seen.payload_id
       returning i.payload_id, i.file, seen.objects)
     insert into destruction_ends (client_id, payload_id, ended_at, objects, file) select $1, payload_id, ${CLOCK}, objects, file from ended`,
    [tx.client_id, [...objects.keys()], [...objects.values()]],
  )
}

/** Number of unfinished destructions and the time of the oldest. */
export async function findUnfinished(q: Queryable): Promise<{ count: number; since: number | null }> {
  const { rows } = await q.query<{ count: number; since: number | null }>(
    'select count(*)::int as count, min(since) as since from destruction_intents where client_id = $1',
    [q.client_id],
  )
  return rows[0] ?? { count: 0, since: null }
}

/**
 * Finds or opens the run of the account, which stays open during the transaction. Call it before locking payloads,
 * because opening waits for other transactions.
 */
export async function openRun(tx: Tx): Promise<string> {
  // A run that ended between the two statements is retried.
  for (let attempt = 0; attempt < 5; attempt++) {
    await tx.query(
      `insert into destruction_runs (client_id, run_id, began_at) select $1, $2, ${CLOCK}
       where not exists (select from destruction_runs where client_id = $1 and ended_at is null) on conflict do nothing`,
      [tx.client_id, newId()],
    )
    const { rows } = await tx.query<{ run_id: string }>(
      'select run_id from destruction_runs where client_id = $1 and ended_at is null for share',
      [tx.client_id],
    )
    if (rows[0]) return rows[0].run_id
  }
  throw new Error('No destruction run stays open.')
}

/** Ends the open run when no pass has work left, or after a day. */
export async function endRun(tx: Tx, { longest }: { longest: number }): Promise<void> {
  const { rows } = await tx.query<{ run_id: string }>(
    'select run_id from destruction_runs where client_id = $1 and ended_at is null for update',
    [tx.client_id],
  )
  if (rows.length === 0) return
  // A separate statement sees a pass that started during the wait.
  await tx.query(
    `update destruction_runs r set ended_at = ${CLOCK},
       payloads = (select count(*) from destruction_ledger l where l.client_id = $1 and l.run_id = r.run_id)
     where client_id = $1 and ended_at is null
       and (began_at < ${CLOCK} - $2::bigint or not exists (
         select from retention_positions where client_id = $1 and act = 'destroy' and ended_at is null))`,
    [tx.client_id, longest],
  )
}
