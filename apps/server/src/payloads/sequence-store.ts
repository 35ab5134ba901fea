import {
  LATE_AFTER_SECONDS,
  type PayloadMeta,
  type Sequence,
  type SequenceGap,
  type StatementSummary,
} from '@custodia/contract'
import { STATE_CODES, typeOfCode } from '../payload-records/codes.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { SealedMetadata } from './sealed-metadata-store.ts'

/** Notes the places of payloads whose metadata has one. */
export async function noteSequence(
  tx: Tx,
  items: readonly { subject: { payload_id: number }; metadata: PayloadMeta }[],
  now: number,
): Promise<void> {
  const places = items.flatMap(({ subject: { payload_id }, metadata: { sequence } }) =>
    sequence ? [{ payload_id, ...sequence }] : [],
  )
  if (places.length === 0) return
  await tx.query(
    `insert into payload_sequence (client_id, device_id, chain_id, type, seq, payload_id, hash, prev_hash, noted_at)
     select p.client_id, p.device_id, x.chain_id, p.type, x.seq, p.payload_id, sha256(e.sealed_meta), decode(x.prev_hash, 'hex'), $3
     from json_to_recordset($2::json) as x(payload_id bigint, chain_id text, seq int, prev_hash text)
     join payloads p on p.client_id = $1 and p.payload_id = x.payload_id join payload_envelopes e on e.payload_id = p.payload_id
     on conflict do nothing`,
    [tx.client_id, JSON.stringify(places), now],
  )
}

/** Payloads announced before a time whose metadata was not opened yet, the newest first. */
export function findUnopened(
  q: Queryable,
  { before, limit }: { before: number; limit: number },
): Promise<SealedMetadata[]> {
  return q.rows<SealedMetadata>(
    `select p.payload_id, c.client, p.payload_reference, p.type, e.key_id, k.key_id is not null as is_own_key, e.encrypted_dek, e.dek_key,
       null as wrapped_dek, e.iv, e.sealed_meta
     from payload_work w join payloads p using (client_id, payload_id) join clients c using (client_id)
     join payload_envelopes e on e.payload_id = p.payload_id
     left join client_keys k on k.key_id = e.key_id and k.client_id = p.client_id
     where w.client_id = $1 and p.announced_at < $3 and p.state <> ${STATE_CODES.Destroyed} and not exists (
       select from payload_sequence s where s.client_id = p.client_id and s.payload_id = p.payload_id)
     order by w.payload_id desc limit $2`,
    [q.client_id, limit, before],
  )
}

/** A place of an announced payload. */
export type QueuedPlace = Pick<Sequence, 'chain_id' | 'seq'> & { payload_id: number }

/** Figures and gaps before a time. */
export type Completeness = Pick<
  StatementSummary,
  'recorded' | 'archived' | 'queued' | 'explained' | 'missing' | 'contradictory'
> & { gaps: SequenceGap[] }

type GapRow = Omit<SequenceGap, 'payload_type'> & { type: number }

/**
 * What devices recorded and the archive has. Counts what was noted before `before`, and announced payloads as queued.
 * A gap is explained where its device went on with another installation within the days that an upload may take: what
 * the former one still kept is lost.
 */
export async function readCompleteness(
  q: Queryable,
  queued: readonly QueuedPlace[],
  { before, limit }: { before: number; limit: number },
): Promise<Completeness> {
  const row = await q.row<Omit<Completeness, 'gaps'> & { gaps: GapRow[] }>(COMPLETENESS, [
    q.client_id,
    JSON.stringify(queued),
    before,
    limit,
  ])
  if (!row) throw new Error('an aggregate returned no row')
  return { ...row, gaps: row.gaps.map(({ type, ...gap }) => ({ ...gap, payload_type: typeOfCode(type) })) }
}

