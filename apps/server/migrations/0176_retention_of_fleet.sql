-- Phones and people that were deleted are destroyed by the policy: what is left of them is their reference, their group and who had what when, so that
-- what names them still can. Nothing goes while anything of theirs is there.
alter table devices add column destroyed_at bigint;
alter table device_users add column destroyed_at bigint;
create index devices_deleted on devices (client_id, deleted_at, device_id) where deleted_at is not null;
create index device_users_deleted on device_users (client_id, deleted_at, device_user_id) where deleted_at is not null;

create function destroy_devices(ids int[]) returns int language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  clock bigint := floor(extract(epoch from clock_timestamp()))::bigint;
  -- Null: no policy that there was lets any go, and the comparison is unknown.
  latest bigint := clock - 86400 * (
    select min((e ->> 'destroy_after_days')::bigint) from retention_policies v cross join lateral jsonb_array_elements(v.entries) e
    where v.client_id = client and v.at <= clock and e ->> 'entity_type' = 'Device');
  gone int[];
begin
  with done as (
    update devices d set services = '{}', imeis = '{}', email = null, last_seen = null, legacy_phone_number = null,
      model = null, os_version = null, app_version = null, serial_number = null, fcm_token = null, installation_id = null, device_key = null,
      key_pinned_at = null, attested_at = null, waiting_since = null, waiting_reason = null, requested_user_id = null, same_hardware_as = null,
      unlicensed_services = '{}', silence = null, destroyed_at = clock, updated_at = clock, updated_by = 'retention (system)'
    where d.client_id = client and d.device_id = any(ids) and d.deleted_at <= latest and d.destroyed_at is null and d.blocked_at is null
      -- 10 Destroyed
      and not exists (select from payloads p where p.client_id = client and p.device_id = d.device_id and p.state <> 10)
    returning d.device_id)
  select coalesce(array_agg(device_id), '{}') into gone from done;
  delete from device_numbers where client_id = client and device_id = any(gone);
  delete from device_tokens where client_id = client and device_id = any(gone);
  delete from phone_verifications where client_id = client and device_id = any(gone);
  return cardinality(gone);
end $$;

create function destroy_device_users(ids int[]) returns int language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  clock bigint := floor(extract(epoch from clock_timestamp()))::bigint;
  latest bigint := clock - 86400 * (
    select min((e ->> 'destroy_after_days')::bigint) from retention_policies v cross join lateral jsonb_array_elements(v.entries) e
    where v.client_id = client and v.at <= clock and e ->> 'entity_type' = 'DeviceUser');
  gone int[];
begin
  with done as (
    update device_users u set services = '{}', expected_device_count = 0, email = null, first_name = null, surname = null, onboard_date = null,
      offboard_date = null, told_standing = null, destroyed_at = clock, updated_at = clock, updated_by = 'retention (system)'
    where u.client_id = client and u.device_user_id = any(ids) and u.deleted_at <= latest and u.destroyed_at is null
      and not exists (select from payloads p where p.client_id = client and p.device_user_id = u.device_user_id and p.state <> 10)
    returning u.device_user_id)
  select coalesce(array_agg(device_user_id), '{}') into gone from done;
  delete from device_user_words where client_id = client and device_user_id = any(gone);
  update enrolments set description = null where client_id = client and device_user_id = any(gone);
  return cardinality(gone);
end $$;
revoke execute on function destroy_devices(int[]), destroy_device_users(int[]) from public;
grant execute on function destroy_devices(int[]), destroy_device_users(int[]) to custodia_app;
