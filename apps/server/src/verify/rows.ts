import { DATALESS_TYPES, PLAYED_SERVICES, SERVICES } from '@custodia/contract'
import { FINAL_STATES } from '@custodia/domain'
import {
  getCodes,
  SERVICE_CODES,
  STATE_CODES as S,
  getServiceCode,
  TYPE_CODES,
} from '../payload-records/codes.ts'
import { RESENDABLE } from '../payload-records/store.ts'
import { ORIGINAL } from '../payloads/data-objects.ts'
import { countsSql, HAS_PARTS } from '../payloads/store.ts'
import {
  brokenDestructions,
  COPIES,
  DATA_REQUESTS,
  ENTRIES,
  HOLD_ACTS,
  PROPOSAL_ACTS,
  REQUEST_ACTS,
  RETENTION_ACTS,
} from './acts.ts'
import { type Client, KEPT, type RowCheck, type Scope } from './checks.ts'
import { FLEET_CHECKS } from './fleet-rows.ts'
import {
  brokenHolds,
  EARLY_RECORDS,
  earlyDeletions,
  earlyDestructions,
  HOLDS,
  MATTERS,
  METRICS,
  POLICIES,
  PROPOSALS,
} from './retention.ts'
import {
  EXPORT_ROWS,
  HEARD_ROWS,
  PLAYS,
  MARKED_ROWS,
  MIGRATION_ROWS,
  TRANSFER_ROWS,
  wordRows,
} from './transfer-rows.ts'

const list = (codes: readonly number[]) => codes.join(', ')
const DATALESS = list(getCodes(DATALESS_TYPES))
const FINAL = list(FINAL_STATES.map((state) => S[state]))
const PLAYED = list(PLAYED_SERVICES.map((service) => SERVICE_CODES[service]))
const RESENT = [...RESENDABLE].map((failure) => `'${failure}'`).join(', ')
const SERVICE_OF_TYPE = Object.entries(TYPE_CODES)
  .map(([type, code]) => `when ${code} then ${getServiceCode(type as keyof typeof TYPE_CODES)}`)
  .join(' ')

/** What each number repeats of its payload, so that lists need no join. */
const PLACE = ['service', 'type', 'group_id', 'payload_time']

/** Seconds around a handover in which a payload may be of either holder. */
const HANDOVER = 60

/** Payloads that are looked at. */
const MINE = 'p.client_id = $1 and ($2::bigint is null or p.updated_at >= $2)'

/** States to which no transition leads a payload of this kind, however it came. */
const IMPOSSIBLE = `case
    when p.service <> (case p.type ${SERVICE_OF_TYPE} end) then 'its service is not that of its type'
    when p.state in (${S.Deleted}, ${S.Destroyed}) and (p.state_before_deletion is null or p.state_before_deletion not in (${FINAL}))
      then 'deleted from no state in which payloads rest'
    when p.state in (${S.Failed}, ${S.Quarantined}) and p.failure is null then 'without a reason'
    when p.state in (${S.Processed}, ${S.NotRecorded}) and p.failure is not null then 'with a reason to fail'
    when p.state = ${S.Processed} and p.processed_at is null then 'processed at no time'
    when p.is_legacy then null
    when p.type in (${DATALESS}) and p.state in (${S.Recorded}, ${S.Processed}, ${S.Quarantined}) then 'a type without data'
    when p.type not in (${DATALESS}) and p.state = ${S.NotRecorded} then 'a type with data'
    when p.state in (${S.Recorded}, ${S.Processed}, ${S.Quarantined}) and e.payload_id is not null and e.size is null then 'no data was announced'
  end`

