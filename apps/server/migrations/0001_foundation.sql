-- Times are epoch seconds (bigint), as on the wire. Keys that people see are COLLATE "C", so that every server sorts them alike.
-- Every table with client_id is a tenant table: row-level security is forced on it at the end of this file, unless it is
-- listed there as infrastructure that must be readable before the tenant is known.

create table clients (
  client_id     int generated always as identity primary key,
  client        text collate "C" not null unique,
  client_name   text not null,
  is_provider   boolean not null default false,
  -- Wrapped by the key provider; phones of the account prove with it that they belong here.
  account_key   bytea not null,
  -- The identity provider of this client; null: the installation's own.
  oidc_issuer   text,
  oidc_client_id text,
  oidc_client_secret bytea,
  -- Raised with every change of roles, groups, tags or defaults: a compiled access of an older epoch is stale.
  access_epoch  bigint not null default 1,
  created_at    bigint not null
);

-- The public keys with which phones wrap their data keys; private halves stay with the key provider.
create table client_keys (
  key_id      text collate "C" primary key,
  client_id   int not null references clients,
  public_key  text not null,
  created_at  bigint not null,
  retired_at  bigint
);
create index on client_keys (client_id, created_at desc);

create table groups (
  group_id        int generated always as identity primary key,
  client_id       int not null references clients,
  group_reference text collate "C" not null,
  updated_at      bigint not null,
  updated_by      text not null,
  unique (client_id, group_reference),
  unique (client_id, group_id)
);

create table group_tags (
  client_id int not null,
  group_id  int not null,
  tag_key   text collate "C" not null,
  tag_value text not null,
  primary key (client_id, group_id, tag_key, tag_value),
  foreign key (client_id, group_id) references groups (client_id, group_id) on delete cascade
);

-- Roles that the client made; system roles are part of the program.
create table roles (
  client_id      int not null references clients,
  role_reference text collate "C" not null,
  document       jsonb not null,
  updated_at     bigint not null,
  updated_by     text not null,
  primary key (client_id, role_reference)
);

create table account_defaults (
  client_id   int primary key references clients,
  group_id    int not null,
  role        text,
  cidr_ranges text[] not null default '{}',
  foreign key (client_id, group_id) references groups (client_id, group_id)
);

create table device_users (
  device_user_id        int generated always as identity primary key,
  client_id             int not null references clients,
  device_user_reference text collate "C" not null,
  group_id              int not null,
  services              text[] not null default '{}',
  expected_device_count int not null default 1 check (expected_device_count >= 0),
  email                 text,
  first_name            text,
  surname               text,
  is_active             boolean not null default true,
  onboard_date          bigint,
  offboard_date         bigint,
  is_legacy             boolean not null default false,
  updated_at            bigint not null,
  updated_by            text not null,
  unique (client_id, device_user_reference),
  unique (client_id, device_user_id),
  foreign key (client_id, group_id) references groups (client_id, group_id)
);
create index on device_users (client_id, lower(email)) where email is not null;

create table devices (
  device_id           int generated always as identity primary key,
  client_id           int not null references clients,
  device_reference    text collate "C" not null,
  device_user_id      int,
  group_id            int not null,
  services            text[] not null default '{}',
  imeis               text[] not null default '{}',
  phone_numbers       jsonb not null default '[]',
  email               text,
  last_seen           bigint,
  is_deactivated      boolean not null default false,
  deactivation_date   bigint,
  activated_at        bigint,
  is_legacy           boolean not null default false,
  legacy_phone_number text,
  model               text,
  os_version          text,
  app_version         text,
  serial_number       text,
  fcm_token           text,
  installation_id     text,
  updated_at          bigint not null,
  updated_by          text not null,
  unique (client_id, device_reference),
  unique (client_id, device_id),
  foreign key (client_id, group_id) references groups (client_id, group_id),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id)
);
create index on devices (client_id, serial_number) where serial_number is not null;
create index on devices (client_id, installation_id) where installation_id is not null;
create index on devices using gin (imeis);

