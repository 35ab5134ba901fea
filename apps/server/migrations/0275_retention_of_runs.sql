-- Runs of transfers and of migrations go by the policy of their account as well. A delivery is what deletion waits for, and why a recording is not sent
-- again: a run of transfers stays while one of its recordings is there. What was imported of the legacy platform is known after its run is gone.
create index transfer_runs_by_time on transfer_runs (client_id, created_at, transfer_id);
create index migration_runs_by_time on migration_runs (client_id, created_at, migration_reference);
alter table legacy_payloads drop constraint legacy_payloads_client_id_migration_reference_fkey;
alter table legacy_origins drop constraint legacy_origins_client_id_migration_reference_fkey;

create function destroy_runs(kind text, keys text[]) returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  clock bigint := floor(extract(epoch from clock_timestamp()))::bigint;
  -- What ended later than this no policy lets go. Null: there is none that lets anything go, and every comparison is unknown.
  latest bigint := clock - 86400 * (
    select min((e ->> 'destroy_after_days')::bigint) from retention_policies v cross join lateral jsonb_array_elements(v.entries) e
    where v.client_id = client and v.at <= clock and e ->> 'entity_type' = kind);
  going text[];
begin
  if kind = 'Transfer' then
    select coalesce(array_agg(r.transfer_id), '{}') into going from transfer_runs r
    where r.client_id = client and r.transfer_id = any(keys) and greatest(r.created_at, r.completed_at) <= latest and r.completed_at is not null
      -- 10 Destroyed
      and not exists (select from transfer_items i join payloads p on p.client_id = i.client_id and p.payload_id = i.payload_id
        where i.client_id = client and i.transfer_id = r.transfer_id and p.state <> 10);
    delete from transfer_attempts where client_id = client and transfer_id = any(going);
    delete from transfer_items where client_id = client and transfer_id = any(going);
    delete from transfer_runs where client_id = client and transfer_id = any(going);
  elsif kind = 'Migration' then
    select coalesce(array_agg(r.migration_reference), '{}') into going from migration_runs r
    where r.client_id = client and r.migration_reference = any(keys) and greatest(r.created_at, r.migrated_at) <= latest
      and r.migrated_at is not null and (r.is_dry_run or (r.signed_off_at <= latest and r.sources_erased_at <= latest));
    delete from migration_results where client_id = client and migration_reference = any(going);
    delete from migration_files where client_id = client and migration_reference = any(going);
    delete from migration_runs where client_id = client and migration_reference = any(going);
  else
    raise exception 'no runs of kind %', kind;
  end if;
  return cardinality(going);
end $$;
revoke execute on function destroy_runs(text, text[]) from public;
grant execute on function destroy_runs(text, text[]) to custodia_app;
