-- Groups, roles and sign-in: who may see what.

create table groups (
  group_id        int generated always as identity primary key,
  client_id       int not null references clients,
  group_reference text collate "C" not null,
  updated_at      bigint not null,
  updated_by      text not null,
  -- Each client has one reserved group, for devices and payloads that wait for confirmation. No condition of a
  -- permission matches it.
  is_reserved     boolean not null default false,
  unique (client_id, group_reference),
  unique (client_id, group_id)
);
create unique index groups_reserved on groups (client_id) where is_reserved;
alter table groups enable row level security;
alter table groups force row level security;
create policy tenant on groups using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on groups to custodia_app;

create table group_tags (
  client_id int not null,
  group_id  int not null,
  tag_key   text collate "C" not null,
  tag_value text not null,
  foreign key (client_id, group_id) references groups (client_id, group_id) on delete cascade,
  primary key (client_id, group_id, tag_key)
);
create index on group_tags (client_id, tag_key, tag_value);
alter table group_tags enable row level security;
alter table group_tags force row level security;
create policy tenant on group_tags using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on group_tags to custodia_app;

create table tag_definitions (
  client_id     int not null references clients,
  tag_key       text collate "C" not null,
  -- Null: any value. Empty: none.
  tag_values    text[],
  is_required   boolean not null,
  default_value text,
  updated_at    bigint not null,
  updated_by    text not null,
  primary key (client_id, tag_key),
  check (not is_required or default_value is not null)
);
alter table tag_definitions enable row level security;
alter table tag_definitions force row level security;
create policy tenant on tag_definitions using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on tag_definitions to custodia_app;

-- Roles that the client made; system roles are part of the program.
create table roles (
  client_id      int not null references clients,
  role_reference text collate "C" not null,
  document       jsonb not null,
  updated_at     bigint not null,
  updated_by     text not null,
  primary key (client_id, role_reference)
);
alter table roles enable row level security;
alter table roles force row level security;
create policy tenant on roles using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on roles to custodia_app;

create table account_defaults (
  client_id               int primary key references clients,
  group_id                int not null,
  role                    text,
  cidr_ranges             text[] not null default '{}',
  updated_at              bigint,
  updated_by              text,
  -- The contact for people without rights: a name, an address or a number, in the account's own words.
  contact                 text check (length(contact) between 1 and 255),
  -- Daily numbers from which security staff get an alert, and whether exports and downloads need a reason, optionally
  -- from a list.
  play_limit              int not null default 1000 check (play_limit > 0),
  download_limit          int not null default 100 check (download_limit > 0),
  export_limit            int not null default 20 check (export_limit > 0),
  asks_reason             boolean not null default false,
  reasons                 text[] not null default '{}',
  -- Providers differ in the meaning of an empty list of roles: no role, or no statement about roles.
  default_for_empty_roles boolean not null default true,
  foreign key (client_id, group_id) references groups (client_id, group_id)
);
alter table account_defaults enable row level security;
alter table account_defaults force row level security;
create policy tenant on account_defaults using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on account_defaults to custodia_app;

create table client_apps (
  client_id     int not null references clients,
  app_reference text collate "C" not null,
  issuer        text not null,
  audience      text not null,
  jwks_uri      text not null,
  group_id      int,
  roles         text[] not null,
  cidr_ranges   text[] not null default '{}',
  last_seen     bigint,
  updated_at    bigint not null,
  updated_by    text not null,
  primary key (client_id, app_reference),
  -- A token must lead to one app.
  unique (client_id, issuer, audience),
  foreign key (client_id, group_id) references groups (client_id, group_id)
);
alter table client_apps enable row level security;
alter table client_apps force row level security;
create policy tenant on client_apps using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on client_apps to custodia_app;

