import { EXPORT_LIMIT, EXPORT_PART_LIMIT, EXPORT_SECONDS } from '@custodia/contract'

/** Seconds for which what has ended may still be there: the sweep comes once an hour, and a server may just have started. */
const GRACE = 7200

/** What is in the parts of each export. No byte of it lies anywhere: that its recordings can be read, the checks of objects and keys tell. */
const LISTED = `
  select export_id, count(*)::int as parts, max(part) as last, sum(cardinality(payload_references))::int as items,
    max(cardinality(payload_references)) as most, min(cardinality(payload_references)) as least,
    min(size) as least_size, sum(size) as size, min(fetched_at) as first_fetch, max(fetched_at) as last_fetch
  from data_export_parts where client_id = $1 group by 1`

/** Exports against their parts, what their parts name, and the time for which they are kept. `$3`: now, in epoch seconds. */
export const EXPORT_ROWS = `
  select 'export ' || export_id as subject, detail from (
    select coalesce(e.export_id, p.export_id) as export_id, case
      when e.export_id is null then p.parts || ' parts of no export'
      when e.expires_at < $3::bigint - ${GRACE} then 'kept past its time'
      when e.expires_at - e.created_at <> ${EXPORT_SECONDS} then 'kept for another time than a day'
      when p.last <> p.parts then p.parts || ' parts, of which the last is ' || p.last
      when p.least < 1 or p.most > ${EXPORT_PART_LIMIT} or p.items > ${EXPORT_LIMIT} or p.least_size < 0 then 'a part of no size that there is'
      when e.refused not between 0 and coalesce(p.items, 0) then e.refused || ' refused of ' || coalesce(p.items, 0)
      when e.refused = p.items and p.size > 0 then 'all refused, and of a size'
      when p.first_fetch < e.created_at or p.last_fetch > e.expires_at then 'fetched before it was made or after its end'
      end as detail
    from (select * from data_exports where client_id = $1) e full join (${LISTED}) p using (export_id)
    where $2::bigint is null or coalesce(e.created_at, $2) >= $2
  ) x where detail is not null
  union all
  select 'export ' || p.export_id, 'part ' || p.part || ' names ' || count(*) || ' payloads that do not exist'
  from data_export_parts p cross join unnest(p.payload_references) as named
  where p.client_id = $1
    and not exists (select from payloads x where x.client_id = p.client_id and x.payload_reference = named)
  group by p.export_id, p.part`
