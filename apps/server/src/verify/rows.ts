import { RESENDABLE } from '../payload-records/store.ts'
import { DATALESS_TYPES, PLAYED_SERVICES, SERVICES } from '@custodia/contract'
import { RESTING_STATES } from '@custodia/domain'
import {
  codesOf,
  SERVICE_CODES,
  STATE_CODES as S,
  serviceCodeOf,
  TYPE_CODES,
} from '../payload-records/codes.ts'
import { countsSql, HAS_PARTS } from '../payloads/store.ts'
import { ORIGINAL } from '../payloads/data-objects.ts'

import { type Check, type Client, KEPT, type Scope } from './checks.ts'
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
import {
  EXPORT_ROWS,
  HEARD_ROWS,
  PLAYS,
  MARKED_ROWS,
  MIGRATION_ROWS,
  TRANSFER_ROWS,
  wordRows,
} from './transfer-rows.ts'
import {
  brokenHolds,
  EARLY_RECORDS,
  earlyDeletions,
  earlyDestructions,
  HOLDS,
  MATTERS,
  METRICS,
  POLICIES,
  POSITION_CHECKS,
  PROPOSALS,
} from './retention.ts'

/** Each statement has one snapshot, and rows of one transaction appear together, so running work looks consistent. */
interface RowCheck {
  check: Check
  /** Rows `subject`, `detail`, for $1 client_id and $2 since (null: all). */
  sql: string
  /** What is right depends on the hour: $3 is now. */
  hasNow?: true
}

