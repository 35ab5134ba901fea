-- Providers differ in what an empty list of roles says: no role, or nothing about roles.
alter table account_defaults add default_for_empty_roles boolean not null default true;
