-- What activated phones use of each service was counted over all phones with each activation and each save of a person: a second for a
-- million. A phone has what it is to record in its row, as far as licences go; that of activated ones is counted as it changes.
alter table devices add column granted_services text[] not null default '{}';

create function services_granted(holder int, own text[], unlicensed text[]) returns text[] language sql stable as $$
  select coalesce(array_agg(service order by place), '{}')
  from unnest(case when holder is null then own
    else (select case when is_active then services else '{}' end from device_users where device_user_id = holder) end)
    with ordinality s (service, place)
  where service <> all(unlicensed)
$$;

create function grant_services() returns trigger language plpgsql as $$
begin
  -- Whoever changes the person meanwhile does not know yet of this phone: one of the two waits.
  if new.device_user_id is not null and (tg_op = 'INSERT' or old.device_user_id is distinct from new.device_user_id) then
    perform from device_users where device_user_id = new.device_user_id for share;
  end if;
  new.granted_services := services_granted(new.device_user_id, new.services, new.unlicensed_services);
  return new;
end $$;
create trigger devices_grant before insert or update of device_user_id, services, unlicensed_services on devices
  for each row execute function grant_services();

create function grant_services_of_user() returns trigger language plpgsql as $$
begin
  update devices set granted_services = services_granted(device_user_id, services, unlicensed_services)
  where client_id = new.client_id and device_user_id = new.device_user_id;
  return null;
end $$;
create trigger device_users_grant after update on device_users for each row
  when ((old.services, old.is_active) is distinct from (new.services, new.is_active)) execute function grant_services_of_user();

-- In slots, so that phones that are activated at the same time rarely wait for each other.
create table license_use (
  client_id int not null,
  service   text collate "C" not null,
  slot      smallint not null,
  count     int not null,
  primary key (client_id, service, slot)
) with (fillfactor = 70);

create function follow_license_use() returns trigger language plpgsql as $$
begin
  insert into license_use as l
  select client_id, service, slot, sum(n) from (
    select old.client_id, unnest(old.granted_services), old.device_id % 16, -1
      where tg_op <> 'INSERT' and old.activated_at is not null and not old.is_deactivated
    union all
    select new.client_id, unnest(new.granted_services), new.device_id % 16, 1
      where tg_op <> 'DELETE' and new.activated_at is not null and not new.is_deactivated) u (client_id, service, slot, n)
  group by 1, 2, 3 having sum(n) <> 0 order by 1, 2, 3
  on conflict (client_id, service, slot) do update set count = l.count + excluded.count;
  return null;
end $$;
create trigger devices_use_come_and_go after insert or delete on devices for each row execute function follow_license_use();
create trigger devices_use_change after update on devices for each row
  when ((old.granted_services, old.activated_at is null, old.is_deactivated)
    is distinct from (new.granted_services, new.activated_at is null, new.is_deactivated))
  execute function follow_license_use();

-- Whoever fills tables without triggers, as this upgrade does, counts afterwards. The tenant must be set: row-level security is forced.
create function recount_license_use(client int) returns void language sql as $$
  update devices set granted_services = services_granted(device_user_id, services, unlicensed_services) where client_id = client;
  delete from license_use where client_id = client;
  insert into license_use
    select client, service, device_id % 16, count(*) from devices, unnest(granted_services) service
    where client_id = client and activated_at is not null and not is_deactivated group by 2, 3;
$$;

grant select, insert, update on license_use to custodia_app;
alter table license_use enable row level security;
alter table license_use force row level security;
create policy tenant on license_use using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
do $$
declare
  tenant int;
begin
  for tenant in select client_id from clients loop
    perform set_config('custodia.client_id', tenant::text, true);
    perform recount_license_use(tenant);
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;
