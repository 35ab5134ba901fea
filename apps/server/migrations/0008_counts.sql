-- Counts that change with the rows they count: totals, conversations, metrics and reviews.

-- Payloads of a month by its days, and of a year by its months, by payload_time (UTC). `start` is the first second. Type 0
-- is all types together, group 0 all groups. Deleted payloads and duplicate uploads are left out. A transaction that
-- changes payloads changes these rows too.
create table payload_counts (
  client_id int not null,
  service   smallint not null,
  type      smallint not null,
  group_id  int not null,
  grain     "char" not null check (grain in ('m', 'y')),
  start     bigint not null,
  total     int not null,
  parts     int[] not null check (cardinality(parts) = 31),
  primary key (client_id, grain, service, type, group_id, start)
) with (fillfactor = 60);
alter table payload_counts enable row level security;
alter table payload_counts force row level security;
create policy tenant on payload_counts using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on payload_counts to custodia_app;

-- Messages of each conversation in list order. Deleted messages leave it.
create table payload_threads (
  client_id    int not null,
  device_id    int not null,
  thread_id    text collate "C" not null,
  service      smallint not null,
  payload_time bigint not null,
  payload_id   bigint not null,
  group_id     int not null,
  type         smallint not null,
  primary key (client_id, device_id, thread_id, service, payload_time, payload_id) include (group_id, type)
) with (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 5000);
alter table payload_threads enable row level security;
alter table payload_threads force row level security;
create policy tenant on payload_threads using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_threads to custodia_app;

-- Messages per conversation, group and type, and the last one. The group is part of the key because a device may change
-- hands.
create table thread_counts (
  client_id       int not null,
  device_id       int not null,
  thread_id       text collate "C" not null,
  group_id        int not null,
  type            smallint not null,
  count           bigint not null,
  last_time       bigint not null,
  last_payload_id bigint not null,
  primary key (client_id, device_id, thread_id, group_id, type)
) with (fillfactor = 70);
create index thread_counts_latest on thread_counts (client_id, last_time, device_id, thread_id) include (group_id, type);
alter table thread_counts enable row level security;
alter table thread_counts force row level security;
create policy tenant on thread_counts using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on thread_counts to custodia_app;

-- One transaction at a time changes the conversations of a device, so that rows of counts are never locked in two
-- orders.
create function lock_threads(client int, devices int[]) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('threads:' || client || ':' || device, 0))
    from (select distinct device from unnest(devices) device order by device) d;
end $$;

create function count_added_to_threads() returns trigger language plpgsql as $$
begin
  perform lock_threads(client_id, array_agg(device_id)) from added group by client_id;
  insert into thread_counts as c
    select client_id, device_id, thread_id, group_id, type, count(*), max(payload_time),
      (array_agg(payload_id order by payload_time desc, payload_id desc))[1]
    from added group by 1, 2, 3, 4, 5
    on conflict (client_id, device_id, thread_id, group_id, type) do update set count = c.count + excluded.count,
      last_time = greatest(c.last_time, excluded.last_time),
      last_payload_id = case when (excluded.last_time, excluded.last_payload_id) > (c.last_time, c.last_payload_id)
        then excluded.last_payload_id else c.last_payload_id end;
  return null;
end $$;
create trigger threads_added after insert on payload_threads
  referencing new table as added for each statement execute function count_added_to_threads();
create trigger threads_reassigned_b after update on payload_threads
  referencing new table as added for each statement execute function count_added_to_threads();

create function count_removed_from_threads() returns trigger language plpgsql as $$
begin
  perform lock_threads(client_id, array_agg(device_id)) from removed group by client_id;
  update thread_counts c set count = c.count - r.n, last_time = coalesce(l.payload_time, 0), last_payload_id = coalesce(l.payload_id, 0)
    from (select client_id, device_id, thread_id, group_id, type, service, count(*) as n from removed group by 1, 2, 3, 4, 5, 6) r
    left join lateral (
      select payload_time, payload_id from payload_threads t
      where t.client_id = r.client_id and t.device_id = r.device_id and t.thread_id = r.thread_id and t.service = r.service
        and t.group_id = r.group_id and t.type = r.type
      order by payload_time desc, payload_id desc limit 1) l on true
    where (c.client_id, c.device_id, c.thread_id, c.group_id, c.type) = (r.client_id, r.device_id, r.thread_id, r.group_id, r.type);
  delete from thread_counts c using (select distinct client_id, device_id from removed) r
    where c.client_id = r.client_id and c.device_id = r.device_id and c.count = 0;
  return null;