/** Counters of payloads against the payloads themselves. */
const COUNTS = `
  with counted as (${countsSql(`select client_id, service, type, group_id, payload_time, 1 as n from payloads
    where client_id = $1 and $2::bigint is not distinct from $2 and state not in (${S.Deleted}, ${S.Destroyed}) and not is_copy`)}
  ), kept as (
    select service, type, group_id, grain, start, total, parts from payload_counts where client_id = $1 and (total <> 0 or ${HAS_PARTS})
  )
  select case service ${SERVICES.map((name) => `when ${SERVICE_CODES[name]} then '${name}'`).join(' ')} end
      || ' of ' || to_char(to_timestamp(start) at time zone 'UTC', case grain when 'm' then 'YYYY-MM' else 'YYYY' end) || case when type <> 0 then ' of type ' || type else '' end
      || case when group_id <> 0 then ' in group ' || group_id else '' end as subject,
    coalesce(kept.total, 0) || ' counted, ' || coalesce(counted.total, 0) || ' there' as detail
  from counted full join kept using (service, type, group_id, grain, start) where (kept.total, kept.parts) is distinct from (counted.total, counted.parts)`

/**
 * Network documents with a comma are stored with a space, so their hash cannot be recomputed. Most payloads have one
 * or two numbers, which this query hashes in place: a query per document takes as long as the rest of the check.
 */
const NUMBER_ROWS = `
  select p.payload_reference as subject, coalesce(n.count, 0) || ' numbers indexed, ' || o.counted || ' in the document' as detail
  from payloads p
  join (
    select payload_id, coalesce(cardinality(numbers), 0) as counted, all_numbers like '% %' as is_altered,
      case cardinality(numbers) when 1 then hashtextextended(numbers[1], 0)
        when 2 then hashtextextended(numbers[1], 0) # hashtextextended(numbers[2], 0)
        else (select bit_xor(hashtextextended(number, 0)) from unnest(numbers) as number) end as hash
    from (
      select payload_id, all_numbers, string_to_array(nullif(all_numbers, ''), ',') as numbers
      from payload_documents where client_id = $1 offset 0
    ) d
  ) o using (payload_id)
  left join (
    select payload_id, count(*)::int as count, bit_xor(number_hash) as hash, ${PLACE.map((column) => `min(${column}) as least_${column}, max(${column}) as most_${column}`).join(', ')}
    from payload_numbers where client_id = $1 group by payload_id
  ) n using (payload_id)
  where ${MINE} and (coalesce(n.count, 0) <> o.counted or (n.count > 0 and (
    ${PLACE.map((column) => `least_${column} <> p.${column} or most_${column} <> p.${column}`).join(' or ')}
    or (n.hash <> o.hash and not o.is_altered))))`

const LINES = 'select payload_id, search_text as line from payload_documents where client_id = $1'

/** Each word of a line, and each number, leads to its payload in search. */
const SEARCH_ROWS = `
  with words as (
    select payload_id, word, hashtextextended(word, 0) as word_hash from (${LINES}) d
    cross join lateral unnest(string_to_array(nullif(ltrim(split_part(line, '#', 1)), ''), ' ')) word
  ), numbers as (
    select payload_id, reverse(rtrim(digits, '$')) as reversed from (${LINES}) d
    cross join lateral unnest((string_to_array(line, '#'))[2:]) digits
  ), named as (
    select payload_id, count(*) as count, bit_xor(word_hash) as hash from words group by payload_id
  ), indexed as (
    select payload_id, count(*) as count, bit_xor(word_hash) as hash,
      ${PLACE.map((column) => `min(${column}) as least_${column}, max(${column}) as most_${column}`).join(', ')}
    from payload_words where client_id = $1 group by payload_id
  )
  select p.payload_reference as subject, coalesce(i.count, 0) || ' words indexed, ' || coalesce(n.count, 0) || ' in the document' as detail
  from payloads p join (${LINES}) d using (payload_id) left join named n using (payload_id) left join indexed i using (payload_id)
  where ${MINE} and (coalesce(i.count, 0) <> coalesce(n.count, 0) or i.hash <> n.hash
    or ${PLACE.map((column) => `least_${column} <> p.${column} or most_${column} <> p.${column}`).join(' or ')})
  union all
  select p.payload_reference, 'words or digits that cannot be looked up'
  from payloads p where ${MINE} and payload_id in (
    select payload_id from words w left join search_words s on s.client_id = $1 and s.word = w.word where s.word is null
    union
    select payload_id from numbers n left join search_numbers s on s.client_id = $1 and s.reversed = n.reversed where s.reversed is null)`