-- Who held a device when: a payload keeps the holder of the moment it was recorded.
create table device_history (
  client_id      int not null,
  device_id      int not null,
  from_at        bigint not null,
  to_at          bigint,
  device_user_id int,
  group_id       int not null,
  primary key (client_id, device_id, from_at),
  foreign key (client_id, device_id) references devices (client_id, device_id)
);

-- Infrastructure: a token names its tenant.
create table device_tokens (
  token_hash bytea primary key,
  client_id  int not null references clients,
  device_id  int not null,
  expires_at bigint not null
);
create index on device_tokens (client_id, device_id);

-- Each ULID authenticates once.
create table device_ulids (
  client_id  int not null references clients,
  ulid       text collate "C" not null,
  used_at    bigint not null,
  primary key (client_id, ulid)
);

-- ---------------------------------------------------------------------------------------------------------------
-- Payloads. The narrow table is the only one that changes; nothing volatile (state, updated_at) stands in any of its
-- indexes, so that updates stay heap-only. Codes stand in apps/server/src/payloads/codes.ts; a test compares both.

create table payload_states (code smallint primary key, name text not null unique);
create table payload_types (code smallint primary key, name text not null unique, service smallint not null);
create table payload_transitions (
  from_state smallint not null references payload_states,
  to_state   smallint not null references payload_states,
  primary key (from_state, to_state)
);

insert into payload_states values
  (1, 'NotRecorded'), (2, 'Recorded'), (3, 'Uploaded'), (4, 'Scanning'), (5, 'Processed'), (6, 'Quarantined'),
  (7, 'Failed'), (8, 'Transferred'), (9, 'Deleted'), (10, 'Destroyed');

insert into payload_types values
  (1, 'Call', 1), (2, 'AbortedCall', 1), (3, 'BlockedCall', 1), (4, 'SMS', 2), (5, 'MMS', 2), (6, 'RCS', 2),
  (7, 'Interview', 3), (8, 'Photo', 4), (9, 'Video', 5), (10, 'Diagnostics', 6);

-- The table of packages/domain/src/payloads/states.ts; a test compares both.
insert into payload_transitions values
  (1, 9), (2, 3), (2, 9), (3, 4), (4, 5), (4, 6), (4, 7), (6, 4), (6, 9), (7, 3), (7, 9), (5, 9), (8, 9),
  (9, 1), (9, 2), (9, 5), (9, 8), (9, 7), (9, 6), (9, 10);

create table payloads (
  payload_id        bigint generated always as identity primary key,
  client_id         int not null references clients,
  payload_reference text collate "C" not null,
  service           smallint not null,
  type              smallint not null references payload_types,
  state             smallint not null references payload_states,
  state_before_deletion smallint references payload_states,
  payload_time      bigint not null,
  payload_end_time  bigint,
  group_id          int not null,
  device_id         int not null,
  device_user_id    int,
  is_late           boolean not null default false,
  is_legacy         boolean not null default false,
  announced_at      bigint not null,
  uploaded_at       bigint,
  processed_at      bigint,
  restored_at       bigint,
  updated_at        bigint not null,
  updated_by        text,
  failure           text,
  -- Uploads that did not hold the announced bytes. They stay where they are; the next upload gets a key of its own.
  rejected_count    smallint not null default 0,
  unique (client_id, payload_reference),
  unique (client_id, payload_id),
  foreign key (client_id, group_id) references groups (client_id, group_id),
  foreign key (client_id, device_id) references devices (client_id, device_id),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id)
) with (fillfactor = 80, autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 5000);
create index payloads_service on payloads (client_id, service, payload_time desc, payload_id desc) include (group_id, type);
create index payloads_group on payloads (client_id, group_id, service, payload_time desc, payload_id desc) include (type);
create index payloads_user on payloads (client_id, device_user_id, service, payload_time desc, payload_id desc) include (group_id, type);
create index payloads_device on payloads (client_id, device_id, service, payload_time desc, payload_id desc) include (group_id, type);
create index payloads_processed on payloads (client_id, service, processed_at desc, payload_id desc) include (group_id, type)
  where processed_at is not null;

