-- Somebody deleted is hidden for good: the reference stays theirs, and what was recorded keeps the name.
alter table device_users add column deleted_at bigint;
grant select (deleted_at) on device_users to custodia_staff;
create index device_users_listed on device_users (client_id, device_user_reference) where deleted_at is null;
create index device_users_of_group on device_users (client_id, group_id, device_user_reference) where deleted_at is null;
create index devices_of_user on devices (client_id, device_user_id);