/** Conversations that differ from the documents of their listed messages, or from their counts. */
const THREAD_ROWS = `
  select p.payload_reference as subject, case when t.payload_id is null then 'in no conversation' else 'in another place' end as detail
  from payloads p
  left join (select payload_id, thread_id from payload_documents where client_id = $1 and thread_id is not null) d using (payload_id)
  left join (select * from payload_threads where client_id = $1) t using (payload_id)
  where ${MINE} and (case when d.payload_id is null or p.is_copy or p.state in (${S.Deleted}, ${S.Destroyed}) then t.payload_id is not null
    else t.payload_id is null or t.thread_id <> d.thread_id or t.device_id <> p.device_id
      or ${PLACE.map((column) => `t.${column} <> p.${column}`).join(' or ')} end)
  union all
  select 'conversation ' || thread_id || ' of device ' || device_id, coalesce(kept, 0) || ' counted, ' || coalesce(n, 0) || ' there'
  from (
    select device_id, thread_id, group_id, type, count(*) as n, max(payload_time) as last_time,
      (array_agg(payload_id order by payload_time desc, payload_id desc))[1] as last_payload_id
    from payload_threads where client_id = $1 group by 1, 2, 3, 4
  ) t
  full join (
    select device_id, thread_id, group_id, type, count as kept, last_time as kept_time, last_payload_id as kept_id
    from thread_counts where client_id = $1
  ) c using (device_id, thread_id, group_id, type)
  where (n, last_time, last_payload_id) is distinct from (kept, kept_time, kept_id)`

