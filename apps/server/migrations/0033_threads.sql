-- Conversations. A phone may hold a million messages: its page lists the threads with their counts, and a thread is read from any date on,
-- without looking at the messages of the others. Both follow the documents, in which the thread of a message stands.

-- The messages of each thread in the order of lists. What retention deletes leaves it.
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

-- How many there are per group and type, for a phone may have changed hands, and which came last.
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

create function file_in_threads() returns trigger language plpgsql as $$
begin
  insert into payload_threads
    select p.client_id, p.device_id, d.thread_id, p.service, p.payload_time, p.payload_id, p.group_id, p.type
    from added d join payloads p using (client_id, payload_id)
    -- 9 Deleted, 10 Destroyed
    where d.thread_id is not null and p.state not in (9, 10)
    on conflict do nothing;
  return null;
end $$;

-- Whoever changes the threads of a phone does so one after the other: several rows of counts are never locked in two orders.
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

-- Whoever fills tables without triggers, as this upgrade does, files and counts afterwards. The tenant must be set: row-level security is
-- forced.
create function recount_threads(client int) returns void language sql as $$
  delete from payload_threads where client_id = client;
  insert into payload_threads
    select p.client_id, p.device_id, d.thread_id, p.service, p.payload_time, p.payload_id, p.group_id, p.type
    from payload_documents d join payloads p using (client_id, payload_id)
    where d.client_id = client and d.thread_id is not null and p.state not in (9, 10);
  delete from thread_counts where client_id = client;
  insert into thread_counts
    select client_id, device_id, thread_id, group_id, type, count(*), max(payload_time),
      (array_agg(payload_id order by payload_time desc, payload_id desc))[1]
    from payload_threads where client_id = client group by 1, 2, 3, 4, 5;
$$;

grant select, insert, update, delete on payload_threads, thread_counts to custodia_app;
do $$
declare
  name text;
  tenant int;
begin
  foreach name in array array['payload_threads', 'thread_counts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
  for tenant in select client_id from clients loop
    perform set_config('custodia.client_id', tenant::text, true);
    perform recount_threads(tenant);
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;

create trigger documents_in_threads after insert on payload_documents
  referencing new table as added for each statement execute function file_in_threads();
create trigger threads_added after insert on payload_threads
  referencing new table as added for each statement execute function count_added_to_threads();
create trigger threads_removed after delete on payload_threads
  referencing old table as removed for each statement execute function count_removed_from_threads();
-- In this order, which is that of their names: what is filed elsewhere leaves one count and joins another.
create trigger threads_refiled_a after update on payload_threads
  referencing old table as removed for each statement execute function count_removed_from_threads();
create trigger threads_refiled_b after update on payload_threads
  referencing new table as added for each statement execute function count_added_to_threads();
