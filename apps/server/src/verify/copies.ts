/**
 * Messages whose mark and link differ, or whose link is not the first of the duplicates: `subject`, `detail`, for $1
 * client_id and $2 since (all are examined).
 */
export const COPIES = `
  select * from (
    select p.payload_reference as subject, case
        when c.payload_id is null then 'marked, and linked to none'
        when not p.is_copy then 'linked, and not marked'
        when f.payload_id is null then 'linked to what is no first'
        when o.device_id <> p.device_id or o.type <> p.type or o.is_copy then 'linked to another message' end as detail
    from (select * from payload_copies where client_id = $1 and $2::bigint is not distinct from $2) c
    full join (select payload_id from payloads where client_id = $1 and is_copy) m using (payload_id)
    join payloads p on p.payload_id = coalesce(c.payload_id, m.payload_id)
    left join payloads o on o.payload_id = c.first_payload_id
    left join message_firsts f on f.client_id = $1 and f.payload_id = c.first_payload_id
  ) x where detail is not null
  union all
  select p.payload_reference, 'first, and a copy' from message_firsts f join payloads p using (client_id, payload_id)
  where f.client_id = $1 and p.is_copy`
