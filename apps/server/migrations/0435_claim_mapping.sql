-- How the claims of a client's identity provider become people, roles and groups. Null: by the names that our own provider uses. Kept as text,
-- because versions are made of it.
alter table clients add column claim_mapping json;
grant select (claim_mapping) on clients to custodia_staff;

-- What the provider calls the person, and why they have their roles: by a claim, a rule of the mapping or the default of the account.
alter table portal_sessions add column display_name text;
alter table portal_sessions add column role_sources jsonb not null default '[]';
