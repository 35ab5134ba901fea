-- Attempts to read the content of a payload that were begun, each noted before it begins: those that ended with their process are never
-- taken back, and after a few of them nobody tries again.
alter table payload_work add column begun smallint not null default 0;
