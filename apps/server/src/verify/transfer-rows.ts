import { EXPORT_LIMIT, EXPORT_PART_LIMIT, EXPORT_SECONDS, PLAYED_SERVICES } from '@custodia/contract'
import { getTypes } from '../migrations/store.ts'
import { SERVICE_CODES, STATE_CODES, STATE_CODES as S } from '../payload-records/codes.ts'
import { TYPES_WITH_WORDS } from '../payloads/store.ts'

/** Seconds for which what has ended may still be there: the sweep comes once an hour, and a server may just have started. */
const GRACE = 7200

/**
 * Exports whose parts differ from their rows. Exports store no bytes; the checks of objects and keys cover their
 * recordings.
 */
const LISTED = `
  select export_id, count(*)::int as parts, max(part) as last, sum(cardinality(payload_references))::int as items,
    max(cardinality(payload_references)) as most, min(cardinality(payload_references)) as least,
    min(size) as least_size, sum(size) as size, min(fetched_at) as first_fetch, max(fetched_at) as last_fetch
  from data_export_parts where client_id = $1 group by 1`

/** Exports against their parts, what their parts name, and the time for which they are kept. `$3`: now, in epoch seconds. */
export const EXPORT_ROWS = `
  select 'export ' || export_id as subject, detail from (
    select e.export_id, case
      when e.expires_at < $3::bigint - ${GRACE} then 'kept past its time'
      when e.expires_at - e.created_at <> ${EXPORT_SECONDS} then 'kept for another time than a day'
      when p.last <> p.parts then p.parts || ' parts, of which the last is ' || p.last
      when p.least < 1 or p.most > ${EXPORT_PART_LIMIT} or p.items > ${EXPORT_LIMIT} or p.least_size < 0 then 'a part of no size that there is'
      when e.refused not between 0 and coalesce(p.items, 0) then e.refused || ' refused of ' || coalesce(p.items, 0)
      when e.refused = p.items and p.size > 0 then 'all refused, and of a size'
      when p.first_fetch < e.created_at or p.last_fetch > e.expires_at then 'fetched before it was made or after its end'
      end as detail
    from data_exports e left join (${LISTED}) p using (export_id)
    where e.client_id = $1 and ($2::bigint is null or e.created_at >= $2)
  ) x where detail is not null
  union all
  select 'export ' || p.export_id, 'part ' || p.part || ' names ' || count(*) || ' payloads that do not exist'
  from data_export_parts p cross join unnest(p.payload_references) as named
  where p.client_id = $1
    and not exists (select from payloads x where x.client_id = p.client_id and x.payload_reference = named)
  group by p.export_id, p.part`

/** Runs that differ from their results: counts, state, and sample. */
const MIGRATION_ROWS_RUNS = `
  select 'migration ' || r.migration_reference as subject, case
    when r.sequence <> m.results then r.sequence || ' results counted, and ' || m.results || ' there'
    when c.counted is distinct from m.counted then 'its results are counted otherwise by type'
    when r.migration_state = 'Migrated' and m.errors > 0 then 'migrated, with ' || m.errors || ' errors'
    when r.is_dry_run and m.payloads > 0 then 'a dry run that imported ' || m.payloads || ' recordings'
    when r.settled_by is not null and not exists (select from migration_runs k where k.client_id = r.client_id and k.migration_reference = r.settled_by
      and k.migration_state = 'Migrated' and not k.is_dry_run) then 'settled by a run that imported nothing, or had errors'
    when s.strange > 0 then 'a sample with ' || s.strange || ' recordings that it did not import'
    end as detail
  from migration_runs r
  cross join lateral (select coalesce(jsonb_object_agg(key, (value -> 'count')::int), '{}') as counted from jsonb_each(r.results)) c
  cross join lateral (select coalesce(sum(n), 0)::int as results, coalesce(sum(n) filter (where result_type in (${getTypes('error')})), 0)::int as errors,
      coalesce(sum(payloads), 0)::int as payloads, coalesce(jsonb_object_agg(result_type, n), '{}') as counted
    from (select result_type, count(*)::int as n, count(payload_id)::int as payloads from migration_results m
      where m.client_id = r.client_id and m.migration_reference = r.migration_reference group by result_type) g) m
  cross join lateral (select count(*)::int as strange from migration_samples s
    where s.client_id = r.client_id and s.migration_reference = r.migration_reference and not exists (select from migration_results m
      where m.client_id = s.client_id and m.migration_reference = s.migration_reference and m.payload_id = s.payload_id)) s
  where r.client_id = $1 and r.migrated_at is not null and ($2::bigint is null or r.migrated_at >= $2)`

