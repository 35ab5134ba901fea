-- What was destroyed also stands in files beside the keys, before its keys are wiped: a restored database learns from them what was destroyed since.
-- How much of each file this database has: as old as the rest of it after a restore.
create table destruction_files (
  file  text collate "C" primary key,
  bytes bigint not null,
  /* of the chain, up to there */
  hash  text collate "C" not null
);
grant select, insert, update on destruction_files to custodia_app;

-- In which file it stands; null: not yet, or destroyed before there were any.
alter table destruction_intents add column file text collate "C";
grant update (file) on destruction_intents to custodia_app;
alter table destruction_ends add column file text collate "C";

-- By the clock of the database; null: destroyed in this database, and not by what the files say of the one that it replaces.
alter table destruction_ledger add column replayed_at bigint;
