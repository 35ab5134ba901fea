-- Migration from a legacy platform: what the account takes over, runs over its files, and what became of each row.
create table migration_settings (
  client_id           int primary key references clients,
  disable_onboarding  boolean not null,
  disable_offboarding boolean not null,
  disable_payloads    boolean not null,
  erase_after_days    int not null,
  updated_at          bigint not null,
  updated_by          text not null
);

create table migration_runs (
  client_id           int not null references clients,
  migration_reference text collate "C" not null,
  migration_state     text not null default 'Pending'
    check (migration_state in ('Pending', 'Quarantined', 'Migrated', 'PartialFail', 'Failed')),
  is_dry_run          boolean not null,
  created_at          bigint not null,
  created_by          text not null,
  migrated_at         bigint,
  -- Files with rows, separated by commas.
  filename            text not null,
  -- Rows by what they are of: {"Payload": 5}.
  totals              jsonb not null default '{}',
  -- Results by type: {"PayloadCreated": {"count": 5, "items": ["a", "b"]}}.
  results             jsonb not null default '{}',
  error_message       text,
  signed_off_at       bigint,
  signed_off_by       text,
  sources_erased_at   bigint,
  primary key (client_id, migration_reference),
  check (migrated_at is not null = (migration_state <> 'Pending')),
  check (signed_off_at is not null = (signed_off_by is not null))
);
create index migration_runs_open on migration_runs (client_id, migration_reference) where migrated_at is null;

-- What became of each row, and of files.
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
  primary key (client_id, migration_reference, sequence),
  foreign key (client_id, migration_reference) references migration_runs,
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);

grant select, insert, update on migration_settings to custodia_app;
grant select, insert on migration_runs, migration_results to custodia_app;
grant update (migration_state, migrated_at, totals, results, error_message, signed_off_at, signed_off_by, sources_erased_at)
  on migration_runs to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['migration_settings', 'migration_runs', 'migration_results'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
