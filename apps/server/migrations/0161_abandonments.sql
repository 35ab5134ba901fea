-- What people gave up waiting for: data that a phone never brought, or that failed and was never brought again. It alone lets retention have such a
-- payload go, and nothing else comes of it: data that comes late is taken as ever.
create table payload_abandonments (
  client_id  int not null references clients,
  payload_id bigint not null references payloads,
  at         bigint not null,
  by         text not null,
  primary key (client_id, payload_id, at)
);
grant select, insert on payload_abandonments to custodia_app;
alter table payload_abandonments enable row level security;
alter table payload_abandonments force row level security;
create policy tenant on payload_abandonments using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create trigger kept before update or delete on payload_abandonments for each row execute function keep_retention_policies();
create trigger kept_whole before truncate on payload_abandonments for each statement execute function keep_retention_policies();
