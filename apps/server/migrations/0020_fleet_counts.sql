-- What dashboards count: phones by state and version, people by state, per group and, for who sees all groups, in total. Counting a million
-- phones takes a second; these follow each row as it changes. Kinds: d states of devices, u of device users, a and o versions on devices.
create table fleet_counts (
  client_id int not null,
  kind      "char" not null check (kind in ('d', 'u', 'a', 'o')),
  group_id  int not null,
  key       text collate "C" not null,
  count     bigint not null,
  primary key (client_id, kind, group_id, key)
) with (fillfactor = 70);

-- Each phone and person counts in one of several slots, so that those that change at the same time rarely wait for each other.
create table fleet_totals (
  client_id int not null,
  kind      "char" not null check (kind in ('d', 'u', 'a', 'o')),
  key       text collate "C" not null,
  slot      smallint not null,
  count     bigint not null,
  primary key (client_id, kind, key, slot)
) with (fillfactor = 70);

create function fleet_keys_of_device(
  is_legacy boolean, is_deactivated boolean, activated_at bigint, deleted_at bigint, app_version text, os_version text
) returns table (kind "char", key text) language sql immutable as $$
  select k.kind::"char", k.key from (values
    ('d', case when is_legacy and is_deactivated then 'legacyDeactivated' when is_legacy then 'legacyActivated'
      when is_deactivated then 'deactivated' when activated_at is null then 'pending' else 'activated' end),
    ('a', case when not is_deactivated then app_version end),
    ('o', case when not is_deactivated then os_version end)) k (kind, key)
  where deleted_at is null and k.key is not null
$$;

create function fleet_keys_of_user(is_legacy boolean, is_active boolean, deleted_at bigint)
returns table (kind "char", key text) language sql immutable as $$
  select 'u'::"char", case when is_legacy and is_active then 'legacyOnboarded' when is_legacy then 'legacyOffboarded'
    when is_active then 'onboarded' else 'offboarded' end
  where deleted_at is null
$$;

create function count_in_fleet(client int, in_group int, id int, counted "char", as_key text, n int) returns void language sql as $$
  insert into fleet_counts as c values (client, counted, in_group, as_key, n)
    on conflict (client_id, kind, group_id, key) do update set count = c.count + n;
  insert into fleet_totals as c values (client, counted, as_key, id % 16, n)
    on conflict (client_id, kind, key, slot) do update set count = c.count + n;
$$;

create function follow_device() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform count_in_fleet(old.client_id, old.group_id, old.device_id, kind, key, -1) from fleet_keys_of_device(
      old.is_legacy, old.is_deactivated, old.activated_at, old.deleted_at, old.app_version, old.os_version);
  end if;
  if tg_op <> 'DELETE' then
    perform count_in_fleet(new.client_id, new.group_id, new.device_id, kind, key, 1) from fleet_keys_of_device(
      new.is_legacy, new.is_deactivated, new.activated_at, new.deleted_at, new.app_version, new.os_version);
  end if;
  return null;
end $$;

create function follow_user() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform count_in_fleet(old.client_id, old.group_id, old.device_user_id, kind, key, -1)
      from fleet_keys_of_user(old.is_legacy, old.is_active, old.deleted_at);
  end if;
  if tg_op <> 'DELETE' then
    perform count_in_fleet(new.client_id, new.group_id, new.device_user_id, kind, key, 1)
      from fleet_keys_of_user(new.is_legacy, new.is_active, new.deleted_at);
  end if;
  return null;
end $$;

create trigger devices_come_and_go after insert or delete on devices for each row execute function follow_device();
-- A phone that is merely seen changes nothing here.
create trigger devices_change after update on devices for each row
  when ((old.group_id, old.is_legacy, old.is_deactivated, old.activated_at is null, old.deleted_at is null, old.app_version, old.os_version)
    is distinct from (new.group_id, new.is_legacy, new.is_deactivated, new.activated_at is null, new.deleted_at is null, new.app_version, new.os_version))
  execute function follow_device();
create trigger device_users_come_and_go after insert or delete on device_users for each row execute function follow_user();
create trigger device_users_change after update on device_users for each row
  when ((old.group_id, old.is_legacy, old.is_active, old.deleted_at is null)
    is distinct from (new.group_id, new.is_legacy, new.is_active, new.deleted_at is null))
  execute function follow_user();

-- Whoever fills tables without triggers, as this upgrade does, counts afterwards. The tenant must be set: row-level security is forced.
create function recount_fleet(client int) returns void language sql as $$
  delete from fleet_counts where client_id = client;
  delete from fleet_totals where client_id = client;
  insert into fleet_counts
    select client, kind, group_id, key, count(*) from devices d,
      fleet_keys_of_device(d.is_legacy, d.is_deactivated, d.activated_at, d.deleted_at, d.app_version, d.os_version)
    where client_id = client group by 2, 3, 4
    union all
    select client, kind, group_id, key, count(*) from device_users u, fleet_keys_of_user(u.is_legacy, u.is_active, u.deleted_at)
    where client_id = client group by 2, 3, 4;
  insert into fleet_totals select client, kind, key, 0, sum(count) from fleet_counts where client_id = client group by 2, 3;
$$;

grant select, insert, update on fleet_counts, fleet_totals to custodia_app;
do $$
declare
  name text;
  tenant int;
begin
  foreach name in array array['fleet_counts', 'fleet_totals'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
  for tenant in select client_id from clients loop
    perform set_config('custodia.client_id', tenant::text, true);
    perform recount_fleet(tenant);
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;
