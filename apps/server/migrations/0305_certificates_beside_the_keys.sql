-- Certificates of destruction stand in the files beside the keys as well, before they are rows here: a restored database learns from them what was
-- certified since. In which file each stands.
create table destruction_certificate_files (
  client_id             int not null references clients,
  certificate_reference text collate "C" not null,
  file                  text collate "C" not null,
  primary key (client_id, certificate_reference),
  foreign key (client_id, certificate_reference) references destruction_certificates (client_id, certificate_reference)
);
create trigger kept before update or delete on destruction_certificate_files for each row execute function keep_destructions();
create trigger kept_whole before truncate on destruction_certificate_files for each statement execute function keep_destructions();
alter table destruction_certificate_files enable row level security;
alter table destruction_certificate_files force row level security;
create policy tenant on destruction_certificate_files using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on destruction_certificate_files to custodia_app;

-- By the clock of the database; null: made by this database, and not by the one that it replaces.
alter table destruction_certificates add column replayed_at bigint;