end $$;
create trigger threads_removed after delete on payload_threads
  referencing old table as removed for each statement execute function count_removed_from_threads();
-- Triggers run in the order of their names: a reassigned message leaves one count, then joins another.
create trigger threads_reassigned_a after update on payload_threads
  referencing old table as removed for each statement execute function count_removed_from_threads();

create function file_in_threads() returns trigger language plpgsql as $$
begin
  insert into payload_threads
    select p.client_id, p.device_id, d.thread_id, p.service, p.payload_time, p.payload_id, p.group_id, p.type
    from added d join payloads p using (client_id, payload_id)
    -- 9 Deleted, 10 Destroyed
    where d.thread_id is not null and p.state not in (9, 10) and not p.is_copy
    on conflict do nothing;
  return null;
end $$
;
create trigger documents_in_threads after insert on payload_documents
  referencing new table as added for each statement execute function file_in_threads();

-- For programs that fill tables without triggers. The tenant must be set, because row-level security is forced.
create function recount_threads(client integer) returns void language sql as $$
  delete from payload_threads where client_id = client;
  insert into payload_threads
    select p.client_id, p.device_id, d.thread_id, p.service, p.payload_time, p.payload_id, p.group_id, p.type
    from payload_documents d join payloads p using (client_id, payload_id)
    where d.client_id = client and d.thread_id is not null and p.state not in (9, 10) and not p.is_copy;
  delete from thread_counts where client_id = client;
  insert into thread_counts
    select client_id, device_id, thread_id, group_id, type, count(*), max(payload_time),
      (array_agg(payload_id order by payload_time desc, payload_id desc))[1]
    from payload_threads where client_id = client group by 1, 2, 3, 4, 5;
$$
;

-- Payloads per device, person, group and type, by day, week, month, year and in total: number, first and last. Triggers
-- keep them current, as lists count them.
create table payload_metrics (
  client_id        int not null,
  -- d day, w week (from Monday), m month, y year, all of UTC; a all time.
  scope            "char" not null check (scope in ('d', 'w', 'm', 'y', 'a')),
  -- Its first second. 0: all time.
  period           bigint not null,
  device_id        int not null,
  -- 0: no holder.
  device_user_id   int not null,
  group_id         int not null,
  type             smallint not null,
  -- Distinguishes rows of the same period.
  metric_id        bigint generated always as identity,
  count            bigint not null,
  first_occurrence bigint not null,
  last_occurrence  bigint not null,
  updated_at       bigint not null,
  primary key (client_id, scope, device_id, period, type, group_id, device_user_id)
) with (fillfactor = 70);
-- No volatile column is indexed, so that updates stay heap-only.
create index payload_metrics_time on payload_metrics (client_id, scope, period, metric_id);
create index payload_metrics_group on payload_metrics (client_id, scope, group_id, period, metric_id);
create index payload_metrics_user on payload_metrics (client_id, scope, device_user_id, period, metric_id);
alter table payload_metrics enable row level security;
alter table payload_metrics force row level security;
create policy tenant on payload_metrics using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_metrics to custodia_app;

create function metric_periods(at bigint) returns table (scope "char", period bigint) language sql immutable as $$
  select 'd'::"char", at - at % 86400
  union all select v.scope, greatest(0, extract(epoch from date_trunc(v.unit, to_timestamp(at) at time zone 'UTC') at time zone 'UTC')::bigint)
    from (values ('w'::"char", 'week'), ('m'::"char", 'month'), ('y'::"char", 'year')) v (scope, unit)
  union all select 'a'::"char", 0::bigint
$$;

