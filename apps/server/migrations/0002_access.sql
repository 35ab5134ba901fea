-- Who may see what: tag definitions, client apps, support access, alerts of groups, licences, and what the provider's staff read.

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

create index on group_tags (client_id, tag_key, tag_value);
create index on device_users (client_id, group_id);
create index on devices (client_id, group_id);

alter table account_defaults add column updated_at bigint, add column updated_by text;

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

-- An address given to an app is used with the app's own token, one given in support mode while the approval holds.
alter table data_addresses add column app_reference text, add column support_reference text,
  -- Network addresses of which a use stands in the audit log.
  add column used_from text[] not null default '{}';

-- What the provider asks of a client, and what the client decided. Never removed.
create table support_access (
  client_id           int not null references clients,
  request_reference   text collate "C" not null,
  role                text not null,
  request_description text not null,
  requested_expiry    bigint not null,
  requested_by        text not null,
  requested_at        bigint not null,
  -- As decided; a time that has passed makes it expired without being written.
  approval_state      text not null default 'pending'
    check (approval_state in ('pending', 'canceled', 'approved', 'rejected', 'revoked', 'expired')),
  approval_expiry     bigint,
  approved_by         text,
  rejection_reason    text,
  updated_at          bigint not null,
  updated_by          text not null,
  primary key (client_id, request_reference),
  check (approval_state <> 'approved' or (approval_expiry is not null and approved_by is not null)),
  check (approval_expiry <= requested_expiry)
);
create index on support_access (approval_state, requested_at desc, request_reference desc);

alter table alerts
  -- Which text of the catalogue subject and message are, and what it is filled with; null: of the former version.
  add column alert_text jsonb,
  -- Action of the call in which it arose; null: by itself.
  add column api_action text,
  -- Whose group it concerns; null: the account's.
  add column group_id int,
  add column expires_after bigint,
  add column cleared_reason text,
  add column cleared_at bigint,
  add column cleared_by text;
create index on alerts (client_id, last_occurrence desc, alert_reference desc);
create index on alerts (client_id, first_occurrence desc, alert_reference desc);
-- What still waits: the counts beside the bell, and the list as it opens.
create index on alerts (client_id, last_occurrence desc, alert_reference desc) where alert_state = 'Triggered';

create table alert_dismissals (
  client_id       int not null,
  alert_reference text collate "C" not null,
  portal_user     text not null,
  dismissed_at    bigint not null,
  primary key (client_id, alert_reference, portal_user),
  foreign key (client_id, alert_reference) references alerts (client_id, alert_reference) on delete cascade
);

create table client_licenses (
  client_id  int primary key references clients,
  -- Limit per service; a service without entry has none.
  limits     jsonb not null,
  updated_at bigint not null,
  updated_by text not null
);

-- Carriers through which phones of a client recorded.
create table carrier_sightings (
  client_id    int not null references clients,
  country_code smallint not null check (country_code between 1 and 99),
  carrier_name text not null,
  first_seen   bigint not null,
  last_seen    bigint not null,
  primary key (client_id, country_code, carrier_name)
);

-- The newest figures of the installation, replaced as a whole.
create table statistics (
  is_newest  boolean primary key default true check (is_newest),
  document   jsonb not null,
  updated_at bigint not null
);

-- Codes that a phone sends as a text message to prove its number. Infrastructure: a code names its tenant.
create table phone_verifications (
  code_hash   bytea primary key,
  client_id   int not null references clients,
  device_id   int not null,
  expires_at  bigint not null,
  verified_at bigint,
  phone_number text
);
create index on phone_verifications (expires_at);

-- Which group an entry belongs to, beside what it was called then: names are given out again, ids are not. Entries outlive their groups, so
-- nothing refers to them. Null: to none, also where the caller's group is none of the client's.
alter table portal_activities add column group_id int;
alter table device_activities add column group_id int;
do $$
declare
  tenant int;
begin
  -- Row-level security is forced on the owner as well.
  for tenant in select client_id from clients loop
    perform set_config('custodia.client_id', tenant::text, true);
    update portal_activities a set group_id = g.group_id from groups g
      where a.client_id = tenant and g.client_id = tenant and g.group_reference = a.user_group;
    update device_activities a set group_id = g.group_id from groups g
      where a.client_id = tenant and g.client_id = tenant and g.group_reference = a.group_reference;
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;

create index on portal_activities (client_id, user_reference, activity_time desc, log_id desc);
create index on portal_activities (client_id, support_reference, activity_time desc) where support_reference is not null;
create index on device_activities (client_id, device_reference, activity_time desc, log_id desc);

-- Makes the partitions of both activity logs for the month of `at` and the `months` after it, as far as they are missing. A month whose
-- entries already stand in the default partition stays there.
create function make_activity_partitions(at timestamptz, months int) returns int language plpgsql as $$
declare
  log text;
  first_day date;
  low bigint;
  high bigint;
  made int := 0;
  name text;
  is_taken boolean;
begin
  -- One at a time: of two workers that start together, the second finds what the first has made.
  perform pg_advisory_xact_lock(hashtext('make_activity_partitions'));
  foreach log in array array['portal_activities', 'device_activities'] loop
    for i in 0..months loop
      first_day := (date_trunc('month', at at time zone 'UTC') + make_interval(months => i))::date;
      low := extract(epoch from first_day::timestamp at time zone 'UTC')::bigint;
      high := extract(epoch from (first_day + interval '1 month') at time zone 'UTC')::bigint;
      name := log || to_char(first_day, '_YYYY_MM');
      continue when to_regclass(name) is not null;
      execute format('select exists (select from only %I where activity_time >= $1 and activity_time < $2)', log || '_default')
        into is_taken using low, high;
      continue when is_taken;
      execute format('create table %I partition of %I for values from (%s) to (%s)', name, log, low, high);
      made := made + 1;
    end loop;
  end loop;
  return made;
end $$;
revoke all on function make_activity_partitions from public;

grant select on tag_definitions, client_apps, support_access, alert_dismissals, client_licenses, carrier_sightings, statistics,
  phone_verifications to custodia_app;
grant insert, update, delete on tag_definitions, client_apps, alert_dismissals, client_licenses, carrier_sightings, statistics,
  phone_verifications to custodia_app;
-- Requests are evidence: decided, never removed.
grant insert, update on support_access to custodia_app;

do $$
declare
  name text;
begin
  foreach name in array array[
    'tag_definitions', 'client_apps', 'support_access', 'alert_dismissals', 'client_licenses', 'carrier_sightings'
  ] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;

-- The provider's own staff read across clients what concerns running the service, and nothing else: no payload, no activity, no person.
grant usage on schema public to custodia_staff;
grant select (client_id, client, client_name, is_provider, created_at, oidc_issuer, oidc_client_id) on clients to custodia_staff;
grant select on alerts, alert_dismissals, support_access, client_licenses, carrier_sightings, statistics to custodia_staff;
grant select (client_id, group_id, services, is_deactivated, activated_at) on devices to custodia_staff;
grant select (client_id, group_id, is_active) on device_users to custodia_staff;
do $$
declare
  name text;
begin
  foreach name in array array[
    'alerts', 'alert_dismissals', 'support_access', 'client_licenses', 'carrier_sightings', 'devices', 'device_users'
  ] loop
    execute format('create policy staff on %I for select to custodia_staff using (true)', name);
  end loop;
end $$;
