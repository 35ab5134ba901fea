-- Somebody accepts what a run imported: against its files, by a sample that they opened, and by name. Until then nothing of it goes.
alter table migration_results
  -- What its row said that it is, where that is a type.
  add column payload_type text collate "C",
  -- Of the data as it lay in the drop folder; null: it has none, or it follows.
  add column source_sha256 text,
  -- Files below media/ that it took.
  add column media text[] not null default '{}';
create index migration_results_payload on migration_results (client_id, payload_id) where payload_id is not null;
create index migration_results_media on migration_results using gin (media) where media <> '{}';

-- Rows that were counted when the file was read to its end.
alter table migration_files add column rows int;
grant update (rows) on migration_files to custodia_app;

-- Why whoever accepted it accepts what differs.
alter table migration_runs add column explanation text;
grant update (explanation) on migration_runs to custodia_app;

-- What is to be opened before a run is accepted: drawn once, when the run ends.
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
grant select, insert on migration_samples to custodia_app;
alter table migration_samples enable row level security;
alter table migration_samples force row level security;
create policy tenant on migration_samples using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);

-- A run is accepted once, when it is over and imported something, and nobody changes that.
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

-- Nothing of a run that nobody has accepted comes into the ledger, whoever destroys.
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
