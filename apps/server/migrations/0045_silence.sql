-- Phones that were not heard of, and such that are heard of and bring nothing. What the sweep found last is kept with the phone: it is told
-- once, counted for dashboards and filtered by.
alter table devices
  add column silence text check (silence in ('silent', 'long_silent', 'silent_but_alive')),
  -- Since when it is seen without having been away for a day: only from then on can it have brought something. Of phones that are known
  -- already it is now, so that an upgrade makes nobody suspect.
  add column awake_since bigint not null default floor(extract(epoch from now()));
create index devices_silence on devices (client_id, silence, device_reference) where silence is not null;

-- How often a phone brings something, kept with each announcement: the time between two recordings, and its square, summed with weights that
-- fade over a month. Their quotient is the gap that one meets who looks at any moment: nights and weekends weigh as long as they last.
create table device_rhythms (
  client_id       int not null,
  device_id       int not null,
  -- The newest of its recordings, as listed; when somebody else got the phone, from when on they count.
  last_payload_at bigint not null,
  gaps            double precision not null check (gaps > 0),
  squares         double precision not null check (squares > 0),
  primary key (client_id, device_id),
  foreign key (client_id, device_id) references devices (client_id, device_id)
) with (fillfactor = 70);
grant select, insert, update on device_rhythms to custodia_app;
alter table device_rhythms enable row level security;
alter table device_rhythms force row level security;
create policy tenant on device_rhythms using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);

-- Dashboards count them as they count states: kind s.
alter table fleet_counts drop constraint fleet_counts_kind_check, add constraint fleet_counts_kind_check check (kind in ('d', 'u', 'a', 'o', 's'));
alter table fleet_totals drop constraint fleet_totals_kind_check, add constraint fleet_totals_kind_check check (kind in ('d', 'u', 'a', 'o', 's'));

drop trigger devices_change on devices;
drop function fleet_keys_of_device(boolean, boolean, bigint, bigint, text, text);
create function fleet_keys_of_device(
  is_legacy boolean, is_deactivated boolean, activated_at bigint, deleted_at bigint, app_version text, os_version text, silence text
) returns table (kind "char", key text) language sql immutable as $$
  select k.kind::"char", k.key from (values
    ('d', case when is_legacy and is_deactivated then 'legacyDeactivated' when is_legacy then 'legacyActivated'
      when is_deactivated then 'deactivated' when activated_at is null then 'pending' else 'activated' end),
    ('a', case when not is_deactivated then app_version end),
    ('o', case when not is_deactivated then os_version end),
    ('s', silence)) k (kind, key)
  where deleted_at is null and k.key is not null
$$;

create or replace function follow_device() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    perform count_in_fleet(old.client_id, old.group_id, old.device_id, kind, key, -1) from fleet_keys_of_device(
      old.is_legacy, old.is_deactivated, old.activated_at, old.deleted_at, old.app_version, old.os_version, old.silence);
  end if;
  if tg_op <> 'DELETE' then
    perform count_in_fleet(new.client_id, new.group_id, new.device_id, kind, key, 1) from fleet_keys_of_device(
      new.is_legacy, new.is_deactivated, new.activated_at, new.deleted_at, new.app_version, new.os_version, new.silence);
  end if;
  return null;
end $$;

create trigger devices_change after update on devices for each row
  when ((old.group_id, old.is_legacy, old.is_deactivated, old.activated_at is null, old.deleted_at is null, old.app_version, old.os_version, old.silence)
    is distinct from (new.group_id, new.is_legacy, new.is_deactivated, new.activated_at is null, new.deleted_at is null, new.app_version, new.os_version, new.silence))
  execute function follow_device();

create or replace function recount_fleet(client int) returns void language sql as $$
  delete from fleet_counts where client_id = client;
  delete from fleet_totals where client_id = client;
  insert into fleet_counts
    select client, kind, group_id, key, count(*) from devices d, fleet_keys_of_device(
      d.is_legacy, d.is_deactivated, d.activated_at, d.deleted_at, d.app_version, d.os_version, d.silence)
    where client_id = client group by 2, 3, 4
    union all
    select client, kind, group_id, key, count(*) from device_users u, fleet_keys_of_user(u.is_legacy, u.is_active, u.deleted_at)
    where client_id = client group by 2, 3, 4;
  insert into fleet_totals select client, kind, key, 0, sum(count) from fleet_counts where client_id = client group by 2, 3;
$$;
