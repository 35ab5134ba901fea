-- Clients, their keys, and what concerns the whole installation: work queues, integrity checks, backups.
--
-- The files 0001 to 0012 are the baseline, one per area. Later changes are files of their own with higher numbers.
--
-- Conventions of all files: times are epoch seconds (bigint), as on the wire. Keys that people see are COLLATE "C", so
-- that every server sorts them alike. A table with client_id is a tenant table with forced row-level security, except
-- where a comment says that it is readable before the tenant is known. The application's role owns nothing; each table
-- grants only what the application needs, so that evidence is only ever added.
--
-- The provider's staff (custodia_staff) read across clients what concerns running the service: no payload, no activity,
-- no person.

grant usage on schema public to custodia_app, custodia_staff;

-- Makes the partitions of a table for the month of `at` and the `months` after it, as far as they are missing. A device
-- whose clock runs ahead leaves rows of coming months in the default partition; the new partition takes them over.
-- Entries of audit logs stay where they were written, because the application removes none.
create function make_month_partitions(log text, time_column text, at timestamptz, months int) returns int language plpgsql
-- Writers of the default partition wait behind this lock, so it waits only briefly.
set lock_timeout = '500ms' as $$
declare
  -- About a second of locked writing. With more early rows the month stays in the default partition.
  most constant int := 100000;
  first_day date;
  low bigint;
  high bigint;
  made int := 0;
  name text;
  early int;
begin
  -- One worker at a time: the second finds the partitions that the first has made.
  perform pg_advisory_xact_lock(hashtext('make_month_partitions'));
  for i in 0..months loop
    first_day := (date_trunc('month', at at time zone 'UTC') + make_interval(months => i))::date;
    low := extract(epoch from first_day::timestamp at time zone 'UTC')::bigint;
    high := extract(epoch from (first_day + interval '1 month') at time zone 'UTC')::bigint;
    name := log || to_char(first_day, '_YYYY_MM');
    continue when to_regclass(name) is not null;
    execute format('lock table %I in access exclusive mode', log || '_default');
    execute format('lock table only %I in share update exclusive mode nowait', log);
    execute format('select count(*) from (select from only %I where %I >= $1 and %I < $2 limit %s) e', log || '_default', time_column, time_column,
      most + 1) into early using low, high;
    continue when early > most or (early > 0 and log in ('portal_activities', 'device_activities'));
    execute format('create table %I (like %I including all)', name, log);
    if early > 0 then
      execute format('with early as (delete from only %I where %I >= $1 and %I < $2 returning *) insert into %I select * from early',
        log || '_default', time_column, time_column, name) using low, high;
    end if;
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', log, name, low, high);
    made := made + 1;
  end loop;
  return made;
end $$;

