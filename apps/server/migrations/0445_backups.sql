-- Backups that ended well, for the age of the newest one. A restored database knows those that ended before its own.
create table backups (
  backup_id    bigint generated always as identity primary key,
  began_at     bigint not null,
  ended_at     bigint not null,
  -- False: other tools back the database up.
  has_database boolean not null
);
grant select, insert on backups to custodia_app;
