-- Runs of transfer configs: what each puts on its target, every attempt at it, and what lies there.
alter table transfer_configs
  -- Everything processed before that was gathered; null: nothing yet.
  add column gathered_to bigint,
  -- When its schedule starts it next; null: nothing starts it.
  add column next_at bigint;
grant update (gathered_to, next_at) on transfer_configs to custodia_app;
create index transfer_configs_due on transfer_configs (next_at) where next_at is not null;

create table transfer_runs (
  client_id                 int not null references clients,
  transfer_id               text collate "C" not null,
  transfer_config_reference text collate "C" not null,
  transfer_type             text not null check (transfer_type in ('Payload', 'Report')),
  transfer_state            text not null default 'Pending'
    check (transfer_state in ('Pending', 'InProgress', 'Succeeded', 'PartialFail', 'Failed')),
  created_at                bigint not null,
  completed_at              bigint,
  scheduled_for             bigint,
  -- Half open, of processed_at.
  report_from               bigint,
  report_to                 bigint not null,
  payload_count             int not null default 0,
  error_message             text,
  updated_by                text not null,
  primary key (client_id, transfer_id),
  unique (client_id, transfer_config_reference, scheduled_for),
  check (completed_at is not null = (transfer_state in ('Succeeded', 'PartialFail', 'Failed')))
);
create index transfer_runs_of on transfer_runs (client_id, transfer_config_reference, transfer_id desc);
create index transfer_runs_open on transfer_runs (client_id, transfer_id) where completed_at is null;

create table transfer_items (
  client_id                 int not null references clients,
  transfer_id               text collate "C" not null,
  -- The payload's reference, or the name of a report.
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

grant select, insert on transfer_runs, transfer_items, transfer_attempts to custodia_app;
grant update (transfer_state, completed_at, payload_count, error_message, updated_by) on transfer_runs to custodia_app;
grant update (transfer_state, source_path, dest_path, error_message, transferred_at, encrypted_checksum, decrypted_checksum)
  on transfer_items to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['transfer_runs', 'transfer_items', 'transfer_attempts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