-- Requests of the provider's staff and decisions of the client. Never removed.
create table support_access (
  client_id           int not null references clients,
  request_reference   text collate "C" not null,
  role                text not null,
  request_description text not null,
  requested_expiry    bigint not null,
  requested_by        text not null,
  requested_at        bigint not null,
  -- As decided. After `approval_expiry` it counts as expired, without a write.
  approval_state      text not null default 'pending' check (approval_state in ('pending', 'canceled', 'approved', 'rejected', 'revoked', 'expired')),
  approval_expiry     bigint,
  approved_by         text,
  rejection_reason    text,
  updated_at          bigint not null,
  updated_by          text not null,
  -- Issuer and subject of the requester. A person of the client with the same name is another person. Null: not known.
  requested_issuer    text,
  requested_subject   text,
  -- The display name of the requester at that time. Names of the provider are in another account. Null: not known.
  requester_name      text,
  primary key (client_id, request_reference),
  check (approval_state <> 'approved' or (approval_expiry is not null and approved_by is not null)),
  check (approval_expiry <= requested_expiry),
  check ((requested_issuer is null) = (requested_subject is null))
);
create index on support_access (approval_state, requested_at, request_reference);
create index support_access_by_time on support_access (client_id, requested_at, request_reference);
alter table support_access enable row level security;
alter table support_access force row level security;
create policy staff on support_access for select to custodia_staff using (true);
create policy tenant on support_access using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on support_access to custodia_app;
grant select on support_access to custodia_staff;

create table terms_acceptances (
  client_id      int not null references clients,
  user_reference text not null,
  version        text not null,
  accepted_at    bigint not null,
  -- Retention walks the acceptances in this order.
  acceptance_id  bigint generated always as identity,
  primary key (client_id, user_reference, version)
);
create index terms_acceptances_by_time on terms_acceptances (client_id, accepted_at, acceptance_id);
alter table terms_acceptances enable row level security;
alter table terms_acceptances force row level security;
create policy tenant on terms_acceptances using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on terms_acceptances to custodia_app;

-- Issuer and subject of each portal user. A name belongs to one of them for good; the same name from another provider
-- gets another name here.
create table portal_people (
  client_id      int not null references clients,
  user_reference text not null,
  issuer         text not null,
  subject        text not null,
  created_at     bigint not null,
  primary key (client_id, user_reference),
  unique (client_id, issuer, subject)
);
alter table portal_people enable row level security;
alter table portal_people force row level security;
create policy tenant on portal_people using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on portal_people to custodia_app;

-- Sessions of portal users. Readable before the tenant is known, because a token names its tenant.
create table portal_sessions (
  session_id      text collate "C" primary key,
  client_id       int not null references clients,
  user_reference  text not null,
  roles           text[] not null,
  user_group      text,
  groups          text[],
  -- Hash of the handle that the portal keeps. It is useless without the cookie half, which is derived from session_id
  -- and rotation.
  refresh_hash    bytea not null unique,
  rotation        int not null default 0,
  rotated_at      bigint not null,
  -- Tokens of the identity provider, sealed, and the time of its last confirmation.
  provider_tokens text,
  checked_at      bigint not null,
  created_at      bigint not null,
  expires_at      bigint not null,
  ended_at        bigint,
  end_reason      text,
  -- The e-mail address that the provider verified. People cannot mark their own recordings.
  email           text,
  -- The address of the sign-in: roles and accounts hold in some networks only. Null: not known.
  ip              text,
  -- The identity provider of the sign-in. Null: not known, and equal to no provider.
  issuer          text,
  -- The display name from the provider, and why the person has each role: a claim, a rule of the mapping or the default
  -- of the account.
  display_name    text,
  role_sources    jsonb not null default '[]'
);
create index on portal_sessions (client_id, user_reference);
create index on portal_sessions (expires_at);
create index portal_sessions_by_time on portal_sessions (client_id, created_at, session_id);
-- Sessions stay as long as the policy says; tokens of the provider do not.
create index portal_sessions_provider_tokens on portal_sessions (expires_at) where provider_tokens is not null;
grant select, insert, update, delete on portal_sessions to custodia_app;

