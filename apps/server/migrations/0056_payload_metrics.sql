-- What each phone handed over, per person, group and type, in each day, week, month and year, and in all: first, last and how many. Counted by
-- the database as payloads arrive, and as they are deleted, restored or filed elsewhere: as lists of them count.
create table payload_metrics (
  client_id        int not null,
  -- d day, w week (from Monday), m month, y year, all of UTC; a all time.
  scope            "char" not null check (scope in ('d', 'w', 'm', 'y', 'a')),
  -- Its first second; 0 of all time.
  period           bigint not null,
  device_id        int not null,
  -- Whose it was; 0: nobody's.
  device_user_id   int not null,
  group_id         int not null,
  type             smallint not null,
  -- Tells rows of the same period apart.
  metric_id        bigint generated always as identity,
  count            bigint not null,
  first_occurrence bigint not null,
  last_occurrence  bigint not null,
  updated_at       bigint not null,
  primary key (client_id, scope, device_id, period, type, group_id, device_user_id)
) with (fillfactor = 70);
-- Nothing that changes stands in an index, so that counting stays heap-only.
create index payload_metrics_time on payload_metrics (client_id, scope, period desc, metric_id desc);
create index payload_metrics_group on payload_metrics (client_id, scope, group_id, period desc, metric_id desc);
create index payload_metrics_user on payload_metrics (client_id, scope, device_user_id, period desc, metric_id desc);

create function metric_periods(at bigint) returns table (scope "char", period bigint) language sql immutable as $$
  select 'd'::"char", at - at % 86400
  union all select v.scope, greatest(0, extract(epoch from date_trunc(v.unit, to_timestamp(at) at time zone 'UTC') at time zone 'UTC')::bigint)
    from (values ('w'::"char", 'week'), ('m'::"char", 'month'), ('y'::"char", 'year')) v (scope, unit)
  union all select 'a'::"char", 0::bigint
$$;

-- Three things change what is counted: what comes, what is filed elsewhere, and what is deleted or restored. Each is told by the table that records
-- it, in the statement that does.
do $$
declare
  kind record;
  changes text := $sql$
    insert into payload_metrics as m (client_id, scope, period, device_id, device_user_id, group_id, type, count, first_occurrence, last_occurrence,
        updated_at)
      -- What leaves moves neither end of the time. In the order of the key, so that no two transactions wait for each other in a circle.
      select client_id, s.scope, s.period, device_id, coalesce(device_user_id, 0), group_id, type, sum(n),
        min(case when n > 0 then payload_time else 9223372036854775807 end), max(case when n > 0 then payload_time else -1 end), max(at)
      from (%s) x cross join lateral metric_periods(payload_time) s
      group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 4, 3, 7, 6, 5
      on conflict (client_id, scope, device_id, period, type, group_id, device_user_id) do update set count = m.count + excluded.count,
        first_occurrence = least(m.first_occurrence, excluded.first_occurrence),
        last_occurrence = greatest(m.last_occurrence, excluded.last_occurrence), updated_at = greatest(m.updated_at, excluded.updated_at);
  $sql$;
  -- Where the first or the last one left, the next in order is looked for from there on.
  ends text := $sql$
    delete from payload_metrics m using (select distinct client_id, device_id from (%1$s) x where n < 0) d
      where m.client_id = d.client_id and m.device_id = d.device_id and m.count = 0;
    update payload_metrics m set
        first_occurrence = (select p.payload_time from payloads p
          where p.client_id = m.client_id and p.device_id = m.device_id and p.service = r.service and p.type = m.type and p.group_id = m.group_id
            and coalesce(p.device_user_id, 0) = m.device_user_id and p.payload_time between m.first_occurrence and m.last_occurrence
            and p.state not in (9, 10) order by p.payload_time limit 1),
        last_occurrence = (select p.payload_time from payloads p
          where p.client_id = m.client_id and p.device_id = m.device_id and p.service = r.service and p.type = m.type and p.group_id = m.group_id
            and coalesce(p.device_user_id, 0) = m.device_user_id and p.payload_time between m.first_occurrence and m.last_occurrence
            and p.state not in (9, 10) order by p.payload_time desc limit 1)
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
      ('payload_refilings', 'move_in_metrics', 'true', changes || ends,
        format('select %s, x.device_user_id, x.group_id, x.n, c.at from changed c join payloads p using (client_id, payload_id)
          cross join lateral (values (c.from_user, c.from_group, -1), (c.to_user, c.to_group, 1)) x (device_user_id, group_id, n)
          where p.state not in (9, 10)', known)),
      -- Most steps are none of those: the way of a payload to where it rests.
      ('payload_history', 'restore_in_metrics',
        'exists (select from changed where from_state is not null and (from_state in (9, 10)) <> (to_state in (9, 10)))', changes || ends,
        format('select %s, p.device_user_id, p.group_id, case when c.to_state in (9, 10) then -1 else 1 end as n, c.at
          from changed c join payloads p using (client_id, payload_id)
          where c.from_state is not null and (c.from_state in (9, 10)) <> (c.to_state in (9, 10))', known))
    ) k (source, name, condition, body, changed)
  loop
    execute format('create function %I() returns trigger language plpgsql as $f$ begin if %s then %s end if; return null; end $f$',
      kind.name, kind.condition, format(kind.body, kind.changed));
    execute format('create trigger %I after insert on %I referencing new table as changed for each statement execute function %1$I()',
      kind.name, kind.source);
  end loop;
end $$;

-- Whoever fills tables without triggers, as this upgrade does, counts afterwards. The tenant must be set: row-level security is forced.
create function recount_payload_metrics(client int) returns void language sql as $$
  delete from payload_metrics where client_id = client;
  insert into payload_metrics (client_id, scope, period, device_id, device_user_id, group_id, type, count, first_occurrence, last_occurrence, updated_at)
    select client_id, s.scope, s.period, device_id, coalesce(device_user_id, 0), group_id, type, count(*), min(payload_time), max(payload_time),
      max(announced_at)
    from payloads cross join lateral metric_periods(payload_time) s where client_id = client and state not in (9, 10) group by 1, 2, 3, 4, 5, 6, 7 order by 2, 3, 4;
$$;

alter table payload_metrics enable row level security;
alter table payload_metrics force row level security;
create policy tenant on payload_metrics using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_metrics to custodia_app;
do $$
declare
  tenant int;
begin
  for tenant in select client_id from clients loop
    perform set_config('custodia.client_id', tenant::text, true);
    perform recount_payload_metrics(tenant);
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;