-- Announcements, reassignments and duplicate uploads change these counts. A trigger of the table that records the
-- change updates them in the same statement.
do $$
declare
  kind record;
  changes text := $sql$
    insert into payload_metrics as m (client_id, scope, period, device_id, device_user_id, group_id, type, count, first_occurrence, last_occurrence,
        updated_at)
      -- A removal moves neither end of the time here. In the order of the key, so that no two transactions wait for
      -- each other.
      select client_id, s.scope, s.period, device_id, coalesce(device_user_id, 0), group_id, type, sum(n),
        min(case when n > 0 then payload_time else 9223372036854775807 end), max(case when n > 0 then payload_time else -1 end), max(at)
      from (%s) x cross join lateral metric_periods(payload_time) s
      group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 4, 3, 7, 6, 5
      on conflict (client_id, scope, device_id, period, type, group_id, device_user_id) do update set count = m.count + excluded.count,
        first_occurrence = least(m.first_occurrence, excluded.first_occurrence),
        last_occurrence = greatest(m.last_occurrence, excluded.last_occurrence), updated_at = greatest(m.updated_at, excluded.updated_at);
  $sql$;
  -- Where the first or last payload left, look for the next one from there.
  ends text := $sql$
    delete from payload_metrics m using (select distinct client_id, device_id from (%1$s) x where n < 0) d
      where m.client_id = d.client_id and m.device_id = d.device_id and m.count = 0;
    update payload_metrics m set
        first_occurrence = (select p.payload_time from payloads p
          where p.client_id = m.client_id and p.device_id = m.device_id and p.service = r.service and p.type = m.type and p.group_id = m.group_id
            and coalesce(p.device_user_id, 0) = m.device_user_id and p.payload_time between m.first_occurrence and m.last_occurrence
            and p.state not in (9, 10) and not p.is_copy order by p.payload_time limit 1),
        last_occurrence = (select p.payload_time from payloads p
          where p.client_id = m.client_id and p.device_id = m.device_id and p.service = r.service and p.type = m.type and p.group_id = m.group_id
            and coalesce(p.device_user_id, 0) = m.device_user_id and p.payload_time between m.first_occurrence and m.last_occurrence
            and p.state not in (9, 10) and not p.is_copy order by p.payload_time desc limit 1)
      from (
        select client_id, device_id, coalesce(device_user_id, 0) as device_user_id, group_id, service, type, s.scope, s.period,
          min(payload_time) as earliest, max(payload_time) as latest
        from (%1$s) x cross join lateral metric_periods(payload_time) s where n < 0 group by 1, 2, 3, 4, 5, 6, 7, 8) r
      where (m.client_id, m.scope, m.device_id, m.period, m.type, m.group_id, m.device_user_id) =
          (r.client_id, r.scope, r.device_id, r.period, r.type, r.group_id, r.device_user_id)
        and (r.earliest <= m.first_occurrence or r.latest >= m.last_occurrence);
  $sql$;
  known text := 'c.client_id, p.device_id, p.service, p.type, p.payload_time';
