-- What stands beside payloads and is evidence goes by the policy of its account as well: commands, both logs of activity, acceptances of terms and
-- requests for support. The application may remove none of it itself: this function does, and keeps what no policy that there was could let go.

-- By which they are walked from the oldest on.
alter table terms_acceptances add column acceptance_id bigint generated always as identity;
create index terms_acceptances_by_time on terms_acceptances (client_id, accepted_at, acceptance_id);
create index portal_sessions_by_time on portal_sessions (client_id, created_at, session_id);
create index support_access_by_time on support_access (client_id, requested_at, request_reference);
-- Sessions stay as long as the policy says, what a provider vouched with does not.
create index portal_sessions_vouched on portal_sessions (expires_at) where provider_tokens is not null;

create function destroy_records(kind text, keys text[], times bigint[]) returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  clock bigint := floor(extract(epoch from clock_timestamp()))::bigint;
  follows text := case kind when 'device_commands' then 'Device' when 'device_activities' then 'Device'
    when 'portal_activities' then 'PortalUser' when 'terms_acceptances' then 'PortalUser' when 'support_access' then 'SupportAccessRequest' end;
  -- What came later than this no policy lets go. Null: there is none that lets anything go, and every comparison is unknown.
  latest bigint := clock - 86400 * (
    select min(coalesce((e ->> 'delete_after_days')::bigint, 0) + (e ->> 'destroy_after_days')::bigint)
    from retention_policies v cross join lateral jsonb_array_elements(v.entries) e
    where v.client_id = client and v.at <= clock and e ->> 'entity_type' = follows);
  gone int;
begin
  if kind = 'device_commands' then
    delete from device_commands where client_id = client and command_reference = any(keys) and greatest(sent_at, completed_at) <= latest
      and completed_at is not null;
  elsif kind = 'device_activities' then
    delete from device_activities where client_id = client and log_id = any(keys) and activity_time = any(times)
      and greatest(activity_time, activity_end_time) <= latest;
  elsif kind = 'portal_activities' then
    delete from portal_activities where client_id = client and log_id = any(keys) and activity_time = any(times)
      and greatest(activity_time, activity_end_time) <= latest and user_reference <> 'retention (system)';
  elsif kind = 'terms_acceptances' then
    delete from terms_acceptances where client_id = client and acceptance_id = any(keys::bigint[]) and accepted_at <= latest;
  elsif kind = 'support_access' then
    delete from support_access where client_id = client and request_reference = any(keys) and greatest(requested_at, updated_at) <= latest
      and (approval_state not in ('pending', 'approved') or least(requested_expiry, approval_expiry) <= latest);
  else
    raise exception 'no records of kind %', kind;
  end if;
  get diagnostics gone = row_count;
  return gone;
end $$;
revoke execute on function destroy_records(text, text[], bigint[]) from public;
grant execute on function destroy_records(text, text[], bigint[]) to custodia_app;
