-- When a chain of certificates proved that the pinned key lives in hardware.
alter table devices add column attested_at bigint;
-- Whether phones must have a key of their own.
alter table account_defaults add column keys_required boolean not null default false;