export const ROW_CHECKS: readonly RowCheck[] = [
  {
    check: 'state_impossible',
    sql: `select * from (
      select p.payload_reference as subject, ${IMPOSSIBLE} as detail
      from payloads p left join payload_envelopes e using (payload_id) where ${MINE}) x where detail is not null`,
  },
  {
    check: 'envelope_missing',
    sql: `select p.payload_reference as subject, '' as detail from payloads p
      left join payload_envelopes e on e.client_id = p.client_id and e.payload_id = p.payload_id
      where ${MINE} and e.payload_id is null and not p.is_legacy`,
  },
  {
    check: 'document_missing',
    sql: `select p.payload_reference as subject, '' as detail from payloads p
      left join payload_documents d on d.client_id = p.client_id and d.payload_id = p.payload_id
      where ${MINE} and p.state in (${S.Processed}, ${S.NotRecorded}) and d.payload_id is null and not p.is_legacy`,
  },
  {
    check: 'document_unexpected',
    sql: `select p.payload_reference as subject, '' as detail from payloads p join payload_documents d using (client_id, payload_id)
      where ${MINE} and p.state in (${S.Recorded}, ${S.Destroyed})`,
  },
  { check: 'numbers_wrong', sql: NUMBER_ROWS },
  { check: 'search_wrong', sql: SEARCH_ROWS },
  { check: 'thread_wrong', sql: THREAD_ROWS },
  {
    check: 'change_wrong',
    sql: `select p.payload_reference as subject, case when c.payload_id is null then 'none' else 'another' end as detail
      from payloads p left join payload_changes c on c.client_id = p.client_id and c.payload_id = p.payload_id
      where ${MINE} and (c.payload_id is null or c.updated_at <> p.updated_at or c.processed_at is distinct from p.processed_at or c.service <> p.service or c.type <> p.type
        or c.group_id <> p.group_id)`,
  },
  {
    // A row too much hides nothing: the list looks at the receipts as well.
    check: 'receipt_wrong',
    sql: `select p.payload_reference as subject, case when u.payload_id is null then 'missing' else 'another place' end as detail
      from payloads p left join payload_unconfirmed u on u.client_id = p.client_id and u.payload_id = p.payload_id
      where ${MINE} and p.state not in (${S.Deleted}, ${S.Destroyed}) and not p.is_copy
        and not exists (select from payload_receipts r where r.client_id = p.client_id and r.payload_id = p.payload_id)
        and (u.payload_id is null
          or (u.service, u.payload_time, u.group_id, u.type) is distinct from (p.service, p.payload_time, p.group_id, p.type))`,
  },
  {
    check: 'removed_wrong',
    sql: `select p.payload_reference as subject, case when r.payload_id is null then 'missing' else 'another place' end as detail
      from payloads p left join payload_removed r on r.client_id = p.client_id and r.payload_id = p.payload_id
      where ${MINE} and case when p.state in (${S.Deleted}, ${S.Destroyed})
        then (r.state, r.service, r.payload_time, r.group_id, r.type) is distinct from (p.state, p.service, p.payload_time, p.group_id, p.type)
        else r.payload_id is not null end`,
  },
  {
    check: 'work_missing',
    sql: `select p.payload_reference as subject, '' as detail from payloads p left join payload_work w using (client_id, payload_id)
      where ${MINE} and w.payload_id is null and (p.state in (${S.Recorded}, ${S.Uploaded}, ${S.Scanning})
        or (p.state = ${S.Failed} and p.failure in (${RESENT})))`,
  },
  {
    check: 'person_wrong',
    sql: `select p.payload_reference as subject, 'none who held its device at its time' as detail from payloads p
      where ${MINE} and not p.is_legacy and p.device_user_id is not null
        and exists (select from device_history h where h.client_id = p.client_id and h.device_id = p.device_id)
        and not exists (select from device_history h where h.client_id = p.client_id and h.device_id = p.device_id
          and h.device_user_id = p.device_user_id
          -- What was recorded before the device was known counts for its first holder.
          and (coalesce(h.to_at, p.payload_time) >= p.payload_time - ${HANDOVER} and (h.from_at <= p.payload_time + ${HANDOVER}
            or h.from_at = (select min(f.from_at) from device_history f where f.client_id = h.client_id and f.device_id = h.device_id))))`,
  },
  {
    check: 'row_doubled',
    sql: `select min(object_key) as subject, count(*) || ' rows share one object' as detail from payload_objects
      where client_id = $1 and $2::bigint is not distinct from $2 group by object_key having count(*) > 1
      union all
      select 'payload ' || payload_id, count(*) || ' rows of one phone number' from payload_numbers where client_id = $1
      group by payload_id, number_hash having count(*) > 1`,
  },
  // Tables without a foreign key, which would be checked for each payload.
  ...[
    'payload_numbers',
    'payload_words',
    'payload_threads',
    'payload_changes',
    'payload_history',
    'payload_write_offs',
    'payload_unconfirmed',
    'payload_removed',
    'payload_audit',
    'payload_marked',
    'payload_opened',
  ].map((table): RowCheck => ({
    check: 'row_orphaned',
    sql: `select '${table} of payload ' || x.payload_id as subject, count(*) || ' rows' as detail from ${table} x
      where x.client_id = $1 and $2::bigint is not distinct from $2
        and not exists (select from payloads p where p.client_id = x.client_id and p.payload_id = x.payload_id)
      group by x.payload_id`,
  })),
  {
    check: 'comment_wrong',
    sql: `select * from (
      select p.payload_reference as subject, case
          when c.group_id <> p.group_id or c.type <> p.type then 'comment ' || c.comment_id || ' is of another group or type'
          when (c.wrapped_key is null) <> (p.state = ${S.Destroyed}) then 'comment ' || c.comment_id || ' has the wrong key'
          when v.count is distinct from c.comment_version or v.last is distinct from c.comment_version
            then 'comment ' || c.comment_id || ' lacks versions'
          when v.authors <> array[c.raised_by] then 'comment ' || c.comment_id || ' has versions of another author' end as detail
      from payload_comments c join payloads p on p.client_id = c.client_id and p.payload_id = c.payload_id
      left join (
        select comment_id, count(*)::int as count, max(comment_version) as last, array_agg(distinct updated_by) as authors from payload_comment_versions where client_id = $1 group by 1
      ) v using (comment_id)
      where ${MINE}) x where detail is not null`,
  },
  { check: 'audit_entry_wrong', sql: ENTRIES },
  {
    check: 'object_row_missing',
    sql: `select p.payload_reference as subject, '' as detail from payloads p
      left join payload_objects o on o.client_id = p.client_id and o.payload_id = p.payload_id and o.kind = '${ORIGINAL}'
      where ${MINE} and p.state = ${S.Processed} and o.payload_id is null and not p.is_legacy`,
  },
  {
    check: 'object_row_wrong',
    sql: `select p.payload_reference as subject,
        case when p.state in (${S.NotRecorded}, ${S.Recorded}, ${S.Destroyed}) then 'in a state without objects'
          else o.sealed_size || ' bytes sealed instead of ' || e.size end as detail
      from payloads p join payload_objects o using (client_id, payload_id) left join payload_envelopes e using (payload_id)
      where ${MINE} and (p.state in (${S.NotRecorded}, ${S.Recorded}) or (o.kind = '${ORIGINAL}' and o.sealed_size <> e.size))`,
  },
  {
    check: 'key_missing',
    sql: `select p.payload_reference as subject, o.kind as detail from payloads p join payload_objects o using (client_id, payload_id)
      where ${MINE} and (o.wrapped_dek is null) <> (p.state = ${S.Destroyed})`,
  },
  {
    check: 'key_lost',
    sql: `select p.payload_reference as subject, 'the device''s key ' || left(e.key_id, 36) as detail
      from payloads p join payload_envelopes e using (payload_id)
      left join client_keys k on k.client_id = p.client_id and k.key_id = e.key_id
      where ${MINE} and p.state in (${S.Processed}, ${S.NotRecorded}) and k.key_id is null`,
  },
  ...FLEET_CHECKS,
  {
    check: 'playhead_wrong',
    sql: `select p.payload_reference as subject, 'by ' || h.person as detail
      from payload_playheads h join payloads p using (client_id, payload_id) where ${MINE} 
        and (p.service not in (${PLAYED}) or p.state in (${S.Deleted}, ${S.Destroyed}))`,
  },
  { check: 'hold_wrong', sql: HOLDS },
  { check: 'hold_wrong', sql: MATTERS },
  { check: 'hold_wrong', sql: HOLD_ACTS },
  { check: 'proposal_wrong', sql: PROPOSAL_ACTS },
  { check: 'request_wrong', sql: REQUEST_ACTS },
  { check: 'retention_wrong', sql: RETENTION_ACTS },
  { check: 'proposal_wrong', sql: PROPOSALS },
  { check: 'request_wrong', sql: DATA_REQUESTS },
  { check: 'hold_broken', sql: brokenHolds(MINE) },
  { check: 'destruction_broken', sql: brokenDestructions(MINE) },
  { check: 'retention_wrong', sql: POLICIES },
  { check: 'retention_early', sql: earlyDeletions(MINE) },
  { check: 'retention_early', sql: earlyDestructions(MINE) },
  { check: 'retention_early', sql: EARLY_RECORDS },
  { check: 'review_wrong', sql: HEARD_ROWS },
  { check: 'review_wrong', sql: PLAYS },
  { check: 'review_wrong', sql: MARKED_ROWS },
  { check: 'export_wrong', sql: EXPORT_ROWS, hasNow: true },
  { check: 'transfer_wrong', sql: TRANSFER_ROWS },
  { check: 'migration_wrong', sql: MIGRATION_ROWS },
  { check: 'counts_wrong', sql: COUNTS },
  { check: 'words_wrong', sql: wordRows(MINE, PLACE) },
  { check: 'metrics_wrong', sql: METRICS },
  { check: 'copy_wrong', sql: COPIES },
]

/** Looks for rows of a client that contradict each other. */
export async function verifyRows(
  { ctx, session, findings, since, signal }: Scope,
  { client_id, client }: Client,
): Promise<void> {
  for (const { check, sql, hasNow } of ROW_CHECKS) {
    signal?.throwIfAborted()
    const rows = await session.rows<{ subject: string; detail: string; total: number }>(
      `select subject, detail, (count(*) over ())::int as total from (${sql}) found limit ${KEPT}`,
      [client_id, since, ...(hasNow ? [ctx.now()] : [])],
    )
    findings.add(check, client, rows, rows[0]?.total)
  }
}
