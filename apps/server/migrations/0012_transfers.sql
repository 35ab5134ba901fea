-- Exports, transfers to the client's storage, and migration from legacy platforms.

-- Exports of many recordings, in parts. They hold no bytes: a part is made while it is downloaded (ADR 27).
create table data_exports (
  client_id  int not null references clients,
  export_id  text collate "C" not null,
  -- The creator, who alone may download it.
  made_by    text not null,
  reason     text,
  created_at bigint not null,
  expires_at bigint not null,
  refused    int not null,
  is_cut     boolean not null,
  contents   text[] not null,
  -- Language of the report in each part.
  locale     text not null,
  primary key (client_id, export_id)
);
alter table data_exports enable row level security;
alter table data_exports force row level security;
create policy tenant on data_exports using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, delete on data_exports to custodia_app;

create table data_export_parts (
  client_id          int not null,
  export_id          text collate "C" not null,
  part               int not null,
  payload_references text[] not null,
  size               bigint not null,
  fetched_at         bigint,
  -- Recordings that the latest download has sent, and when it was complete.
  sent               int not null default 0,
  finished_at        bigint,
  primary key (client_id, export_id, part),
  foreign key (client_id, export_id) references data_exports (client_id, export_id) on delete cascade
);
alter table data_export_parts enable row level security;
alter table data_export_parts force row level security;
create policy tenant on data_export_parts using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (fetched_at, sent, finished_at), delete on data_export_parts to custodia_app;

-- Transfers to storage of the account: what, where to, in which format and when.
create table transfer_configs (
  client_id                 int not null references clients,
  transfer_config_reference text collate "C" not null,
  transfer_type             text not null check (transfer_type in ('Payload', 'Report')),
  payload_types             text[] not null check (cardinality(payload_types) > 0 and payload_types <@ array['Call', 'Interview', 'Photo', 'MMS', 'RCS', 'SMS', 'Video']),
  schedule                  text,
  pgp_key                   text,
  transfer_file_format      text not null check (transfer_file_format in ('Uncompressed', 'Zipped', 'ZippedWithPassword', 'PGP')),
  params                    jsonb not null check (params ->> 'target_type' in ('S3', 'SFTP')),
  is_active                 boolean not null,
  -- The key of its secrets, wrapped by the key provider, and the secrets under it.
  wrapped_key               bytea,
  zip_password              bytea,
  sftp_password             bytea,
  sftp_private_key          bytea,
  updated_at                bigint not null,
  updated_by                text not null,
  -- All payloads that were processed before this are collected. Null: none yet.
  gathered_to               bigint,
  -- Next start by the schedule. Null: none.
  next_at                   bigint,
  -- The last UTC day before which all days are reconciled and sent. Null: none yet.
  reconciled_on             bigint,
  -- The config delivers what this role may download. Without a role it delivers nothing.
  role_reference            text,
  -- Only payloads of these groups leave. Null: of all groups that the role reaches.
  groups                    text[] check (cardinality(groups) > 0),
  -- What the role could deliver at the last run or save, as payload types and group ids. Null: not decided yet.
  reach                     jsonb,
  primary key (client_id, transfer_config_reference),
  check (wrapped_key is not null or num_nonnulls(zip_password, sftp_password, sftp_private_key) = 0)
);
create index transfer_configs_due on transfer_configs (next_at) where next_at is not null;
alter table transfer_configs enable row level security;
alter table transfer_configs force row level security;
create policy tenant on transfer_configs using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (transfer_type, payload_types, schedule, pgp_key, transfer_file_format, params,
  is_active, wrapped_key, zip_password, sftp_password, sftp_private_key, updated_at, updated_by, gathered_to, next_at,
  reconciled_on, role_reference, groups, reach), delete on transfer_configs to custodia_app;