create function check_payload_transition() returns trigger language plpgsql as $$
begin
  if new.state is distinct from old.state and not exists (
    select from payload_transitions t where t.from_state = old.state and t.to_state = new.state
  ) then
    raise exception 'payload % may not move from state % to state %', old.payload_reference, old.state, new.state
      using errcode = 'check_violation', constraint = 'payload_transition';
  end if;
  if old.state = 9 and new.state not in (9, 10) and new.state is distinct from old.state_before_deletion then
    raise exception 'payload % may be restored only to the state it had before deletion', old.payload_reference
      using errcode = 'check_violation', constraint = 'payload_transition';
  end if;
  return new;
end $$;
create trigger payload_transition before update of state on payloads
  for each row execute function check_payload_transition();

-- Payloads that still have a way to go: what the sweeps read. Rows leave when they come to rest.
create table payload_work (
  client_id  int not null,
  payload_id bigint not null,
  since      bigint not null,
  -- When the sweep last looked for its object, and how often it asked for the job again.
  checked_at bigint not null default 0,
  nudges     smallint not null default 0,
  primary key (client_id, payload_id),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index on payload_work (client_id, checked_at);

-- What the phone announced, never changed.
create table payload_envelopes (
  payload_id    bigint primary key,
  client_id     int not null,
  key_id        text not null,
  encrypted_dek text not null,
  iv            text not null,
  sealed_meta   bytea not null,
  checksum      text,
  size          bigint,
  device_ip     inet,
  -- SHA-256 over all of the announcement: tells a repetition from other content.
  fingerprint   bytea not null,
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);

-- Written once when the sealed metadata was opened. list_doc is the immutable part of a list row as JSON text.
create table payload_documents (
  payload_id bigint primary key,
  client_id  int not null,
  list_doc   text not null,
  meta       text not null,
  thread_id  text,
  second_party_numbers text not null default '',
  all_numbers text not null default '',
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index payload_documents_thread on payload_documents (client_id, thread_id, payload_id) where thread_id is not null;

-- Stored objects: the phone's own bytes, and what was derived from them, each under a data key of its own.
create table payload_objects (
  client_id      int not null,
  payload_id     bigint not null,
  kind           text collate "C" not null,
  object_key     text not null,
  /* the data key, wrapped by the key provider; null once destroyed */
  wrapped_dek    bytea,
  sealed_size    bigint not null,
  size           bigint not null,
  content_type   text not null,
  checksum       text,
  details        jsonb not null default '{}',
  created_at     bigint not null,
  primary key (client_id, payload_id, kind),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);

-- Whose an object is: asked by the sweep for what crashed attempts left.
create index on payload_objects (client_id, object_key);

create table payload_numbers (
  client_id    int not null,
  number_hash  bigint not null,
  service      smallint not null,
  payload_time bigint not null,
  payload_id   bigint not null,
  group_id     int not null,
  type         smallint not null,
  is_second    boolean not null,
  primary key (client_id, number_hash, service, payload_time, payload_id)
);
create index payload_numbers_payload on payload_numbers (payload_id);

-- Sorted by change: kept apart so that payloads itself needs no index on a volatile column.
create table payload_changes (
  payload_id bigint primary key,
  client_id  int not null,
  service    smallint not null,
  group_id   int not null,
  type       smallint not null,
  updated_at bigint not null
) with (fillfactor = 70);
create index payload_changes_updated on payload_changes (client_id, service, updated_at desc, payload_id desc) include (group_id, type);

-- Totals: payloads per day and month of their payload_time (UTC; the first second of each).
create table payload_counts (
  client_id int not null,
  grain     "char" not null check (grain in ('d', 'm')),
  bucket    bigint not null,
  service   smallint not null,
  type      smallint not null,
  group_id  int not null,
  count     bigint not null,
  primary key (client_id, grain, service, group_id, type, bucket)
) with (fillfactor = 70);

-- The same without the group: a client may have a thousand groups. Every phone counts in one of several slots, so that phones
-- that announce at the same time rarely wait for each other.
create table payload_totals (
  client_id int not null,
  grain     "char" not null check (grain in ('d', 'm')),
  bucket    bigint not null,
  service   smallint not null,
  type      smallint not null,
  slot      smallint not null,
  count     bigint not null,
  primary key (client_id, grain, service, bucket, type, slot)
) with (fillfactor = 70);

create table payload_history (
  client_id  int not null,
  payload_id bigint not null,
  at         bigint not null,
  from_state smallint,
  to_state   smallint not null,
  reason     text,
  by         text not null
);
create index on payload_history (client_id, payload_id, at);

create table payload_receipts (
  client_id       int not null,
  payload_id      bigint not null,
  client_app_user text not null,
  confirmed_at    bigint not null,
  primary key (client_id, payload_id, client_app_user),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);

-- What people did with a payload, written in the transaction of the act.
create table payload_audit (
  client_id   int not null,
  payload_id  bigint not null,
  at          bigint not null,
  log_id      text collate "C" not null,
  portal_user text not null,
  action      text not null,
  primary key (client_id, payload_id, at, log_id, action)
);

-- Signed addresses that were given out, so that each use is known.
create table data_addresses (
  address_id    text collate "C" primary key,
  client_id     int not null,
  payload_id    bigint not null,
  kind          text not null,
  action        text not null,
  portal_user   text not null,
  session_id    text,
  expires_at    bigint not null,
  first_used_at bigint
);
create index on data_addresses (expires_at);

-- ---------------------------------------------------------------------------------------------------------------
-- Alerts: one row per scope and key.
create table alerts (
  client_id        int not null references clients,
  alert_reference  text collate "C" not null,
  alert_scope      text not null check (alert_scope in ('ops', 'sec')),
  alert_type       text not null,
  alert_subject    text not null,
  alert_key        text collate "C" not null,
  alert_message    text not null,
  alert_state      text not null default 'Triggered' check (alert_state in ('Triggered', 'Cleared')),
  alert_severity   text not null check (alert_severity in ('Low', 'Medium', 'High')),
  related_entities jsonb not null default '[]',
  occurrences      jsonb not null default '[]',
  occurrence_count bigint not null default 1,
  first_occurrence bigint not null,
  last_occurrence  bigint not null,
  primary key (client_id, alert_reference),
  unique (client_id, alert_scope, alert_key)
);

-- ---------------------------------------------------------------------------------------------------------------
-- Audit. Partitioned by month; the default partition makes sure that no entry is ever refused.
create table portal_activities (
  log_id            text collate "C" not null,
  client_id         int not null,
  user_reference    text not null,
  user_ip           text not null,
  activity_time     bigint not null,
  activity_end_time bigint,
  browser           text,
  duration          double precision,
  user_group        text,
  roles             text[] not null default '{}',
  action            text not null,
  is_allowed        boolean not null,
  is_client_app     boolean not null default false,
  denial_reason     text,
  parameters        text not null,
  status_code       int,
  support_reference text,
  request_id        text not null,
  primary key (log_id, activity_time)
) partition by range (activity_time);
create index on portal_activities (client_id, activity_time desc, log_id desc);
create table portal_activities_default partition of portal_activities default;

create table device_activities (
  log_id            text collate "C" not null,
  client_id         int not null,
  device_ip         text not null,
  device_reference  text not null,
  device_user_reference text,
  activity_time     bigint not null,
  activity_end_time bigint,
  duration          double precision,
  group_reference   text,
  action            text not null,
  is_allowed        boolean not null,
  denial_reason     text,
  parameters        text not null,
  status_code       int,
  request_id        text not null,
  primary key (log_id, activity_time)
) partition by range (activity_time);
create index on device_activities (client_id, activity_time desc, log_id desc);
create table device_activities_default partition of device_activities default;

-- ---------------------------------------------------------------------------------------------------------------
-- Sessions of portal users (infrastructure: a token names its tenant).
create table portal_sessions (
  session_id       text collate "C" primary key,
  client_id        int not null references clients,
  user_reference   text not null,
  roles            text[] not null,
  user_group       text,
  groups           text[],
  -- Of the handle that the portal keeps; worthless without the cookie half, which is derived from session_id and rotation.
  refresh_hash     bytea not null unique,
  rotation         int not null default 0,
  rotated_at       bigint not null,
  -- What the identity provider vouches with, sealed; and when it last did.
  provider_tokens  text,
  checked_at       bigint not null,
  created_at       bigint not null,
  expires_at       bigint not null,
  ended_at         bigint,
  end_reason       text
);
create index on portal_sessions (client_id, user_reference);
create index on portal_sessions (expires_at);

-- Key pairs with which the server signs tokens, wrapped by the key provider: made once, shared by all processes.
create table signing_keys (
  name        text collate "C" primary key,
  wrapped_key bytea not null,
  created_at  bigint not null
);

create table terms_acceptances (
  client_id      int not null references clients,
  user_reference text not null,
  version        text not null,
  accepted_at    bigint not null,
  primary key (client_id, user_reference, version)
);

-- The embedded identity provider: its items, and the demo people it knows.
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

create table oidc_people (
  client         text not null,
  user_reference text not null,
  password_hash  text not null,
  roles          text[] not null,
  user_group     text,
  groups         text[],
  description    text not null,
  primary key (client, user_reference)
);

-- ---------------------------------------------------------------------------------------------------------------
-- The application's role owns nothing and is subject to row-level security everywhere.
grant usage on schema public to custodia_app;
grant select on all tables in schema public to custodia_app;
-- Reached only through their parents, on which row-level security is forced.
revoke all on portal_activities_default, device_activities_default from custodia_app;
grant insert, update, delete on
  groups, group_tags, roles, account_defaults, device_users, devices, device_history, device_tokens, device_ulids,
  payload_work, payload_changes, payload_counts, payload_totals, payload_documents, payload_objects, payload_numbers, data_addresses,
  portal_sessions, oidc_items, oidc_people, alerts
  to custodia_app;
grant insert, update on clients, client_keys, payloads to custodia_app;
grant insert on signing_keys to custodia_app;
-- Evidence: written once, never changed or removed by the application.
grant insert on payload_envelopes, payload_history, payload_receipts, payload_audit, terms_acceptances to custodia_app;
grant insert on portal_activities, device_activities to custodia_app;
-- The end of an act that took time: only these columns.
grant update (activity_end_time, duration, status_code) on portal_activities, device_activities to custodia_app;
grant usage on all sequences in schema public to custodia_app;

do $$
declare
  name text;
begin
  foreach name in array array[
    'groups', 'group_tags', 'roles', 'account_defaults', 'device_users', 'devices', 'device_history', 'device_ulids',
    'payloads', 'payload_work', 'payload_envelopes', 'payload_documents', 'payload_objects', 'payload_numbers',
    'payload_changes', 'payload_counts', 'payload_totals', 'payload_history', 'payload_receipts', 'payload_audit', 'alerts',
    'terms_acceptances', 'portal_activities', 'device_activities'
  ] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;

-- Audit entries of several tenants are written together; reading them stays within the tenant.
create policy append on portal_activities for insert with check (true);
create policy append on device_activities for insert with check (true);
