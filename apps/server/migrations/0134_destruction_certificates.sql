-- How many payloads went in a run, once it ended.
alter table destruction_runs add payloads int;
alter table destruction_runs disable trigger kept;
update destruction_runs r set payloads = (select count(*) from destruction_ledger l where l.client_id = r.client_id and l.run_id = r.run_id)
where ended_at is not null;
alter table destruction_runs enable trigger kept;
grant update (payloads) on destruction_runs to custodia_app;

-- Signed statements of what was destroyed, in parts of a run, made once all of it is gone.
create table destruction_certificates (
  client_id             int not null references clients,
  certificate_reference text collate "C" not null,
  run_id                text collate "C" not null,
  part                  int not null,
  parts                 int not null,
  payloads              int not null,
  began_at              bigint not null,
  ended_at              bigint not null,
  issued_at             bigint not null,
  key_id                text not null,
  checksum              text not null,
  /* the canonical JSON that is signed */
  body                  text not null,
  signature             bytea not null,
  primary key (client_id, certificate_reference),
  unique (client_id, run_id, part),
  foreign key (client_id, run_id) references destruction_runs (client_id, run_id)
);
create trigger kept before update or delete on destruction_certificates for each row execute function keep_destructions();
create trigger kept_whole before truncate on destruction_certificates for each statement execute function keep_destructions();
alter table destruction_certificates enable row level security;
alter table destruction_certificates force row level security;
create policy tenant on destruction_certificates using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on destruction_certificates to custodia_app;