create table transfer_runs (
  client_id                 int not null references clients,
  transfer_id               text collate "C" not null,
  transfer_config_reference text collate "C" not null,
  transfer_type             text not null check (transfer_type in ('Payload', 'Report')),
  transfer_state            text not null default 'Pending' check (transfer_state in ('Pending', 'InProgress', 'Succeeded', 'PartialFail', 'Failed')),
  created_at                bigint not null,
  completed_at              bigint,
  scheduled_for             bigint,
  -- Half open, of processed_at.
  report_from               bigint,
  report_to                 bigint not null,
  payload_count             int not null default 0,
  error_message             text,
  updated_by                text not null,
  role_reference            text,
  -- How many payloads the role excluded, by reason and type.
  left_out                  jsonb not null default '[]',
  primary key (client_id, transfer_id),
  unique (client_id, transfer_config_reference, scheduled_for),
  check (completed_at is not null = (transfer_state in ('Succeeded', 'PartialFail', 'Failed')))
);
create index transfer_runs_of on transfer_runs (client_id, transfer_config_reference, transfer_id);
create index transfer_runs_open on transfer_runs (client_id, transfer_id) where completed_at is null;
-- Retention deletes runs in this order. A run stays while one of its recordings exists, because deletion waits for a
-- delivery and a delivery prevents another one.
create index transfer_runs_by_time on transfer_runs (client_id, created_at, transfer_id);
alter table transfer_runs enable row level security;
alter table transfer_runs force row level security;
create policy tenant on transfer_runs using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (transfer_state, completed_at, payload_count, error_message, updated_by, left_out) on
  transfer_runs to custodia_app;

create table transfer_items (
  client_id                 int not null references clients,
  transfer_id               text collate "C" not null,
  -- Reference of the payload, or name of a report.
  item                      text collate "C" not null,
  transfer_config_reference text collate "C" not null,
  -- Null: a report.
  payload_id                bigint,
  transfer_state            text not null default 'Pending' check (transfer_state in ('Pending', 'InProgress', 'Succeeded', 'Failed')),
  source_path               text,
  dest_path                 text,
  error_message             text,
  transferred_at            bigint,
  encrypted_checksum        text,
  decrypted_checksum        text,
  primary key (client_id, transfer_id, item),
  foreign key (client_id, transfer_id) references transfer_runs,
  foreign key (client_id, payload_id) references payloads (client_id, payload_id),
  check (transfer_state <> 'Succeeded' or num_nulls(dest_path, transferred_at, encrypted_checksum, decrypted_checksum) = 0)
);
-- A payload goes to a target once.
create unique index transfer_items_once on transfer_items (client_id, transfer_config_reference, payload_id) where payload_id is not null;
create index transfer_items_of on transfer_items (client_id, payload_id, transferred_at) where payload_id is not null;
alter table transfer_items enable row level security;
alter table transfer_items force row level security;
create policy tenant on transfer_items using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (transfer_state, source_path, dest_path, error_message, transferred_at,
  encrypted_checksum, decrypted_checksum) on transfer_items to custodia_app;

create table transfer_attempts (
  client_id      int not null references clients,
  transfer_id    text collate "C" not null,
  item           text collate "C" not null,
  attempt        bigint generated always as identity,
  attempted_at   bigint not null,
  attempted_by   text not null,
  transfer_state text not null check (transfer_state in ('Succeeded', 'Failed')),
  error_message  text,
  primary key (client_id, transfer_id, item, attempt),
  foreign key (client_id, transfer_id, item) references transfer_items
);
alter table transfer_attempts enable row level security;
alter table transfer_attempts force row level security;
create policy tenant on transfer_attempts using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on transfer_attempts to custodia_app;