// One pass in the order of the primary key; payloads are read for gaps and chains only. An island is a run of archived numbers.
const COMPLETENESS = `
  with ordered as materialized (
    select device_id, chain_id, type, seq, payload_id, lag(seq) over w as former, lag(payload_id) over w as former_id,
      case when lag(seq) over w = seq then 1
        when coalesce(lag(seq) over w, 0) = seq - 1 and lag(hash) over w is distinct from prev_hash then 1 else 0 end as contradictory
    from payload_sequence where client_id = $1 and noted_at < $3 window w as (partition by device_id, chain_id, type order by seq, payload_id)
  ), chains as (
    select device_id, chain_id, type, max(seq) as top, min(payload_id) as first_id, max(payload_id) as last_id,
      count(*) filter (where former is distinct from seq) as archived, sum(contradictory) as contradictory from ordered group by 1, 2, 3
  ), islands as (
    select o.device_id, o.chain_id, o.type, o.seq as first, coalesce(lead(o.former) over w, c.top) as last, o.payload_id, o.former_id
    from ordered o join chains c using (device_id, chain_id, type) where o.former is null or o.seq - 1 > o.former
    window w as (partition by o.device_id, o.chain_id, o.type order by o.seq)
  ), coming as (
    select distinct p.device_id, x.chain_id, p.type, x.seq from json_to_recordset($2::json) as x(payload_id bigint, chain_id text, seq int)
    join payloads p on p.client_id = $1 and p.payload_id = x.payload_id
    where exists (select from chains c where (c.device_id, c.chain_id) = (p.device_id, x.chain_id))
      and not exists (select from islands i where (i.device_id, i.chain_id, i.type) = (p.device_id, x.chain_id, p.type) and x.seq between i.first and i.last)
  ), known as (
    select device_id, chain_id, type, first, last, payload_id, former_id from islands union all select device_id, chain_id, type, seq, seq, null, null from coming
  ), placed as (
    select device_id, chain_id, type, first, payload_id, former_id,
      coalesce(lag(last) over (partition by device_id, chain_id, type order by first), 0) as former from known
  ), installations as (
    select c.device_id, c.chain_id, f.announced_at as first_at, l.announced_at as last_at
    from (select device_id, chain_id, min(first_id) as first_id, max(last_id) as last_id from chains group by 1, 2) c
    join payloads f on f.client_id = $1 and f.payload_id = c.first_id join payloads l on l.client_id = $1 and l.payload_id = c.last_id
  ), gaps as (
    select d.device_reference, g.chain_id, g.type, g.former + 1 as from_seq, g.first - 1 as to_seq, a.payload_time as after_time, b.payload_time as before_time,
      case when n.first_at is null or n.first_at > coalesce(b.announced_at, 0) + ${LATE_AFTER_SECONDS} then 'never_arrived'
        when exists (select from device_commands c where c.client_id = $1 and c.device_id = i.device_id and c.command = 'allow_factory_reset'
          and c.state = 'Completed' and c.completed_at between i.last_at and n.first_at) then 'factory_reset'
        else 'new_install' end as reason
    from placed g join installations i using (device_id, chain_id) join devices d on d.client_id = $1 and d.device_id = i.device_id
    left join payloads b on b.client_id = $1 and b.payload_id = g.payload_id left join payloads a on a.client_id = $1 and a.payload_id = g.former_id
    left join lateral (select min(o.first_at) as first_at from installations o where o.device_id = i.device_id and o.first_at > i.last_at) n on true
    where g.first > g.former + 1
  ), figures as (
    select coalesce(sum(archived), 0) as archived, coalesce(sum(contradictory), 0) as contradictory, (select count(*) from coming) as queued,
      (select coalesce(sum(to_seq - from_seq + 1), 0) from gaps where reason <> 'never_arrived') as explained,
      (select coalesce(sum(to_seq - from_seq + 1), 0) from gaps where reason = 'never_arrived') as missing
    from chains
  )
  select f.archived::bigint, f.queued, f.explained::bigint, f.missing::bigint, (f.archived + f.queued + f.explained + f.missing)::bigint as recorded,
    f.contradictory::bigint, (select coalesce(json_agg(to_json(x)), '[]') from (
       select * from gaps order by device_reference, chain_id, type, from_seq limit $4) x) as gaps
  from figures f`

export type StoredStatement = StatementSummary & { body: string; signature: Buffer }

const COLUMNS = `statement_reference, day, issued_at, recorded, archived, queued, explained, missing, contradictory, key_id, checksum`

/** Stores the statement of a day, unless there is one. */
export async function insertStatement(tx: Tx, stored: StoredStatement): Promise<void> {
  await tx.query(
    `insert into capture_statements (client_id, ${COLUMNS}, body, signature)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) on conflict (client_id, day) do nothing`,
    [
      tx.client_id,
      stored.statement_reference,
      stored.day,
      stored.issued_at,
      stored.recorded,
      stored.archived,
      stored.queued,
      stored.explained,
      stored.missing,
      stored.contradictory,
      stored.key_id,
      stored.checksum,
      stored.body,
      stored.signature,
    ],
  )
}

/** The newest statements, newest first. */
export function listStatements(q: Queryable, limit: number): Promise<StatementSummary[]> {
  return q.rows<StatementSummary>(
    `select ${COLUMNS} from capture_statements where client_id = $1 order by day desc limit $2`,
    [q.client_id, limit],
  )
}

/** The signed content of a statement. */
export function findStatement(
  q: Queryable,
  statement_reference: string,
): Promise<Pick<StoredStatement, 'body' | 'key_id' | 'signature'> | undefined> {
  return q.row<Pick<StoredStatement, 'body' | 'key_id' | 'signature'>>(
    'select body, key_id, signature from capture_statements where client_id = $1 and statement_reference = $2',
    [q.client_id, statement_reference],
  )
}
