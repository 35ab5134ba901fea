-- Retention deletes whole pages of payloads at once, the oldest first: with a fifth of each page free three in four of them went elsewhere, into every
-- index of the table. Pages that are written from now on take the new version of nearly all of their rows.
alter table payloads set (fillfactor = 55);

-- What is deleted leaves five rows of the metrics each. They were counted, those that became empty were removed, and the ends were looked for, each by
-- a statement that wrote the row. Now they are locked, and each is written once: removed, or counted with its ends.
create or replace function restore_in_metrics() returns trigger language plpgsql as $f$ begin
  if exists (select from changed where from_state in (9, 10) and to_state not in (9, 10)) then
    insert into payload_metrics as m (client_id, scope, period, device_id, device_user_id, group_id, type, count, first_occurrence, last_occurrence,
        updated_at)
      -- In the order of the key, so that no two transactions wait for each other in a circle.
      select c.client_id, s.scope, s.period, p.device_id, coalesce(p.device_user_id, 0), p.group_id, p.type, count(*), min(p.payload_time),
        max(p.payload_time), max(c.at)
      from changed c join payloads p using (client_id, payload_id) cross join lateral metric_periods(p.payload_time) s
      where not p.is_copy and c.from_state in (9, 10) and c.to_state not in (9, 10)
      group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 4, 3, 7, 6, 5
      on conflict (client_id, scope, device_id, period, type, group_id, device_user_id) do update set count = m.count + excluded.count,
        first_occurrence = least(m.first_occurrence, excluded.first_occurrence),
        last_occurrence = greatest(m.last_occurrence, excluded.last_occurrence), updated_at = greatest(m.updated_at, excluded.updated_at);
  end if;
  if exists (select from changed where from_state not in (9, 10) and to_state in (9, 10)) then
    -- A statement of its own: the next one sees what was committed while it waited. In the order of the key as well.
    perform from (
        select distinct c.client_id, s.scope, p.device_id, s.period, p.type, p.group_id, coalesce(p.device_user_id, 0) as device_user_id
        from changed c join payloads p using (client_id, payload_id) cross join lateral metric_periods(p.payload_time) s
        where not p.is_copy and c.from_state not in (9, 10) and c.to_state in (9, 10)
        order by 1, 2, 3, 4, 5, 6, 7) r
      join payload_metrics m using (client_id, scope, device_id, period, type, group_id, device_user_id)
      order by r.client_id, r.scope, r.device_id, r.period, r.type, r.group_id, r.device_user_id
      for update of m;
    with r as materialized (
      select c.client_id, s.scope, s.period, p.device_id, coalesce(p.device_user_id, 0) as device_user_id, p.group_id, p.service, p.type,
        count(*) as n, min(p.payload_time) as earliest, max(p.payload_time) as latest, max(c.at) as at
      from changed c join payloads p using (client_id, payload_id) cross join lateral metric_periods(p.payload_time) s
      where not p.is_copy and c.from_state not in (9, 10) and c.to_state in (9, 10)
      group by 1, 2, 3, 4, 5, 6, 7, 8
    ), emptied as (
      delete from payload_metrics m using r
      where (m.client_id, m.scope, m.device_id, m.period, m.type, m.group_id, m.device_user_id) =
          (r.client_id, r.scope, r.device_id, r.period, r.type, r.group_id, r.device_user_id) and m.count = r.n
    )
    update payload_metrics m set count = m.count - r.n, updated_at = greatest(m.updated_at, r.at),
      -- Where the first or the last one left, the next in order is looked for from there on.
      first_occurrence = case when r.earliest > m.first_occurrence then m.first_occurrence else (select p.payload_time from payloads p
        where p.client_id = m.client_id and p.device_id = m.device_id and p.service = r.service and p.type = m.type and p.group_id = m.group_id
          and coalesce(p.device_user_id, 0) = m.device_user_id and p.payload_time between m.first_occurrence and m.last_occurrence
          and p.state not in (9, 10) and not p.is_copy order by p.payload_time limit 1) end,
      last_occurrence = case when r.latest < m.last_occurrence then m.last_occurrence else (select p.payload_time from payloads p
        where p.client_id = m.client_id and p.device_id = m.device_id and p.service = r.service and p.type = m.type and p.group_id = m.group_id
          and coalesce(p.device_user_id, 0) = m.device_user_id and p.payload_time between m.first_occurrence and m.last_occurrence
          and p.state not in (9, 10) and not p.is_copy order by p.payload_time desc limit 1) end
    from r
    where (m.client_id, m.scope, m.device_id, m.period, m.type, m.group_id, m.device_user_id) =
        (r.client_id, r.scope, r.device_id, r.period, r.type, r.group_id, r.device_user_id) and m.count <> r.n;
  end if;
  return null;
end $f$;
