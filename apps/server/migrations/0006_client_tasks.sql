-- Work that clients cause and workers do, shared out fairly between clients. Infrastructure, as the job queue is: it names payloads by
-- their ids, holds nothing of them, and is read before the tenant is known.
create table client_tasks (
  task_id   bigint generated always as identity primary key,
  kind      text not null,
  -- Which workers do it: what is quick does not wait behind what is long.
  lane      text collate "C" not null,
  client_id int not null references clients,
  -- At most one task of a kind with the same key is waiting or under way.
  key       text collate "C" not null,
  input     jsonb not null,
  -- Seconds of a core, as estimated.
  cost      real not null check (cost > 0),
  -- From when on it may be taken, epoch seconds. Whoever takes it moves this on and goes on moving it: a dead worker's task comes due.
  due_at    bigint not null,
  attempts  int not null default 0,
  -- Counts how often it was taken or asked for: who holds an older count can neither prolong nor end it.
  fence     int not null default 0,
  unique (client_id, kind, key)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 500);
create index on client_tasks (lane, client_id, due_at, task_id);

-- What each client was given of a lane so far, as virtual time; client 0 is the lane's own clock.
create table client_shares (
  lane      text collate "C" not null,
  client_id int not null,
  used      double precision not null,
  primary key (lane, client_id)
) with (fillfactor = 50);

grant select, insert, update, delete on client_tasks, client_shares to custodia_app;