-- The embedded identity provider: its items, and the people of the demo.
create table oidc_items (
  model      text not null,
  id         text not null,
  payload    jsonb not null,
  grant_id   text,
  uid        text,
  user_code  text,
  expires_at bigint,
  primary key (model, id)
);
create index on oidc_items (grant_id) where grant_id is not null;
create index on oidc_items (uid) where uid is not null;
create index on oidc_items (expires_at);
grant select, insert, update, delete on oidc_items to custodia_app;

create table oidc_people (
  client         text not null,
  user_reference text not null,
  password_hash  text not null,
  roles          text[] not null,
  user_group     text,
  groups         text[],
  description    text not null,
  -- The verified e-mail address. Null: none.
  email          text,
  -- First name and surname. Null: unknown.
  display_name   text,
  primary key (client, user_reference)
);
grant select, insert, update, delete on oidc_people to custodia_app;

-- Roles and groups that people have in the portal, also before they first sign in. They count when they have an end, or
-- when the client assigns roles there (`roles_from` of its claim mapping).
create table role_assignments (
  client_id      int not null references clients,
  user_reference text collate "C" not null,
  -- [{role, assigned_at, assigned_by}]
  roles          jsonb not null check (jsonb_typeof(roles) = 'array' and roles <> '[]'),
  -- Null: all groups.
  groups         text[],
  -- Afterwards the person has no role. Null: no end.
  ends_at        bigint,
  -- Ids of the legal matters to whose recordings the access is limited. Null: all recordings. Only access with an end
  -- always counts in place of claims.
  matters        text[] check (matters <> '{}' and (matters is null or ends_at is not null)),
  primary key (client_id, user_reference)
);
alter table role_assignments enable row level security;
alter table role_assignments force row level security;
create policy tenant on role_assignments using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on role_assignments to custodia_app;

-- People and their roles at one moment, to be confirmed or revoked.
create table recertifications (
  client_id                  int not null references clients,
  recertification_reference  text collate "C" not null,
  name                       text not null,
  -- Null: all people with roles.
  role                       text,
  started_at                 bigint not null,
  started_by                 text not null,
  due_at                     bigint not null,
  ended_at                   bigint,
  ended_by                   text,
  primary key (client_id, recertification_reference),
  check ((ended_at is null) = (ended_by is null))
);
alter table recertifications enable row level security;
alter table recertifications force row level security;
create policy tenant on recertifications using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (ended_at, ended_by) on recertifications to custodia_app;

create table recertified_people (
  client_id                  int not null references clients,
  recertification_reference  text collate "C" not null,
  user_reference             text collate "C" not null,
  roles                      text[] not null,
  -- Null: all groups.
  groups                     text[],
  ends_at                    bigint,
  matters                    text[],
  last_seen                  bigint,
  decision                   text check (decision in ('confirmed', 'revoked')),
  reason                     text,
  decided_at                 bigint,
  decided_by                 text,
  primary key (client_id, recertification_reference, user_reference),
  foreign key (client_id, recertification_reference) references recertifications,
  check (num_nulls(decision, reason, decided_at, decided_by) in (0, 4))
);
alter table recertified_people enable row level security;
alter table recertified_people force row level security;
create policy tenant on recertified_people using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (decision, reason, decided_at, decided_by) on recertified_people to custodia_app;

-- Each version of what decides who may do what, so that rights of a past moment can be compiled. Audit entries are not
-- enough: they lack parts of a change, and retention removes them. Triggers write the versions, so that no writer leaves
-- one out; a job writes those of built-in roles, which are part of the program.
create table rights_versions (
  client_id  int not null references clients,
  kind       text collate "C" not null
    check (kind in ('account', 'app', 'assignment', 'builtin', 'embedded', 'group', 'mapping', 'person', 'role', 'support', 'tag')),
  -- Of a group: its id, because references are given again. Of a tag: id of the group and key.
  reference  text collate "C" not null,
  version_id bigint generated always as identity,
  at         bigint not null default extract(epoch from clock_timestamp())::bigint,
  -- Null: removed.
  document   jsonb,
  -- The sealed log takes versions in the order of transactions.
  xid        xid8 not null default pg_current_xact_id(),
  primary key (client_id, kind, reference, version_id)
);
create index on rights_versions (client_id, xid);
alter table rights_versions enable row level security;
alter table rights_versions force row level security;
create policy tenant on rights_versions using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
-- Sessions and people of the embedded provider are written before the tenant is known.
create policy append on rights_versions for insert with check (true);
grant select, insert on rights_versions to custodia_app;

