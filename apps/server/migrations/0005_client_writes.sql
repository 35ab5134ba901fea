-- How often a client's people have written: counted in the transaction of the act, so that a replica which shows the number has
-- replayed the act.
create table client_writes (
  client_id int primary key references clients,
  writes    bigint not null
) with (fillfactor = 50);

alter table client_writes enable row level security;
alter table client_writes force row level security;
create policy tenant on client_writes using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on client_writes to custodia_app;
