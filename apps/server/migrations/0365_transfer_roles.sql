-- A transfer config delivers as a named role, at most what that role may download. Without one it delivers nothing.
alter table transfer_configs
  add column role_reference text,
  -- What it delivered at most at its last run or save, as payload types and group ids; null: it was never decided.
  add column reach jsonb;
grant update (role_reference, reach) on transfer_configs to custodia_app;

alter table transfer_runs
  add column role_reference text,
  -- How many payloads of the window the role kept from it, by reason and type.
  add column left_out jsonb not null default '[]';
grant update (left_out) on transfer_runs to custodia_app;
