-- Retention destroys as well: a pass of its own, behind the one that deletes.
alter table retention_positions add act text not null default 'delete' check (act in ('delete', 'destroy'));
alter table retention_positions drop constraint retention_positions_pkey, add primary key (client_id, service, act);

alter table retention_deeds add destroyed int not null default 0;

-- What retention destroyed in one pass over an account, or in one day of it: entries of the ledger name it. One is open at a time.
create table destruction_runs (
  client_id int not null references clients,
  run_id    text collate "C" not null,
  /* by the clock of the database */
  began_at  bigint not null,
  /* nothing more is destroyed in it */
  ended_at  bigint,
  primary key (client_id, run_id)
);
create unique index destruction_runs_open on destruction_runs (client_id) where ended_at is null;
alter table destruction_runs enable row level security;
alter table destruction_runs force row level security;
create policy tenant on destruction_runs using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
-- One that ended stays as it is.
grant select, insert on destruction_runs to custodia_app;
grant update (ended_at) on destruction_runs to custodia_app;
create function keep_ended_runs() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' or old.ended_at is not null or (new.client_id, new.run_id, new.began_at) <> (old.client_id, old.run_id, old.began_at) then
    raise exception 'destructions are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger kept before update or delete on destruction_runs for each row execute function keep_ended_runs();