const list = (codes: readonly number[]) => codes.join(', ')
const DATALESS = list(codesOf(DATALESS_TYPES))
const RESTING = list(RESTING_STATES.map((state) => S[state]))
const PLAYED = list(PLAYED_SERVICES.map((service) => SERVICE_CODES[service]))
const RESENT = [...RESENDABLE].map((failure) => `'${failure}'`).join(', ')
const SERVICE_OF_TYPE = Object.entries(TYPE_CODES)
  .map(([type, code]) => `when ${code} then ${serviceCodeOf(type as keyof typeof TYPE_CODES)}`)
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
    when p.state in (${S.Deleted}, ${S.Destroyed}) and (p.state_before_deletion is null or p.state_before_deletion not in (${RESTING}))
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
      where ${MINE} and (c.payload_id is null or c.updated_at <> p.updated_at or c.service <> p.service or c.type <> p.type
        or c.group_id <> p.group_id)`,
  },
  {
    check: 'work_missing',
    sql: `select p.payload_reference as subject, '' as detail from payloads p left join payload_work w using (client_id, payload_id)
      where ${MINE} and w.payload_id is null and (p.state in (${S.Recorded}, ${S.Uploaded}, ${S.Scanning})
        or (p.state = ${S.Failed} and p.failure in (${RESENT})))`,
  },
  {
    check: 'place_unknown',
    sql: `select p.payload_reference as subject, concat_ws(', ', case when g.group_id is null then 'group' end,
        case when v.device_id is null then 'device' end,
        case when p.device_user_id is not null and u.device_user_id is null then 'device user' end) as detail
      from payloads p
      left join groups g on g.client_id = p.client_id and g.group_id = p.group_id
      left join devices v on v.client_id = p.client_id and v.device_id = p.device_id
      left join device_users u on u.client_id = p.client_id and u.device_user_id = p.device_user_id
      where ${MINE} and (g.group_id is null or v.device_id is null or (p.device_user_id is not null and u.device_user_id is null))`,
  },
  {
    check: 'person_wrong',
    sql: `select p.payload_reference as subject, 'none who held its device at its time' as detail from payloads p
      where ${MINE} and not p.is_legacy
        and p.device_user_id in (select device_user_id from device_users where client_id = $1)
        and p.device_id in (select device_id from devices where client_id = $1)
        and exists (select from device_history h where h.client_id = p.client_id and h.device_id = p.device_id)
        and not exists (select from device_history h where h.client_id = p.client_id and h.device_id = p.device_id
          and h.device_user_id = p.device_user_id
          -- What was recorded before the device was known counts for its first holder.
          and (coalesce(h.to_at, p.payload_time) >= p.payload_time - ${HANDOVER} and (h.from_at <= p.payload_time + ${HANDOVER}
            or h.from_at = (select min(f.from_at) from device_history f where f.client_id = h.client_id and f.device_id = h.device_id))))`,
  },
  {
    check: 'row_doubled',
    sql: `select min(p.payload_reference) as subject, count(*) || ' payloads' as detail from payloads p
      where p.client_id = $1 and $2::bigint is not distinct from $2 group by p.payload_reference having count(*) > 1
      union all
      select kind || ' ' || payload_id, count(*) || ' rows of one object' from payload_objects where client_id = $1
      group by payload_id, kind having count(*) > 1
      union all
      select min(object_key), count(*) || ' rows share one object' from payload_objects where client_id = $1
      group by object_key having count(*) > 1
      union all
      select 'payload ' || payload_id, count(*) || ' rows of one phone number' from payload_numbers where client_id = $1
      group by payload_id, number_hash having count(*) > 1`,
  },
  ...[
    'payload_envelopes',
    'payload_documents',
    'payload_objects',
    'payload_numbers',
    'payload_words',
    'payload_threads',
    'payload_copies',
    'message_firsts',
    'payload_changes',
    'payload_work',
    'payload_history',
    'payload_write_offs',
    'payload_reassignments',
    'payload_receipts',
    'payload_audit',
    'payload_comments',
    'payload_marks',
    'payload_marked',
    'payload_opened',
    'payload_playheads',
    'payload_plays',
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
    sql: `select p.payload_reference as subject, 'the phone''s key ' || left(e.key_id, 36) as detail
      from payloads p join payload_envelopes e using (payload_id)
      left join client_keys k on k.client_id = p.client_id and k.key_id = e.key_id
      where ${MINE} and p.state in (${S.Processed}, ${S.NotRecorded}) and k.key_id is null`,
  },
  {
    check: 'report_wrong',
    sql: `select 'command ' || c.command_reference as subject, concat_ws(', ', case when d.device_id is null then 'no such device' end,
        case when g.group_id is null then 'no such group' end,
        case when (c.state in ('Completed', 'Failed')) <> (c.completed_at is not null) then 'ended at no time, or before its end' end,
        case when c.completed_at < c.sent_at then 'ended before it was sent' end) as detail
      from device_commands c left join devices d using (client_id, device_id)
      left join groups g on g.client_id = c.client_id and g.group_id = c.group_id
      where c.client_id = $1 and $2::bigint is not distinct from $2 and (d.device_id is null or g.group_id is null
        or (c.state in ('Completed', 'Failed')) <> (c.completed_at is not null) or c.completed_at < c.sent_at)`,
  },
  {
    check: 'report_wrong',
    sql: `select 'log ' || l.log_id as subject, case when l.device_id not in (select device_id from devices where client_id = $1) then 'no such device'
        when l.group_id not in (select group_id from groups where client_id = $1) then 'no such group' else 'no such person' end as detail
      from device_logs l where l.client_id = $1 and ($2::bigint is null or l.received_at >= $2)
        and (l.device_id not in (select device_id from devices where client_id = $1)
          or l.group_id not in (select group_id from groups where client_id = $1)
          or l.device_user_id not in (select device_user_id from device_users where client_id = $1))`,
  },
  ...POSITION_CHECKS,
  {
    check: 'report_wrong',
    sql: `select 'telemetry ' || t.telemetry_id as subject, case when t.device_id not in (select device_id from devices where client_id = $1) then 'no such device'
        when t.group_id not in (select group_id from groups where client_id = $1) then 'no such group'
        when k.report_key_id is null then 'no key of this device' else 'no such person' end as detail
      from telemetry t left join report_keys k on k.client_id = t.client_id and k.report_key_id = t.report_key_id and k.device_id = t.device_id where t.client_id = $1 and ($2::bigint is null or t.received_at >= $2)
        and (t.device_id not in (select device_id from devices where client_id = $1)
          or t.group_id not in (select group_id from groups where client_id = $1) or k.report_key_id is null
          or t.device_user_id not in (select device_user_id from device_users where client_id = $1))`,
  },
  {
    check: 'report_wrong',
    sql: `select 'newest telemetry ' || l.telemetry_id as subject,
        case when t.row_id is null then 'no such report' when n.row_id is not null then 'there is a newer one' else 'says otherwise' end as detail
      from telemetry_latest l left join telemetry t on t.client_id = l.client_id and t.device_id = l.device_id
        and t.telemetry_id = l.telemetry_id and t.telemetry_time = l.telemetry_time and t.row_id = l.row_id
      left join lateral (
        select n.row_id from telemetry n where n.client_id = l.client_id and n.device_id = l.device_id
          and n.telemetry_time > l.at and n.received_at > l.at limit 1) n on true
      where l.client_id = $1 and ($2::bigint is null or l.received_at >= $2) and (t.row_id is null or n.row_id is not null
        or (t.group_id, t.facts, t.received_at) <> (l.group_id, l.facts, l.received_at)
        or t.device_user_id is distinct from l.device_user_id)`,
  },
  {
    check: 'holder_wrong',
    sql: `select d.device_reference as subject, case when h.device_id is null then 'no open time' else 'another one' end as detail
      from devices d left join device_history h on h.client_id = d.client_id and h.device_id = d.device_id and h.to_at is null
      where d.client_id = $1 and ($2::bigint is null or d.updated_at >= $2) and d.activated_at is not null
        and (h.device_id is null or (h.device_user_id, h.group_id) is distinct from (d.device_user_id, d.group_id))`,
  },
  {
    check: 'number_doubled',
    sql: `select d.device_reference as subject, 'from ' || from_at || ' on' as detail from (
        select from_at, device_id, max(coalesce(to_at, 9223372036854775807)) over earlier as taken_until
        from device_numbers where client_id = $1 and $2::bigint is not distinct from $2 and not is_contested
        window earlier as (partition by phone_number order by from_at, claim_id rows between unbounded preceding and 1 preceding)
      ) n join devices d using (device_id) where d.client_id = $1 and taken_until > from_at`,
  },
  {
    check: 'capture_wrong',
    sql: `select 'gap ' || gap_id as subject, case when to_at < from_at then 'ended before it began' else 'overlaps another one' end as detail
      from (select gap_id, from_at, to_at, max(coalesce(to_at, 9223372036854775807)) over earlier as taken_until
        from capture_gaps where client_id = $1 and $2::bigint is not distinct from $2
        window earlier as (partition by device_user_id, service order by from_at, gap_id rows between unbounded preceding and 1 preceding)) g
      where to_at < from_at or taken_until > from_at`,
  },
  {
    check: 'enrolment_wrong',
    sql: `select e.enrolment_reference as subject, case when e.uses <> n.count then e.uses || ' counted, ' || n.count || ' came'
        else 'used after it was over' end as detail
      from enrolments e, lateral (select count(*) as count, max(used_at) as last from enrolment_uses u
        where u.client_id = e.client_id and u.enrolment_id = e.enrolment_id) n
      where e.client_id = $1 and $2::bigint is not distinct from $2
        and (e.uses <> n.count or n.last > e.expires_at or n.last > e.revoked_at)`,
  },
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
  {
    check: 'licenses_wrong',
    sql: `
      select device_reference as subject, array_to_string(granted_services, ', ') as detail from devices
      where client_id = $1 and $2::bigint is not distinct from $2 and granted_services <> services_granted(device_user_id, services, unlicensed_services)`,
  },
  {
    check: 'fleet_wrong',
    sql: `
      with counted as (
        select kind, group_id, key, count(*) as n from (
          select group_id, k.* from devices d, fleet_keys_of_device(
            d.is_legacy, d.is_deactivated, d.activated_at, d.deleted_at, d.app_version, d.os_version, d.silence, d.granted_services) k where client_id = $1
          union all
          select group_id, k.* from device_users u, fleet_keys_of_user(u.is_legacy, u.is_active, u.deleted_at) k where client_id = $1
        ) x where $2::bigint is not distinct from $2 group by 1, 2, 3
      ), places as (
        select kind, group_id, key, n, coalesce(c.count, 0) as kept from counted n
        full join (select * from fleet_counts where client_id = $1) c using (kind, group_id, key)
      )
      select case kind when 'u' then 'device users' else 'devices' end || ' as ' || key || ' in group ' || group_id as subject,
        kept || ' counted, ' || coalesce(n, 0) || ' there' as detail
      from places where kept <> coalesce(n, 0)`,
  },
]

/** Looks for rows of a client that contradict each other. */
export async function verifyRows(
  { ctx, session, findings, since, signal }: Scope,
  { client_id, client }: Client,
): Promise<void> {
  for (const { check, sql, hasNow } of ROW_CHECKS) {
    signal?.throwIfAborted()
    const rows = await session.query<{ subject: string; detail: string; total: number }>(
      `select subject, detail, (count(*) over ())::int as total from (${sql}) found limit ${KEPT}`,
      [client_id, since, ...(hasNow ? [ctx.now()] : [])],
    )
    findings.add(check, client, rows, rows[0]?.total)
  }
}
