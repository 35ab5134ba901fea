-- A deleted phone is hidden until it authenticates again; a blocked one is refused until somebody lifts the block.
alter table devices add column deleted_at bigint;
alter table devices add column blocked_at bigint;
alter table devices add column blocked_by text;
-- What it would record, had there been a licence when it was activated.
alter table devices add column unlicensed_services text[] not null default '{}';
grant select (unlicensed_services, deleted_at) on devices to custodia_staff;
-- What was last told of somebody's phones by an alert: it is told once, and again only when something else was so in between.
alter table device_users add column told_standing text check (told_standing in ('fewer', 'more', 'recording'));