-- Drops the partitions of a table whose month ended before `before` and that hold no row. Rows themselves are destroyed
-- by client and key.
create function drop_empty_months(log text, before timestamptz) returns int language plpgsql
set lock_timeout = '500ms' as $$
declare
  part record;
  is_taken boolean;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('make_month_partitions'));
  for part in
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = log::regclass and c.relname ~ ('^' || log || '_\d{4}_\d{2}$')
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before at time zone 'UTC'
  loop
    execute format('select exists (select from only %I)', part.name) into is_taken;
    continue when is_taken;
    -- Lock in the order in which writers lock, then look again: a row may have arrived in between.
    execute format('lock table only %I in access exclusive mode', log);
    execute format('lock table %I in access exclusive mode', part.name);
    execute format('select exists (select from only %I)', part.name) into is_taken;
    continue when is_taken;
    execute format('alter table %I detach partition %I', log, part.name);
    execute format('drop table %I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;

create table clients (
  client_id            int generated always as identity primary key,
  client               text collate "C" not null unique,
  client_name          text not null,
  is_provider          boolean not null default false,
  -- Wrapped by the key provider. Devices prove with it that they belong to the account.
  account_key          bytea not null,
  -- The identity provider of this client. Null: the one of the installation.
  oidc_issuer          text,
  oidc_client_id       text,
  oidc_client_secret   bytea,
  -- Rises with every change of roles, groups, tags or defaults. A compiled access of an older epoch is stale.
  access_epoch         bigint not null default 1,
  created_at           bigint not null,
  -- The OpenID client of the devices at the client's identity provider. Null: people do not sign in on devices.
  oidc_device_client_id text,
  -- The name at the identity provider (sessions/first-administrator.ts). Null: there is no such person.
  first_administrator  text,
  -- Since when people and apps of the client cannot sign in, in epoch seconds. Null: they can.
  suspended_at         bigint,
  suspended_by         text,
  suspended_reason     text,
  -- How claims of the identity provider become people, roles and groups. Null: the claim names of the embedded
  -- provider. Kept as text, because versions are computed from it.
  claim_mapping        json,
  mapping_updated_at   bigint,
  mapping_updated_by   text,
  -- Two people of the provider delete a suspended client that has no payloads left. The row stays: its reference is
  -- never given again, and audit log and certificates refer to it.
  deletion_proposed_at bigint,
  deletion_proposed_by text,
  deleted_at           bigint,
  deleted_by           text,
  -- The signed certificate as a file (docs/operations.md).
  deletion_certificate text,
  check (num_nulls(suspended_at, suspended_by, suspended_reason) in (0, 3)),
  check ((deletion_proposed_at is null) = (deletion_proposed_by is null)),
  check (num_nulls(deleted_at, deleted_by, deletion_certificate) in (0, 3)),
  check (deletion_proposed_at is null or suspended_at is not null),
  check (deleted_at is null or (deletion_proposed_at is not null and deleted_by <> deletion_proposed_by and not is_provider)),
  -- Two people of the provider delete a client; a command on the server takes no half of it.
  check (deleted_at is not null or deletion_proposed_by is null or deletion_proposed_by like '% (provider)')
);
grant select, insert, update on clients to custodia_app;
-- A client is made with its keys, groups and log entries in one transaction, which needs its number before.
grant usage on sequence clients_client_id_seq to custodia_app;
grant select (client_id, client, client_name, is_provider, oidc_issuer, oidc_client_id, created_at,
  oidc_device_client_id, first_administrator, suspended_at, suspended_by, suspended_reason, claim_mapping,
  deletion_proposed_at, deletion_proposed_by, deleted_at) on clients to custodia_staff;

create function keep_deleted_clients() returns trigger language plpgsql as $$
begin
  if (new.client, new.suspended_at, new.deletion_proposed_at, new.deletion_proposed_by, new.deleted_at, new.deleted_by, new.deletion_certificate)
    is distinct from (old.client, old.suspended_at, old.deletion_proposed_at, old.deletion_proposed_by, old.deleted_at, old.deleted_by, old.deletion_certificate) then
    raise exception 'client % is deleted', old.client using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger kept_deleted before update on clients for each row when (old.deleted_at is not null) execute function keep_deleted_clients();

-- Public keys with which devices wrap their data keys. The private halves stay with the key provider.
create table client_keys (
  key_id     text collate "C" primary key,
  client_id  int not null references clients,
  public_key text not null,
  created_at bigint not null,
  retired_at bigint
);
create index on client_keys (client_id, created_at);
grant select, insert, update on client_keys to custodia_app;

-- Key pairs with which the server signs tokens, wrapped by the key provider. All processes share them.
create table signing_keys (
  name        text collate "C" primary key,
  wrapped_key bytea not null,
  created_at  bigint not null
);
grant select, insert on signing_keys to custodia_app;

-- Counts the writes of a client, in the transaction of the write. A replica that shows the number has replayed the
-- write.
create table client_writes (
  client_id int primary key references clients,
  writes    bigint not null
) with (fillfactor = 50);
alter table client_writes enable row level security;
alter table client_writes force row level security;
create policy tenant on client_writes using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on client_writes to custodia_app;

-- Work that clients cause and workers do, shared fairly between clients. Readable before the tenant is known, like the
-- job queue; it holds ids of payloads and nothing of their content.
create table client_tasks (
  task_id   bigint generated always as identity primary key,
  kind      text not null,
  -- Which workers do it: quick work does not wait behind long work.
  lane      text collate "C" not null,
  client_id int not null references clients,
  -- At most one task of a kind with the same key waits or runs.
  key       text collate "C" not null,
  input     jsonb not null,
  -- Seconds of a core, as estimated.
  cost      real not null check (cost > 0),
  -- When the task may be taken, in epoch seconds. A worker moves this ahead while it works, so that the task of a dead
  -- worker falls due.
  due_at    bigint not null,
  attempts  int not null default 0,
  -- Counts how often the task was taken or requested. A worker with an older count can neither extend nor end it.
  fence     int not null default 0,
  -- Lanes can limit the running tasks of one client. A task runs while it is taken and its lease lasts; `due_at` alone
  -- does not tell it from a task that waits for its next attempt.
  is_taken  boolean not null default false,
  unique (client_id, kind, key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);
create index on client_tasks (lane, client_id, due_at, task_id);
grant select, insert, update, delete on client_tasks to custodia_app;

-- What each client has used of a lane, as virtual time. Client 0 is the clock of the lane.
create table client_shares (
  lane      text collate "C" not null,
  client_id int not null,
  used      double precision not null,
  primary key (lane, client_id)
) with (fillfactor = 50);
grant select, insert, update, delete on client_shares to custodia_app;

-- The newest figures of the installation, replaced as a whole.
create table statistics (
  is_newest  boolean primary key default true check (is_newest),
  document   jsonb not null,
  updated_at bigint not null
);
grant select, insert, update, delete on statistics to custodia_app;
grant select on statistics to custodia_staff;

-- Results of integrity checks of the whole archive: one row per run, never changed.
create table verify_runs (
  run_id      bigint generated always as identity primary key,
  started_at  bigint not null,
  ended_at    bigint not null,
  -- Which part of the objects was opened. Null: the run only looked whether they exist.
  opened_part text,
  outcome     text not null check (outcome in ('clean', 'findings', 'unverified')),
  -- Numbers of checked rows and objects.
  checked     jsonb not null,
  -- Numbers of findings per check and client, without facts of payloads.
  found       jsonb not null,
  -- The findings, up to a limit. The provider's staff cannot read them.
  findings    jsonb not null,
  problem     text
);
create index on verify_runs (started_at);
grant select, insert on verify_runs to custodia_app;
grant select (run_id, started_at, ended_at, opened_part, outcome, checked, found) on verify_runs to custodia_staff;

-- Successful backups, for the age of the newest one. A restored database knows those that ended before its own.
create table backups (
  backup_id    bigint generated always as identity primary key,
  began_at     bigint not null,
  ended_at     bigint not null,
  -- False: other tools back up the database.
  has_database boolean not null
);
grant select, insert on backups to custodia_app;
