-- Roles and groups that people are assigned in the portal, also before they first sign in. They count where the client assigns roles there
-- (`roles_from` of its claim mapping).
create table role_assignments (
  client_id      int not null references clients,
  user_reference text collate "C" not null,
  -- [{role, assigned_at, assigned_by}]
  roles          jsonb not null check (jsonb_typeof(roles) = 'array' and roles <> '[]'),
  -- Null: not confined to groups.
  groups         text[],
  primary key (client_id, user_reference)
);
grant select, insert, update, delete on role_assignments to custodia_app;
alter table role_assignments enable row level security;
alter table role_assignments force row level security;
create policy tenant on role_assignments using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);

update clients set claim_mapping = ('{"roles_from":"claims",' || substr(claim_mapping::text, 2))::json where claim_mapping is not null;
