alter table clients
  -- As the identity provider names the person (sessions/first-administrator.ts); null: no such person.
  add column first_administrator text,
  -- Since when people and apps of the client cannot sign in, in epoch seconds; null: they can.
  add column suspended_at bigint,
  add column suspended_by text,
  add column suspended_reason text,
  add check (num_nulls(suspended_at, suspended_by, suspended_reason) in (0, 3));
grant select (first_administrator, suspended_at, suspended_by, suspended_reason) on clients to custodia_staff;
-- A client is made with its keys, groups and log entries in one transaction, which needs its number before.
grant usage on sequence clients_client_id_seq to custodia_app;
