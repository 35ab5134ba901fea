-- The run without errors over the same files by which nothing is left to be done of one that had errors: from its end on the days of its files count.
alter table migration_runs add column settled_by text collate "C";
grant update (settled_by) on migration_runs to custodia_app;
