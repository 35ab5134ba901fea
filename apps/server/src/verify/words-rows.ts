import { STATE_CODES as S } from '../payload-records/codes.ts'
import { TYPES_WITH_WORDS } from '../payloads/store.ts'

/**
 * An index of words has those that were read of each payload and comment, where it stands in lists; all that is to be read has been, or waits; and
 * nothing of what is destroyed or of nobody.
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
