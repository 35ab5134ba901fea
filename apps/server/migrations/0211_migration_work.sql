-- The work of a migration: its files and how far each is read, and which recordings came from the legacy platform.
alter table migration_runs
  -- What it takes over, as the account said when it began.
  add column switches jsonb not null default '{}',
  -- When all its files were scanned.
  add column scanned_at bigint,
  -- The run of which it repeats what failed.
  add column retry_of text collate "C",
  -- Results so far.
  add column sequence int not null default 0;
grant update (scanned_at, sequence) on migration_runs to custodia_app;

create table migration_files (
  client_id           int not null references clients,
  migration_reference text collate "C" not null,
  filename            text collate "C" not null,
  size                bigint not null,
  sha256              text not null,
  -- Why nothing of it is imported; null: it is.
  problem             text check (problem in ('UnknownFile', 'FileQuarantined', 'FileDigestMismatch')),
  -- The last line whose result is kept.
  line                int not null default 0,
  primary key (client_id, migration_reference, filename),
  foreign key (client_id, migration_reference) references migration_runs
);

create table legacy_payloads (
  client_id                int not null references clients,
  legacy_payload_reference text collate "C" not null,
  migration_reference      text collate "C" not null,
  -- What it is called here, before anything of it lies anywhere.
  payload_reference        text collate "C" not null,
  -- Null: it is on its way.
  payload_id               bigint,
  -- When the legacy platform had processed it.
  legacy_processed_time    bigint,
  -- Its data is to come.
  is_awaited               boolean not null default false,
  primary key (client_id, legacy_payload_reference),
  foreign key (client_id, migration_reference) references migration_runs,
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create unique index legacy_payloads_payload on legacy_payloads (client_id, payload_id) where payload_id is not null;
create index legacy_payloads_run on legacy_payloads (client_id, migration_reference);

-- When the legacy platform had changed what was imported of it last.
create table legacy_origins (
  client_id           int not null references clients,
  kind                text not null check (kind in ('DeviceUser', 'Device')),
  reference           text collate "C" not null,
  migration_reference text collate "C" not null,
  updated_at          bigint,
  primary key (client_id, kind, reference),
  foreign key (client_id, migration_reference) references migration_runs
);

grant select, insert on migration_files, legacy_payloads, legacy_origins to custodia_app;
grant update (line) on migration_files to custodia_app;
grant update (migration_reference, payload_reference, payload_id, is_awaited) on legacy_payloads to custodia_app;
grant update (migration_reference, updated_at) on legacy_origins to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['migration_files', 'legacy_payloads', 'legacy_origins'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;

-- What a phone announced never changes. What the legacy platform said of a recording without its data says nothing of that: it is said once, when it comes.
create function fill_legacy_envelope(client int, payload bigint, new_checksum text, new_size bigint) returns void
  language sql security definer set search_path = public, pg_temp as $$
    update payload_envelopes e set checksum = new_checksum, size = new_size from payloads p
    where e.client_id = client and e.payload_id = payload and e.checksum is null and p.client_id = client and p.payload_id = payload and p.is_legacy
      and client = nullif(current_setting('custodia.client_id', true), '')::int
  $$;
revoke all on function fill_legacy_envelope(int, bigint, text, bigint) from public;
grant execute on function fill_legacy_envelope(int, bigint, text, bigint) to custodia_app;