begin
  for kind in
    select * from (values
      -- 9 Deleted, 10 Destroyed
      ('payloads', 'count_in_metrics', 'true', changes,
        'select c.*, 1 as n, announced_at as at from changed c where state not in (9, 10)'),
      ('payload_reassignments', 'move_in_metrics', 'true', changes || ends,
        format('select %s, x.device_user_id, x.group_id, x.n, c.at from changed c join payloads p using (client_id, payload_id)
          cross join lateral (values (c.from_user, c.from_group, -1), (c.to_user, c.to_group, 1)) x (device_user_id, group_id, n)
          where p.state not in (9, 10) and not p.is_copy', known)),
      -- A message that turns out to be a duplicate upload.
      ('payload_copies', 'uncount_copies_in_metrics', 'exists (select from changed)', changes || ends,
        format('select %s, p.device_user_id, p.group_id, -1 as n, c.at
          from changed c join payloads p using (client_id, payload_id)
          where p.state not in (9, 10)', known))
    ) k (source, name, condition, body, changed)
  loop
    execute format('create function %I() returns trigger language plpgsql as $f$ begin if %s then %s end if; return null; end $f$',
      kind.name, kind.condition, format(kind.body, kind.changed));
    execute format('create trigger %I after insert on %I referencing new table as changed for each statement execute function %1$I()',
      kind.name, kind.source);
  end loop;
  -- A duplicate that is shown again, because its first message is deleted.
  execute format('create function show_in_metrics() returns trigger language plpgsql as $f$ begin %s return null; end $f$',
    format(changes, 'select new.client_id, new.device_id, new.service, new.type, new.payload_time, new.device_user_id, new.group_id, 1 as n,
      extract(epoch from now())::bigint as at'));
  create trigger show_in_metrics after update of is_copy on payloads
    for each row when (old.is_copy and not new.is_copy) execute function show_in_metrics();
end $$;

-- Deletions and restorations. A deletion changes five rows per payload: the rows are locked, and each is written once.
create function restore_in_metrics() returns trigger language plpgsql as $f$
declare
  places tid[];
  counts bigint[];
  services smallint[];
  earliests bigint[];
  latests bigint[];
  times bigint[];
begin
  if exists (select from changed where from_state in (9, 10) and to_state not in (9, 10)) then
    insert into payload_metrics as m (client_id, scope, period, device_id, device_user_id, group_id, type, count, first_occurrence, last_occurrence,
        updated_at)
      -- In the order of the key, so that no two transactions wait for each other.
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
    -- The rows are locked in the order of the key, and a row stays where it is while it is locked.
    select array_agg(place), array_agg(n), array_agg(service), array_agg(earliest), array_agg(latest), array_agg(at)
      into places, counts, services, earliests, latests, times
      from (
        select m.ctid as place, r.n, r.service, r.earliest, r.latest, r.at from (
          select c.client_id, s.scope, p.device_id, s.period, p.type, p.group_id, coalesce(p.device_user_id, 0) as device_user_id, p.service,
            count(*) as n, min(p.payload_time) as earliest, max(p.payload_time) as latest, max(c.at) as at
          from changed c join payloads p using (client_id, payload_id) cross join lateral metric_periods(p.payload_time) s
          where not p.is_copy and c.from_state not in (9, 10) and c.to_state in (9, 10)
          group by 1, 2, 3, 4, 5, 6, 7, 8 order by 1, 2, 3, 4, 5, 6, 7) r
        join payload_metrics m using (client_id, scope, device_id, period, type, group_id, device_user_id)
        order by r.client_id, r.scope, r.device_id, r.period, r.type, r.group_id, r.device_user_id
        for update of m) locked;
    -- A statement of its own: it sees what was committed while the first one waited.
    with r as materialized (
      select * from unnest(places, counts, services, earliests, latests, times) r (place, n, service, earliest, latest, at)
    ), emptied as (
      delete from payload_metrics m using r where m.ctid = r.place and m.count = r.n
    )
    update payload_metrics m set count = m.count - r.n, updated_at = greatest(m.updated_at, r.at),
      -- Where the first or last payload left, look for the next one from there.
      first_occurrence = case when r.earliest > m.first_occurrence then m.first_occurrence else (select p.payload_time from payloads p
        where p.client_id = m.client_id and p.device_id = m.device_id and p.service = r.service and p.type = m.type and p.group_id = m.group_id
          and coalesce(p.device_user_id, 0) = m.device_user_id and p.payload_time between m.first_occurrence and m.last_occurrence
          and p.state not in (9, 10) and not p.is_copy order by p.payload_time limit 1) end,
      last_occurrence = case when r.latest < m.last_occurrence then m.last_occurrence else (select p.payload_time from payloads p
        where p.client_id = m.client_id and p.device_id = m.device_id and p.service = r.service and p.type = m.type and p.group_id = m.group_id
          and coalesce(p.device_user_id, 0) = m.device_user_id and p.payload_time between m.first_occurrence and m.last_occurrence
          and p.state not in (9, 10) and not p.is_copy order by p.payload_time desc limit 1) end
    from r where m.ctid = r.place and m.count <> r.n;
  end if;
  return null;
end $f$;
create trigger restore_in_metrics after insert on payload_history referencing new table as changed for each statement execute function restore_in_metrics();

-- For programs that fill tables without triggers. The tenant must be set, because row-level security is forced.
create function recount_payload_metrics(client integer) returns void language sql as $$
  delete from payload_metrics where client_id = client;
  insert into payload_metrics (client_id, scope, period, device_id, device_user_id, group_id, type, count, first_occurrence, last_occurrence, updated_at)
    select client_id, s.scope, s.period, device_id, coalesce(device_user_id, 0), group_id, type, count(*), min(payload_time), max(payload_time),
      max(announced_at)
    from payloads cross join lateral metric_periods(payload_time) s where client_id = client and state not in (9, 10) and not is_copy group by 1, 2, 3, 4, 5, 6, 7 order by 2, 3, 4;
$$
;

-- The last mark of each person, and under the empty name the last of all people: lists filter by it, in list order.
-- Follows payload_marks.
create table payload_marked (
  client_id    int not null,
  payload_id   bigint not null,
  person       text collate "C" not null,
  mark         text collate "C" not null,
  mark_id      text collate "C" not null,
  service      smallint not null,
  payload_time bigint not null,
  group_id     int not null,
  type         smallint not null,
  primary key (client_id, payload_id, person)
) with (fillfactor = 80);
create index payload_marked_list on payload_marked (client_id, person, mark, service, payload_time, payload_id) include (group_id, type);
alter table payload_marked enable row level security;
alter table payload_marked force row level security;
create policy tenant on payload_marked using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_marked to custodia_app;

-- Who opened or heard a payload, and under the empty name whether any person did. Follows payload_audit for messages and
-- photos, and payload_plays for calls, interviews and videos.
create table payload_opened (
  client_id    int not null,
  payload_id   bigint not null,
  person       text collate "C" not null,
  opened_at    bigint not null,
  service      smallint not null,
  payload_time bigint not null,
  group_id     int not null,
  type         smallint not null,
  primary key (client_id, payload_id, person)
);
create index payload_opened_list on payload_opened (client_id, person, service, payload_time, payload_id) include (group_id, type);
alter table payload_opened enable row level security;
alter table payload_opened force row level security;
create policy tenant on payload_opened using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_opened to custodia_app;

-- Reviews per day (UTC, its first second), person and group of that time. `listened` counts tenths of a second.
create table review_days (
  client_id int not null,
  day       bigint not null,
  person    text collate "C" not null,
  group_id  int not null,
  type      smallint not null,
  act       text collate "C" not null check (act in ('heard', 'listened', 'reviewed', 'too_little', 'flagged', 'escalated')),
  count     bigint not null,
  primary key (client_id, day, person, group_id, type, act)
) with (fillfactor = 70);
alter table review_days enable row level security;
alter table review_days force row level security;
create policy tenant on review_days using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on review_days to custodia_app;

-- Viewing and reading are actions in payload_audit. The first action of each person counts once, on its day. What is
-- played counts by its parts (`note_heard`).
create function note_opened() returns trigger language plpgsql as $$
begin
  -- Locked in one order, so that a concurrent reassignment or deletion finds who opened the payload.
  perform from payloads where payload_id in (select payload_id from fresh where action in ('payloads:play', 'devices.sms:read'))
    order by payload_id for share;
  with acts as (
    select distinct on (a.client_id, a.payload_id, a.portal_user) a.client_id, a.payload_id, a.portal_user as person, a.at,
      p.service, p.payload_time, p.group_id, p.type
    from fresh a join payloads p using (client_id, payload_id)
    -- 9 Deleted, 10 Destroyed; lists leave out duplicate uploads
    -- 1 calls, 3 interviews, 5 videos
    where a.action in ('payloads:play', 'devices.sms:read') and p.state not in (9, 10) and not p.is_copy and p.service not in (1, 3, 5)
    order by a.client_id, a.payload_id, a.portal_user, a.at
  ), own as (
    insert into payload_opened (client_id, payload_id, person, opened_at, service, payload_time, group_id, type)
    select client_id, payload_id, person, at, service, payload_time, group_id, type from acts order by 1, 2, 3
    on conflict do nothing returning *
  )
  insert into review_days as d (client_id, day, person, group_id, type, act, count)
    select client_id, opened_at - opened_at % 86400, person, group_id, type, 'heard', count(*) from own
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (client_id, day, person, group_id, type, act) do update set count = d.count + excluded.count;
  insert into payload_opened (client_id, payload_id, person, opened_at, service, payload_time, group_id, type)
    select distinct on (p.client_id, p.payload_id) p.client_id, p.payload_id, '', a.at, p.service, p.payload_time, p.group_id, p.type
    from fresh a join payloads p using (client_id, payload_id)
    where a.action in ('payloads:play', 'devices.sms:read') and p.state not in (9, 10) and not p.is_copy and p.service not in (1, 3, 5)
    order by p.client_id, p.payload_id, a.at
    on conflict do nothing;
  return null;
end $$;
create trigger heard after insert on payload_audit referencing new table as fresh for each statement execute function note_opened();

-- Played parts only grow. What a person hears for the first time counts on the day of the report.
create function note_heard() returns trigger language plpgsql as $$
declare
  gained int := tenths_of(new.parts);
begin
  if tg_op = 'UPDATE' then
    if not new.parts @> old.parts then
      raise exception 'played parts are never removed' using errcode = 'check_violation', constraint = 'payload_plays_grow';
    end if;
    gained := gained - tenths_of(old.parts);
  end if;
  perform from payloads where payload_id = new.payload_id for share;
  with counted as (
    insert into payload_opened (client_id, payload_id, person, opened_at, service, payload_time, group_id, type)
      select p.client_id, p.payload_id, person, new.first_at, p.service, p.payload_time, p.group_id, p.type
      from payloads p, unnest(array['', new.person]) person
      where p.client_id = new.client_id and p.payload_id = new.payload_id and new.is_heard and p.state not in (9, 10) and not p.is_copy
      order by person
      on conflict do nothing returning person
  )
  insert into review_days as d (client_id, day, person, group_id, type, act, count)
    select p.client_id, new.last_at - new.last_at % 86400, new.person, p.group_id, p.type, act, n
    from payloads p, (values ('heard', (select count(*) from counted where person <> '')), ('listened', gained)) acts (act, n)
    where p.client_id = new.client_id and p.payload_id = new.payload_id and p.state not in (9, 10) and not p.is_copy and n > 0
    order by act
    on conflict (client_id, day, person, group_id, type, act) do update set count = d.count + excluded.count;
  return null;
end $$;
create trigger heard after insert or update on payload_plays for each row execute function note_heard();

-- Builds the review rows again from audit, plays and marks: for restored payloads, and for programs that fill tables without
-- triggers. The tenant must be set, because row-level security is forced. `ids` null: all payloads that are not
-- deleted.
create function rebuild_review(client int, ids bigint[]) returns void language sql as $$
  insert into payload_opened (client_id, payload_id, person, opened_at, service, payload_time, group_id, type)
    select p.client_id, p.payload_id, a.person, a.at, p.service, p.payload_time, p.group_id, p.type
    from (
      with acts as (
        select a.payload_id, a.portal_user as person, a.at from payload_audit a join payloads p using (payload_id)
        where a.client_id = client and a.action in ('payloads:play', 'devices.sms:read') and (ids is null or a.payload_id = any(ids))
          and p.service not in (1, 3, 5)
        union all
        select payload_id, person, first_at from payload_plays where client_id = client and is_heard and (ids is null or payload_id = any(ids))
      )
      select payload_id, person, min(at) as at from acts group by 1, 2
      union all
      select payload_id, '', min(at) from acts group by 1
    ) a join payloads p using (payload_id) where p.client_id = client and p.state not in (9, 10) and not p.is_copy
    on conflict do nothing;
  insert into payload_marked (client_id, payload_id, person, mark, mark_id, service, payload_time, group_id, type)
    select p.client_id, p.payload_id, m.person, m.mark, m.mark_id, p.service, p.payload_time, p.group_id, p.type
    from (
      (select distinct on (payload_id, marked_by) payload_id, marked_by as person, mark, mark_id from payload_marks
       where client_id = client and withdrawn_at is null and (ids is null or payload_id = any(ids)) order by payload_id, marked_by, mark_id desc)
      union all
      (select distinct on (payload_id) payload_id, '', mark, mark_id from payload_marks
       where client_id = client and withdrawn_at is null and (ids is null or payload_id = any(ids)) order by payload_id, mark_id desc)
    ) m join payloads p using (payload_id) where p.client_id = client and p.state not in (9, 10) and not p.is_copy
    on conflict do nothing;
$$;
