-- Totals of somebody who is confined to groups: a client may have a thousand, and each has types and days. Of each group and service one row
-- holds a month by its days, and one a year by its months, of all types together: two hundred groups over years are a few hundred rows. They
-- follow payload_counts with each statement that changes it. Columns: `month` or `year`, its first second; d1 to d31, m1 to m12.
do $$
declare
  kind record;
  parts text;
  added text;
  change text;
  tenant int;
begin
  for kind in
    select * from (values
      ('d', 'payload_group_months', 'month', 'day', 31),
      ('m', 'payload_group_years', 'year', 'month', 12)) k (grain, name, span, part, count)
  loop
    select string_agg(format('%s%s int not null default 0', kind.grain, i), ', ' order by i) into parts from generate_series(1, kind.count) i;
    execute format(
      'create table %1$I (client_id int not null, service smallint not null, group_id int not null, %2$I bigint not null, %3$s,
        primary key (client_id, service, %2$I, group_id)) with (fillfactor = 60)',
      kind.name, kind.span, parts);
    execute format('alter table %I enable row level security', kind.name);
    execute format('alter table %I force row level security', kind.name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)', kind.name);
    execute format('grant select, insert, update on %I to custodia_app', kind.name);
    -- Changes of counts, in the order of their keys, so that no two transactions wait for each other in a circle.
    select string_agg(format('coalesce(sum(n) filter (where extract(%s from at) = %s), 0)', kind.part, i), ', ' order by i),
        string_agg(format('%1$s%2$s = c.%1$s%2$s + excluded.%1$s%2$s', kind.grain, i), ', ' order by i)
      into parts, added from generate_series(1, kind.count) i;
    change := format(
      'insert into %1$I as c
       select client_id, service, group_id, extract(epoch from date_trunc(%2$L, at) at time zone ''UTC'')::bigint, %3$s
       from (select client_id, service, group_id, to_timestamp(bucket) at time zone ''UTC'' as at, n from changed where grain = %4$L) x
       group by 1, 2, 3, 4 order by 1, 2, 4, 3
       on conflict (client_id, service, %2$I, group_id) do update set %5$s',
      kind.name, kind.span, parts, kind.grain, added);
    execute format(
      'create function follow_new_%1$s() returns trigger language plpgsql as
       $f$ begin with changed as (select *, count as n from fresh) %2$s; return null; end $f$', kind.name, change);
    execute format(
      'create function follow_%1$s() returns trigger language plpgsql as $f$ begin
         with changed as (select *, count as n from fresh union all select *, -count from stale) %2$s; return null; end $f$', kind.name, change);
    execute format(
      'create trigger new_counts_%1$s after insert on payload_counts referencing new table as fresh
       for each statement execute function follow_new_%1$s()', kind.name);
    execute format(
      'create trigger counts_%1$s after update on payload_counts referencing old table as stale new table as fresh
       for each statement execute function follow_%1$s()', kind.name);
    -- Whoever fills tables without triggers, as this upgrade does, counts afterwards. The tenant must be set: row-level security is forced.
    execute format(
      'create function recount_%1$s(client int) returns void language sql as $f$
         delete from %1$I where client_id = client;
         with changed as (select *, count as n from payload_counts where client_id = client) %2$s;
       $f$', kind.name, change);
  end loop;
  for tenant in select client_id from clients loop
    perform set_config('custodia.client_id', tenant::text, true);
    perform recount_payload_group_months(tenant), recount_payload_group_years(tenant);
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;