/** Imports that differ from their source rows or references. */
const IMPORTS = `
  select 'payload ' || p.payload_reference as subject, case
    when not p.is_legacy then 'came with a migration, and is not of the legacy platform'
    when o.checksum <> m.source_sha256 then 'is stored with another digest than its source had'
    when l.payload_reference <> p.payload_reference then 'is known as another recording of the legacy platform'
    end as detail
  from migration_results m join payloads p using (client_id, payload_id)
  left join payload_objects o on o.client_id = p.client_id and o.payload_id = p.payload_id and o.kind = 'original'
  left join legacy_payloads l on l.client_id = p.client_id and l.payload_id = p.payload_id
  where m.client_id = $1 and ($2::bigint is null or p.updated_at >= $2)`

/** Migrations that contradict themselves: `subject`, `detail`, for $1 client_id and $2 since. */
export const MIGRATION_ROWS = `select * from (${MIGRATION_ROWS_RUNS} union all ${IMPORTS}) x where detail is not null`

/** Excludes deleted payloads, whose rows are rebuilt at a restore, and duplicate uploads. */
const THERE = `p.client_id = $1 and ($2::bigint is null or p.updated_at >= $2) and p.state not in (${S.Deleted}, ${S.Destroyed}) and not p.is_copy`
const PLACE =
  '(r.service, r.payload_time, r.group_id, r.type) is distinct from (p.service, p.payload_time, p.group_id, p.type)'

const against = (kept: string, result: string, same: string) => `
  with expected as (${result}), kept as (select * from ${kept} where client_id = $1)
  select p.payload_reference as subject, case when r.payload_id is null then 'missing of ' when t.payload_id is null then 'unfounded of '
    else 'another of ' end || coalesce(nullif(coalesce(r.person, t.person), ''), 'any user') as detail
  from kept r full join expected t using (payload_id, person) join payloads p on p.payload_id = coalesce(r.payload_id, t.payload_id)
  where ${THERE} and (r.payload_id is null or t.payload_id is null or ${PLACE} or ${same})`

const PLAYED = PLAYED_SERVICES.map((service) => SERVICE_CODES[service]).join(', ')
const HEARD = `select a.payload_id, a.portal_user as person from payload_audit a join payloads p using (client_id, payload_id)
    where a.client_id = $1 and a.action in ('payloads:play', 'devices.sms:read') and p.service not in (${PLAYED})
  union all select payload_id, person from payload_plays where client_id = $1 and is_heard`

/** Who has heard what, against the payloads' own audit and the played parts. */
export const HEARD_ROWS = against(
  'payload_opened',
  `select payload_id, person from (${HEARD}) h union select payload_id, '' from (${HEARD}) h`,
  'false',
)

/** Played parts without a playback in the audit, or of payloads that do not play. */
export const PLAYS = `select p.payload_reference as subject, 'by ' || h.person as detail
  from payload_plays h join payloads p using (client_id, payload_id)
  where p.client_id = $1 and ($2::bigint is null or p.updated_at >= $2) and (p.service not in (${PLAYED})
    or not exists (select from payload_audit a where a.client_id = h.client_id and a.payload_id = h.payload_id
      and a.portal_user = h.person and a.action = 'payloads:play'))`

/** The last marks, against all of them. */
export const MARKED_ROWS = against(
  'payload_marked',
  `select payload_id, marked_by as person, max(mark_id) as mark_id from payload_marks where client_id = $1 and withdrawn_at is null group by 1, 2
   union all select payload_id, '', max(mark_id) from payload_marks where client_id = $1 and withdrawn_at is null group by 1`,
  'r.mark_id <> t.mark_id or r.mark <> (select mark from payload_marks m where m.client_id = $1 and m.mark_id = r.mark_id)',
)

