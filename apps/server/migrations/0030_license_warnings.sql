-- What was last told of how far a client's licences are used: it is told once, and again only when the use was below in between.
create table license_warnings (
  client_id int not null references clients,
  service   text collate "C" not null,
  level     smallint not null check (level in (90, 100)),
  primary key (client_id, service)
);
alter table license_warnings enable row level security;
alter table license_warnings force row level security;
create policy tenant on license_warnings using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on license_warnings to custodia_app;
