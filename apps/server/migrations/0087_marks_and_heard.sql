-- What reviewers make of recordings, and who has heard them. Marks are evidence: written once. A note, and the result with which an escalation is
-- closed, are free text: sealed under a key of their mark.
create table payload_marks (
  client_id     int not null,
  mark_id       text collate "C" not null,
  payload_id    bigint not null,
  mark          text collate "C" not null check (mark in ('reviewed', 'flagged', 'escalated')),
  -- Of the list that the account keeps, as it was called then.
  reason        text,
  marked_at     bigint not null,
  marked_by     text collate "C" not null,
  sealed_note   bytea,
  -- Of an escalation: closed once, by somebody who may.
  decided_at    bigint,
  decided_by    text,
  sealed_result bytea,
  /* wrapped by the key provider; null where nothing is sealed, and once destroyed */
  wrapped_key   bytea,
  primary key (client_id, mark_id),
  check ((decided_at is null) = (decided_by is null)),
  check (decided_at is null or mark = 'escalated'),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index payload_marks_payload on payload_marks (client_id, payload_id, mark_id desc);

-- The last mark of each person, and under the empty name that of anybody: what lists filter by, in the order of lists. Follows the marks.
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
create index payload_marked_list on payload_marked (client_id, person, mark, service, payload_time desc, payload_id desc) include (group_id, type);

-- Who has heard, seen or read a payload, and under the empty name that anybody has. Follows the payload's own audit.
create table payload_heard (
  client_id    int not null,
  payload_id   bigint not null,
  person       text collate "C" not null,
  heard_at     bigint not null,
  service      smallint not null,
  payload_time bigint not null,
  group_id     int not null,
  type         smallint not null,
  primary key (client_id, payload_id, person)
);
create index payload_heard_list on payload_heard (client_id, person, service, payload_time desc, payload_id desc) include (group_id, type);

-- How many payloads anybody has heard (h) or marked (m), as payload_counts counts those that there are: what is left is the difference.
create table review_counts (
  client_id int not null,
  kind      "char" not null check (kind in ('h', 'm')),
  grain     "char" not null check (grain in ('d', 'm')),
  bucket    bigint not null,
  service   smallint not null,
  type      smallint not null,
  group_id  int not null,
  count     bigint not null,
  primary key (client_id, kind, grain, service, group_id, type, bucket)
) with (fillfactor = 70);

-- What was looked at: per day (UTC, its first second), person and group, as it was then.
create table review_days (
  client_id int not null,
  day       bigint not null,
  person    text collate "C" not null,
  group_id  int not null,
  type      smallint not null,
  act       text collate "C" not null check (act in ('heard', 'reviewed', 'flagged', 'escalated')),
  count     bigint not null,
  primary key (client_id, day, person, group_id, type, act)
) with (fillfactor = 70);

create function count_reviewed(counted "char", client int, in_service smallint, in_type smallint, in_group int, at bigint, n bigint)
returns void language sql as $$
  insert into review_counts as c
    values (client, counted, 'd', at - at % 86400, in_service, in_type, in_group, n),
      (client, counted, 'm', extract(epoch from date_trunc('month', to_timestamp(at) at time zone 'UTC') at time zone 'UTC')::bigint,
        in_service, in_type, in_group, n)
    on conflict (client_id, kind, grain, service, group_id, type, bucket) do update set count = c.count + excluded.count;
$$;

-- Changes by one statement, in the order of their keys, so that no two transactions wait for each other in a circle.
do $$
declare
  kind record;
  change text;
begin
  for kind in select * from (values ('h', 'payload_heard'), ('m', 'payload_marked')) k (kind, name) loop
    change := format(
      'perform count_reviewed(%L, client_id, service, type, group_id, day, n) from (
         select client_id, service, type, group_id, payload_time - payload_time %% 86400 as day, sum(n) as n from changed
         group by 1, 2, 3, 4, 5 having sum(n) <> 0 order by 1, 2, 4, 3, 5) x', kind.kind);
    execute format(
      'create function count_new_%1$s() returns trigger language plpgsql as $f$ begin
         %2$s; return null; end $f$', kind.name,
      replace(change, 'from changed', 'from (select *, 1 as n from fresh where person = '''') changed'));
    execute format(
      'create function count_gone_%1$s() returns trigger language plpgsql as $f$ begin %2$s; return null; end $f$', kind.name,
      replace(change, 'from changed', 'from (select *, -1 as n from stale where person = '''') changed'));
    execute format(
      'create function count_moved_%1$s() returns trigger language plpgsql as $f$ begin %2$s; return null; end $f$', kind.name,
      replace(change, 'from changed',
        'from (select *, 1 as n from fresh where person = '''' union all select *, -1 from stale where person = '''') changed'));
    execute format('create trigger came after insert on %1$I referencing new table as fresh for each statement execute function count_new_%1$s()', kind.name);
    execute format('create trigger went after delete on %1$I referencing old table as stale for each statement execute function count_gone_%1$s()', kind.name);
    execute format('create trigger moved after update on %1$I referencing old table as stale new table as fresh
      for each statement execute function count_moved_%1$s()', kind.name);
  end loop;
end $$;

-- Hearing, seeing and reading: acts of the payload's audit. The first of each person counts as one thing looked at on its day.
create function note_heard() returns trigger language plpgsql as $$
begin
  -- Held in one order, so that whoever files them elsewhere or deletes them meanwhile finds who heard them.
  perform from payloads where payload_id in (select payload_id from fresh where action in ('payloads:play', 'devices.sms:read'))
    order by payload_id for share;
  with acts as (
    select distinct on (a.client_id, a.payload_id, a.portal_user) a.client_id, a.payload_id, a.portal_user as person, a.at,
      p.service, p.payload_time, p.group_id, p.type
    from fresh a join payloads p using (client_id, payload_id)
    -- 9 Deleted, 10 Destroyed; a message that was brought again stands in no list
    where a.action in ('payloads:play', 'devices.sms:read') and p.state not in (9, 10) and not p.is_copy
    order by a.client_id, a.payload_id, a.portal_user, a.at
  ), own as (
    insert into payload_heard (client_id, payload_id, person, heard_at, service, payload_time, group_id, type)
    select client_id, payload_id, person, at, service, payload_time, group_id, type from acts order by 1, 2, 3
    on conflict do nothing returning *
  )
  insert into review_days as d (client_id, day, person, group_id, type, act, count)
    select client_id, heard_at - heard_at % 86400, person, group_id, type, 'heard', count(*) from own
    group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
    on conflict (client_id, day, person, group_id, type, act) do update set count = d.count + excluded.count;
  insert into payload_heard (client_id, payload_id, person, heard_at, service, payload_time, group_id, type)
    select distinct on (p.client_id, p.payload_id) p.client_id, p.payload_id, '', a.at, p.service, p.payload_time, p.group_id, p.type
    from fresh a join payloads p using (client_id, payload_id)
    where a.action in ('payloads:play', 'devices.sms:read') and p.state not in (9, 10) and not p.is_copy
    order by p.client_id, p.payload_id, a.at
    on conflict do nothing;
  return null;
end $$;
create trigger heard after insert on payload_audit referencing new table as fresh for each statement execute function note_heard();

-- Anew from the audit and the marks, for what comes back and for whoever fills tables without triggers. The tenant must be set: row-level security is
-- forced. `ids` null: all that is not deleted.
create function refill_review(client int, ids bigint[]) returns void language sql as $$
  insert into payload_heard (client_id, payload_id, person, heard_at, service, payload_time, group_id, type)
    select p.client_id, p.payload_id, a.person, a.at, p.service, p.payload_time, p.group_id, p.type
    from (
      select payload_id, portal_user as person, min(at) as at from payload_audit
      where client_id = client and action in ('payloads:play', 'devices.sms:read') and (ids is null or payload_id = any(ids)) group by 1, 2
      union all
      select payload_id, '', min(at) from payload_audit
      where client_id = client and action in ('payloads:play', 'devices.sms:read') and (ids is null or payload_id = any(ids)) group by 1
    ) a join payloads p using (payload_id) where p.client_id = client and p.state not in (9, 10) and not p.is_copy
    on conflict do nothing;
  insert into payload_marked (client_id, payload_id, person, mark, mark_id, service, payload_time, group_id, type)
    select p.client_id, p.payload_id, m.person, m.mark, m.mark_id, p.service, p.payload_time, p.group_id, p.type
    from (
      (select distinct on (payload_id, marked_by) payload_id, marked_by as person, mark, mark_id from payload_marks
       where client_id = client and (ids is null or payload_id = any(ids)) order by payload_id, marked_by, mark_id desc)
      union all
      (select distinct on (payload_id) payload_id, '', mark, mark_id from payload_marks
       where client_id = client and (ids is null or payload_id = any(ids)) order by payload_id, mark_id desc)
    ) m join payloads p using (payload_id) where p.client_id = client and p.state not in (9, 10) and not p.is_copy
    on conflict do nothing;
$$;

-- With which e-mail address the provider vouched for the person: nobody marks what they recorded.
alter table portal_sessions add column email text;

-- Reasons that an account keeps for marks.
create table review_settings (
  client_id           int primary key references clients,
  reasons             text[] not null default '{}',
  updated_at          bigint not null,
  updated_by          text not null
);

grant select, insert, update (decided_at, decided_by, sealed_result, wrapped_key) on payload_marks to custodia_app;
grant select, insert, update, delete on payload_marked, payload_heard to custodia_app;
grant select, insert, update on review_counts, review_days, review_settings to custodia_app;
do $$
declare
  name text;
  tenant int;
begin
  foreach name in array array['payload_marks', 'payload_marked', 'payload_heard', 'review_counts', 'review_days', 'review_settings'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
  for tenant in select client_id from clients loop
    perform set_config('custodia.client_id', tenant::text, true);
    perform refill_review(tenant, null);
    insert into review_days
      select client_id, heard_at - heard_at % 86400, person, group_id, type, 'heard', count(*) from payload_heard
      where client_id = tenant and person <> '' group by 1, 2, 3, 4, 5;
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;