/** Transfer runs that differ from their items: a finished run has results and no waiting items. */
const RUNS = `
  select 'transfer ' || r.transfer_id as subject, case
    when r.transfer_state = 'Succeeded' and i.succeeded < i.items then 'succeeded, with ' || i.items - i.succeeded || ' items that did not'
    when r.transfer_state = 'Failed' and i.succeeded > 0 then 'failed, with ' || i.succeeded || ' items that did not'
    when r.transfer_state = 'PartialFail' and i.succeeded = 0 then 'failed in part, and nothing of it succeeded'
    when i.waiting > 0 then 'over, with ' || i.waiting || ' items that wait'
    when r.transfer_type = 'Payload' and i.items <> r.payload_count then r.payload_count || ' payloads, and ' || i.items || ' items'
    end as detail
  from transfer_runs r
  cross join lateral (select count(*)::int as items, count(*) filter (where transfer_state = 'Succeeded')::int as succeeded,
      count(*) filter (where transfer_state in ('Pending', 'InProgress'))::int as waiting
    from transfer_items i where i.client_id = r.client_id and i.transfer_id = r.transfer_id) i
  where r.client_id = $1 and r.completed_at is not null and ($2::bigint is null or r.completed_at >= $2)`

/** A pattern of the name of a file whose letters may be percent-encoded, see `transferPaths`. */
const ENCODED_NAME = `(select string_agg(case when c ~ '[A-Za-z]' then '(' || c || '|%' || upper(encode(convert_to(c, 'UTF8'), 'hex')) || ')' else c end, '' order by n)
  from regexp_split_to_table(p.payload_reference, '') with ordinality x (c, n))`

/** Items against their attempts and, where they are payloads, against the trail of those. */
const ITEMS = `
  select 'transfer ' || i.transfer_id || ' item ' || i.item as subject, case
    when i.transfer_state in ('Succeeded', 'Failed') and a.last is distinct from i.transfer_state then 'its last attempt says otherwise'
    when i.transferred_at is not null and a.first_success is distinct from i.transferred_at then 'lay there first at another time than its attempts say'
    when i.transferred_at is not null and i.payload_id is not null and not exists (select from payload_audit t
        where t.client_id = i.client_id and t.payload_id = i.payload_id and t.at = i.transferred_at and t.action = 'transfers:deliver')
      then 'delivered without a word in its trail'
    when i.transferred_at is not null and p.payload_reference ~ '^[A-Za-z0-9_-]+$' and i.dest_path !~ ('(^|/)'
        || to_char(to_timestamp(coalesce(p.claimed_time, p.payload_time)) at time zone 'UTC', 'YYYY/MM/DD/')
        || case when i.dest_path like '%\\%%' then ${ENCODED_NAME} else p.payload_reference end || '[.][a-z0-9.]+$')
      then 'lies where another payload would'
    end as detail
  from transfer_items i join transfer_runs r using (client_id, transfer_id)
  left join payloads p on p.client_id = i.client_id and p.payload_id = i.payload_id
  cross join lateral (select (array_agg(transfer_state order by attempt desc))[1] as last,
      min(attempted_at) filter (where transfer_state = 'Succeeded') as first_success
    from transfer_attempts a where a.client_id = i.client_id and a.transfer_id = i.transfer_id and a.item = i.item) a
  where i.client_id = $1 and ($2::bigint is null or coalesce(r.completed_at, $2) >= $2)`