-- Deliveries of payloads per config and UTC day of payload_time, which is the folder on the target. They outlive the
-- run, for as long as the payload is counted.
create table transfer_audit (
  client_id                 int not null references clients,
  transfer_config_reference text collate "C" not null,
  -- Midnight, UTC, of the wire's payload_time.
  payload_date              bigint not null check (payload_date % 86400 = 0),
  payload_id                bigint not null,
  transfer_id               text collate "C" not null,
  -- The first delivery. Repetitions do not change it.
  transferred_at            bigint not null,
  encrypted_checksum        text not null,
  decrypted_checksum        text not null,
  xid                       xid8 not null default pg_current_xact_id(),
  primary key (client_id, transfer_config_reference, payload_date, payload_id),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index on transfer_audit (client_id, xid);
create unique index transfer_audit_once on transfer_audit (client_id, transfer_config_reference, payload_id);
alter table transfer_audit enable row level security;
alter table transfer_audit force row level security;
create policy tenant on transfer_audit using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on transfer_audit to custodia_app;

-- Captured, delivered and missing payloads of each UTC day, as signed and sent to the target. A day whose numbers
-- changed gets another version.
create table transfer_reconciliations (
  client_id                 int not null references clients,
  reconciliation_reference  text collate "C" not null,
  transfer_config_reference text collate "C" not null,
  payload_date              bigint not null check (payload_date % 86400 = 0),
  version                   int not null check (version > 0),
  payload_types             text[] not null,
  captured                  int not null,
  delivered                 int not null,
  missing                   int not null,
  reasons                   jsonb not null,
  issued_at                 bigint not null,
  key_id                    text not null,
  -- Of the canonical JSON that is signed.
  checksum                  text not null,
  body                      text not null,
  signature                 bytea not null,
  -- Null: not on the target yet.
  sent_at                   bigint,
  dest_path                 text,
  -- Why the last attempt failed. Null: it did not.
  error_message             text,
  xid                       xid8 not null default pg_current_xact_id(),
  primary key (client_id, reconciliation_reference),
  unique (client_id, transfer_config_reference, payload_date, version),
  check (captured = delivered + missing),
  check ((sent_at is null) = (dest_path is null)),
  check (sent_at is null or error_message is null)
);
create index on transfer_reconciliations (client_id, xid);
create index transfer_reconciliations_listed on transfer_reconciliations (client_id, payload_date, transfer_config_reference, version);
alter table transfer_reconciliations enable row level security;
alter table transfer_reconciliations force row level security;
create policy tenant on transfer_reconciliations using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (sent_at, dest_path, error_message) on transfer_reconciliations to custodia_app;

create function keep_reconciliations() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.sent_at is null and to_jsonb(new) - '{sent_at,dest_path,error_message}'::text[] = to_jsonb(old) - '{sent_at,dest_path,error_message}'::text[] then
      return new;
    end if;
  end if;
  raise exception 'reconciliations are history: %', tg_op using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on transfer_reconciliations for each row execute function keep_reconciliations();
create trigger kept_whole before truncate on transfer_reconciliations for each statement execute function keep_reconciliations();

-- Migration from a legacy platform: its settings.
create table migration_settings (
  client_id           int primary key references clients,
  disable_onboarding  boolean not null,
  disable_offboarding boolean not null,
  disable_payloads    boolean not null,
  erase_after_days    int not null,
  updated_at          bigint not null,
  updated_by          text not null
);
alter table migration_settings enable row level security;
alter table migration_settings force row level security;
create policy tenant on migration_settings using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on migration_settings to custodia_app;

create table migration_runs (
  client_id           int not null references clients,
  migration_reference text collate "C" not null,
  migration_state     text not null default 'Pending' check (migration_state in ('Pending', 'Quarantined', 'Migrated', 'PartialFail', 'Failed')),
  is_dry_run          boolean not null,
  created_at          bigint not null,
  created_by          text not null,
  migrated_at         bigint,
  -- File names, separated by commas.
  filename            text not null,
  -- Rows by what they are: {"Payload": 5}.
  totals              jsonb not null default '{}',
  -- Results by type: {"PayloadCreated": {"count": 5, "items": ["a", "b"]}}.
  results             jsonb not null default '{}',
  error_message       text,
  signed_off_at       bigint,
  signed_off_by       text,
  sources_erased_at   bigint,
  -- The settings at the start of the run.
  switches            jsonb not null default '{}',
  -- When all files were scanned.
  scanned_at          bigint,
  -- The run whose failures it repeats.
  retry_of            text collate "C",
  -- Number of results so far.
  sequence            int not null default 0,
  -- Why the accepting person accepts the differences.
  explanation         text,
  -- The run without errors over the same files that completed this one. From its end the days of its files count.
  settled_by          text collate "C",
  primary key (client_id, migration_reference),
  check (migrated_at is not null = (migration_state <> 'Pending')),
  check (signed_off_at is not null = (signed_off_by is not null))
);
create index migration_runs_open on migration_runs (client_id, migration_reference) where migrated_at is null;
create index migration_runs_by_time on migration_runs (client_id, created_at, migration_reference);
alter table migration_runs enable row level security;
alter table migration_runs force row level security;
create policy tenant on migration_runs using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (migration_state, migrated_at, totals, results, error_message, signed_off_at,
  signed_off_by, sources_erased_at, scanned_at, sequence, explanation, settled_by) on migration_runs to custodia_app;

-- A run is accepted once, after it ended and imported something.
create function keep_migration_sign_off() returns trigger language plpgsql as $$
begin
  if old.signed_off_at is not null
    and (new.signed_off_at, new.signed_off_by, new.explanation) is distinct from (old.signed_off_at, old.signed_off_by, old.explanation)
    or new.signed_off_at is not null and (new.is_dry_run or new.migration_state not in ('Migrated', 'PartialFail')) then
    raise exception 'a migration is accepted once, when it is over' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger kept_sign_off before update on migration_runs for each row execute function keep_migration_sign_off();

create table migration_files (
  client_id           int not null references clients,
  migration_reference text collate "C" not null,
  filename            text collate "C" not null,
  size                bigint not null,
  sha256              text not null,
  -- Why the file is not imported. Null: it is.
  problem             text check (problem in ('UnknownFile', 'FileQuarantined', 'FileDigestMismatch')),
  -- The last line with a stored result.
  line                int not null default 0,
  -- Rows of the file, once it was read to its end.
  rows                int,
  primary key (client_id, migration_reference, filename),
  foreign key (client_id, migration_reference) references migration_runs
);
alter table migration_files enable row level security;
alter table migration_files force row level security;
create policy tenant on migration_files using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (line, rows) on migration_files to custodia_app;

-- Results of rows and files.
create table migration_results (
  client_id           int not null references clients,
  migration_reference text collate "C" not null,
  sequence            int not null,
  result_type         text not null,
  kind                text not null check (kind in ('Group', 'DeviceUser', 'Device', 'Payload', 'File')),
  item                text not null,
  filename            text not null,
  -- Null: the whole file.
  line                int,
  payload_id          bigint,
  faults              jsonb not null default '[]',
  -- The payload type that the row names.
  payload_type        text collate "C",
  -- Of the data in the drop folder. Null: it has none, or it follows.
  source_sha256       text,
  -- Its files below media/.
  media               text[] not null default '{}',
  primary key (client_id, migration_reference, sequence),
  foreign key (client_id, migration_reference) references migration_runs,
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index migration_results_payload on migration_results (client_id, payload_id) where payload_id is not null;
create index migration_results_media on migration_results using gin (media) where media <> '{}';
alter table migration_results enable row level security;
alter table migration_results force row level security;
create policy tenant on migration_results using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on migration_results to custodia_app;

-- Payloads to open before a run is accepted, drawn once, when the run ends.
create table migration_samples (
  client_id           int not null references clients,
  migration_reference text collate "C" not null,
  position            int not null,
  payload_id          bigint not null,
  primary key (client_id, migration_reference, position),
  unique (client_id, migration_reference, payload_id),
  foreign key (client_id, migration_reference) references migration_runs on delete cascade,
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
alter table migration_samples enable row level security;
alter table migration_samples force row level security;
create policy tenant on migration_samples using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on migration_samples to custodia_app;

-- Nothing of a run that is not accepted comes into the ledger.
create function refuse_unsigned_migrations() returns trigger language plpgsql as $$
begin
  if exists (select from migration_results m join migration_runs r using (client_id, migration_reference)
      where m.client_id = new.client_id and m.payload_id = new.payload_id and r.signed_off_at is null) then
    raise exception 'payload % waits for the sign-off of its migration', new.payload_reference
      using errcode = 'check_violation', constraint = 'payload_migration';
  end if;
  return new;
end $$;
create trigger migration_signed before insert on destruction_ledger for each row execute function refuse_unsigned_migrations();

-- When the legacy platform last changed an imported person or device.
create table legacy_origins (
  client_id           int not null references clients,
  kind                text not null check (kind in ('DeviceUser', 'Device')),
  reference           text collate "C" not null,
  migration_reference text collate "C" not null,
  updated_at          bigint,
  primary key (client_id, kind, reference)
);
alter table legacy_origins enable row level security;
alter table legacy_origins force row level security;
create policy tenant on legacy_origins using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (migration_reference, updated_at) on legacy_origins to custodia_app;

create table legacy_payloads (
  client_id                int not null references clients,
  legacy_payload_reference text collate "C" not null,
  migration_reference      text collate "C" not null,
  -- Reference in this archive, chosen before any part is stored.
  payload_reference        text collate "C" not null,
  -- Null: the import is under way.
  payload_id               bigint,
  -- When the legacy platform processed it.
  legacy_processed_time    bigint,
  -- Its data will follow.
  is_awaited               boolean not null default false,
  primary key (client_id, legacy_payload_reference),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create unique index legacy_payloads_payload on legacy_payloads (client_id, payload_id) where payload_id is not null;
create index legacy_payloads_run on legacy_payloads (client_id, migration_reference);
alter table legacy_payloads enable row level security;
alter table legacy_payloads force row level security;
create policy tenant on legacy_payloads using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (migration_reference, payload_reference, payload_id, is_awaited) on legacy_payloads to
  custodia_app;

-- Announcements never change, except this once: the legacy platform announces a recording without data, and says
-- checksum and size when the data comes.
create function fill_legacy_envelope(client int, payload bigint, new_checksum text, new_size bigint) returns void
  language sql security definer set search_path = public, pg_temp as $$
    update payload_envelopes e set checksum = decode(new_checksum, 'hex'), size = new_size from payloads p
    where e.client_id = client and e.payload_id = payload and e.checksum is null and p.client_id = client and p.payload_id = payload and p.is_legacy
      and client = nullif(current_setting('custodia.client_id', true), '')::int
  $$;
revoke all on function fill_legacy_envelope from public;
grant execute on function fill_legacy_envelope to custodia_app;

create function destroy_runs(kind text, keys text[]) returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  clock bigint := floor(extract(epoch from clock_timestamp()))::bigint;
  -- No policy allows runs that ended later than this. Null: none allows any, and every comparison is unknown.
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
revoke all on function destroy_runs from public;
grant execute on function destroy_runs to custodia_app;

-- Access that is limited to legal matters. The role custodia_matters has the rights of custodia_app, and sees only
-- recordings of people on hold for these open matters, with their records.
create function users_of_matters(client int, matters text[]) returns int[]
  language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
  select coalesce(array_agg(distinct h.device_user_id), '{}')
  from legal_matter_people x join legal_holds h using (client_id, target_type, target)
  where x.client_id = client and x.matter_id = any(matters) and x.removed_at is null and h.device_user_id is not null
$$;
revoke all on function users_of_matters from public;
grant execute on function users_of_matters to custodia_app;

create function limited_users() returns int[] language sql stable as $$
  select users_of_matters(nullif(current_setting('custodia.client_id', true), '')::int,
    string_to_array(current_setting('custodia.matters', true), ','))
$$;

create policy matters on payloads as restrictive to custodia_matters
  using (device_user_id = any ((select limited_users())::int[]));
create policy matters on payload_comment_versions as restrictive to custodia_matters using (exists (
  select from payload_comments c where c.client_id = payload_comment_versions.client_id and c.comment_id = payload_comment_versions.comment_id));
create policy matters on comment_words as restrictive to custodia_matters using (exists (
  select from payload_comments c where c.client_id = comment_words.client_id and c.comment_id = comment_words.comment_id));
do $$
declare
  name text;
begin
  for name in
    select c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'payload_id'
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'payloads'
      and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'client_id')
  loop
    execute format('create policy matters on %1$I as restrictive to custodia_matters using (exists (
      select from payloads p where p.client_id = %1$I.client_id and p.payload_id = %1$I.payload_id))', name);
  end loop;
  -- Sums over recordings, the fleet and the audit logs.
  foreach name in array array['payload_counts', 'payload_metrics', 'thread_counts', 'fleet_counts', 'retention_results',
    'capture_gaps', 'capture_statements', 'device_logs', 'device_commands', 'telemetry', 'telemetry_latest', 'gps_points', 'gps_latest',
    'device_activities', 'enrolments']
  loop
    execute format('create policy matters on %I as restrictive for select to custodia_matters using (false)', name);
  end loop;
end $$;
