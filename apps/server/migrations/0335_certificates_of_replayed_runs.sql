-- Runs of a database that this one replaces: nobody counted what went in them. Of how many lines of the ledger it was seen that a certificate has each;
-- where more of them come back, what is new is certified.
create table destruction_runs_certified (
  client_id int not null references clients,
  run_id    text collate "C" not null,
  lines     int not null,
  primary key (client_id, run_id),
  foreign key (client_id, run_id) references destruction_runs (client_id, run_id)
);
alter table destruction_runs_certified enable row level security;
alter table destruction_runs_certified force row level security;
create policy tenant on destruction_runs_certified using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (lines) on destruction_runs_certified to custodia_app;