/** Items that were delivered, and entries of deliveries by day, each against the other; those of destroyed payloads outlive their run. */
const ENTRIES = `
  select 'delivery of ' || p.payload_reference || ' to ' || transfer_config_reference as subject, case
    when a.payload_id is null then 'without an entry under its day'
    when i.payload_id is null and (p.state <> ${STATE_CODES.Destroyed} or r.run is not null) then 'entered under its day, and no item says so'
    when a.transfer_id <> i.transfer_id then 'entered for another transfer'
    when a.transferred_at <> i.transferred_at then 'entered at another time than it lay there first'
    when a.encrypted_checksum <> i.encrypted_checksum or a.decrypted_checksum <> i.decrypted_checksum then 'entered with other checksums'
    when a.payload_date <> t.payload_time - t.payload_time % 86400 then 'entered under another day than that of its time'
    end as detail
  from (select client_id, transfer_config_reference, payload_id, transfer_id, transferred_at, encrypted_checksum, decrypted_checksum
    from transfer_items
    where client_id = $1 and payload_id is not null and transferred_at is not null) i
  full join (select * from transfer_audit where client_id = $1) a using (client_id, transfer_config_reference, payload_id)
  join payloads p using (client_id, payload_id)
  left join (select client_id, transfer_id as run from transfer_runs) r on r.client_id = p.client_id and r.run = a.transfer_id
  cross join lateral (select coalesce(p.claimed_time, p.payload_time) as payload_time) t
  where $2::bigint is null or coalesce(i.transferred_at, a.transferred_at) >= $2`

/** Transfers that contradict themselves: `subject`, `detail`, for $1 client_id and $2 since. */
export const TRANSFER_ROWS = `select * from (${RUNS} union all ${ITEMS} union all ${ENTRIES}) x where detail is not null`

/**
 * A word index has the words of each listed payload and comment. Readable text is indexed or waits for the job;
 * destroyed or unknown payloads have no words.
 */
export const wordRows = (mine: string, place: readonly string[]): string => `
  with words as (
    select payload_id, count(*)::int as count, ${place.map((column) => `min(${column}) as least_${column}, max(${column}) as most_${column}`).join(', ')}
    from content_words where client_id = $1 group by payload_id
  ), said as (
    select comment_id, count(*)::int as count, min(group_id) as least_group, max(group_id) as most_group
    from comment_words where client_id = $1 group by comment_id
  ), read as (
    select payload_id, comment_id, word_count from content_indexed where client_id = $1
  ), waiting as (
    select payload_id, comment_id from content_work where client_id = $1
  ), index as (
    select payloads_before, comments_before from content_indexes where client_id = $1 and wrapped_key is not null
  )
  select p.payload_reference as subject, coalesce(w.count, 0) || ' words, ' || coalesce(r.word_count, 0) || ' when it was read' as detail
  from payloads p left join words w using (payload_id) left join read r on r.payload_id = p.payload_id and r.comment_id = ''
  where ${mine} and (coalesce(w.count, 0) <> coalesce(r.word_count, 0) or (w.count > 0 and (p.state = ${S.Destroyed}
    or ${place.map((column) => `least_${column} <> p.${column} or most_${column} <> p.${column}`).join(' or ')})))
  union all
  select p.payload_reference, 'its words were never read'
  from index, payloads p join payload_documents d using (client_id, payload_id) left join read r on r.payload_id = p.payload_id and r.comment_id = ''
  left join waiting w on w.payload_id = p.payload_id and w.comment_id = ''
  where ${mine} and p.type in (${TYPES_WITH_WORDS.join(', ')}) and p.state <> ${S.Destroyed} and r.payload_id is null and w.payload_id is null
    and (payloads_before is null or p.payload_id >= payloads_before)
  union all
  select p.payload_reference, 'comment ' || c.comment_id || ': ' || coalesce(s.count, 0) || ' words, '
    || case when r.comment_id is null then 'never read' else r.word_count || ' when it was read' end
  from index, payloads p join payload_comments c using (client_id, payload_id) left join said s using (comment_id)
  left join read r on r.comment_id = c.comment_id left join waiting w on w.comment_id = c.comment_id
  where ${mine} and p.state <> ${S.Destroyed} and w.comment_id is null and (comments_before is null or c.comment_id >= comments_before)
    and (r.comment_id is null or r.word_count <> coalesce(s.count, 0) or least_group <> c.group_id or most_group <> c.group_id)
  union all
  select 'payload ' || payload_id, 'words of no payload' from words left join payloads p using (payload_id) where p.payload_id is null
  union all
  select 'index of words', 'words of a client that has none' where exists (select from words)
    and not exists (select from content_indexes where client_id = $1)`