-- Arguments: the kind, the columns of the reference and those of the document.
create function keep_rights() returns trigger language plpgsql as $$
declare
  fields constant text[] := string_to_array(tg_argv[2], ' ');
  subject jsonb;
  former jsonb;
  kept jsonb;
begin
  if tg_op <> 'INSERT' then
    subject := to_jsonb(old);
    former := (select jsonb_object_agg(name, subject -> name) from unnest(fields) name);
  end if;
  if tg_op <> 'DELETE' then
    subject := to_jsonb(new);
    kept := (select jsonb_object_agg(name, subject -> name) from unnest(fields) name);
  end if;
  if former = kept then return null; end if;
  insert into rights_versions (client_id, kind, reference, document)
    select coalesce((subject ->> 'client_id')::int, (select client_id from clients where client = subject ->> 'client')), tg_argv[0],
      (select coalesce(string_agg(subject ->> name, ' ' order by place), '')
        from unnest(string_to_array(tg_argv[1], ' ')) with ordinality n (name, place)), kept
    -- The demo has people of the embedded provider before their client.
    where subject ? 'client_id' or exists (select from clients where client = subject ->> 'client');
  return null;
end $$;

-- The roles of a person are those of the newest session, as lists and explanations have them.
create function keep_rights_of_session() returns trigger language plpgsql as $$
declare
  other portal_sessions;
begin
  select * into other from portal_sessions s
    where s.client_id = new.client_id and s.user_reference = new.user_reference and s.session_id <> new.session_id
    order by s.created_at desc, s.session_id desc limit 1;
  if (other.created_at, other.session_id) > (new.created_at, new.session_id) then return null; end if;
  if tg_op = 'UPDATE' then other := old; end if;
  if other.session_id is not null and (other.roles, other.groups) is not distinct from (new.roles, new.groups) then return null; end if;
  insert into rights_versions (client_id, kind, reference, document)
    values (new.client_id, 'person', new.user_reference, jsonb_build_object('roles', new.roles, 'groups', new.groups));
  return null;
end $$;

create trigger rights_kept after insert or update or delete on groups
  for each row execute function keep_rights('group', 'group_id', 'group_id group_reference is_reserved');
create trigger rights_kept after insert or update or delete on group_tags
  for each row execute function keep_rights('tag', 'group_id tag_key', 'group_id tag_key tag_value');
create trigger rights_kept after insert or update or delete on roles
  for each row execute function keep_rights('role', 'role_reference', 'document');
create trigger rights_kept after insert or update or delete on account_defaults
  for each row execute function keep_rights('account', '', 'role cidr_ranges');
create trigger rights_kept after insert or update of claim_mapping on clients
  for each row execute function keep_rights('mapping', '', 'claim_mapping');
create trigger rights_kept after insert or update of roles, cidr_ranges or delete on client_apps
  for each row execute function keep_rights('app', 'app_reference', 'roles cidr_ranges');
create trigger rights_kept after insert or update or delete on support_access
  for each row execute function keep_rights('support', 'request_reference',
    'role requested_by requested_expiry approval_state approval_expiry');
create trigger rights_kept after insert or update or delete on role_assignments
  for each row execute function keep_rights('assignment', 'user_reference', 'roles groups ends_at matters');
create trigger rights_kept after insert or update of roles, groups or delete on oidc_people
  for each row execute function keep_rights('embedded', 'user_reference', 'roles groups');
create trigger rights_kept after insert or update of roles, groups on portal_sessions
  for each row execute function keep_rights_of_session();
