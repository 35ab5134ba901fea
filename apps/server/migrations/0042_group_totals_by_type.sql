-- Whoever is confined to groups and to types, or asks for some types only, was summed from payload_counts: 11 ms of CPU for two hundred groups
-- over seventeen months against 2. The folded totals keep each type beside all of them together, which are type 0.
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
    -- Most statements only insert or only update, and all four triggers are called: those without a row do nothing.
    execute format('truncate %I', kind.name);
    execute format('alter table %1$I add column type smallint not null, drop constraint %1$s_pkey,
      add primary key (client_id, service, type, %2$I, group_id)', kind.name, kind.span);
    -- Changes of counts, in the order of their keys, so that no two transactions wait for each other in a circle.
    select string_agg(format('coalesce(sum(n) filter (where part = %s), 0)', i), ', ' order by i),
        string_agg(format('%1$s%2$s = c.%1$s%2$s + excluded.%1$s%2$s', kind.grain, i), ', ' order by i),
        string_agg(format('%s%s', kind.grain, i), ', ' order by i)
      into parts, added, change from generate_series(1, kind.count) i;
    change := format(
      'insert into %1$I as c (client_id, service, type, %2$I, group_id, %6$s)
       select client_id, service, coalesce(type, 0), extract(epoch from span at time zone ''UTC'')::bigint, group_id, %3$s
       from (select client_id, service, type, group_id, date_trunc(%2$L, at) as span, extract(%7$s from at)::int as part, n from (
         select *, to_timestamp(bucket) at time zone ''UTC'' as at from changed where grain = %4$L offset 0) x offset 0) y
       group by client_id, service, span, group_id, grouping sets ((type), ())
       order by 1, 2, 3, 4, 5
       on conflict (client_id, service, type, %2$I, group_id) do update set %5$s',
      kind.name, kind.span, parts, kind.grain, added, change, kind.part);
    execute format(
      'create or replace function follow_new_%1$s() returns trigger language plpgsql as
       $f$ begin
         if exists (select from fresh) then with changed as (select *, count as n from fresh) %2$s; end if;
         return null;
       end $f$', kind.name, change);
    execute format(
      'create or replace function follow_%1$s() returns trigger language plpgsql as
       $f$ begin
         if exists (select from fresh) then
           with changed as (select *, count as n from fresh union all select *, -count from stale) %2$s;
         end if;
         return null;
       end $f$', kind.name, change);
    execute format(
      'create or replace function recount_%1$s(client int) returns void language sql as $f$
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
