-- Device users, devices, enrolments, commands and licences.

-- Sort values of lists. Their order is that of bytes, so that no index depends on a library for languages.
create function sort_text(value text) returns text immutable parallel safe
return regexp_replace(normalize(lower(coalesce(value, '')), nfd), '[\u0300-\u036f]', '', 'g');
create function sort_version(value text) returns text immutable parallel safe
return coalesce((select string_agg(lpad(m[1], 9, '0'), '.') from regexp_matches(value, '[0-9]+', 'g') m), '');
-- First name and surname, else the reference.
create function sort_name(first_name text, surname text, reference text) returns text immutable parallel safe
return sort_text(coalesce(nullif(btrim(coalesce(first_name, '') || ' ' || coalesce(surname, '')), ''), reference));

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
  -- A deleted person is hidden for good. The reference stays taken, and recordings keep the name.
  deleted_at            bigint,
  -- What the last alert about the person's devices reported. It is reported again only after another state in between.
  reported_status       text check (reported_status in ('fewer', 'more', 'recording')),
  -- Whether an alert reported that devices of an offboarded person still hold recordings.
  reported_queue        boolean not null default false,
  destroyed_at          bigint,
  -- For searches and sorting. Columns, because row-level security keeps conditions on a function's value from an index.
  name_text             text collate "C" not null generated always as (sort_name(first_name, surname, device_user_reference)) stored,
  email_text            text collate "C" not null generated always as (sort_text(email)) stored,
  onboard_text          text collate "C" not null generated always as (lpad(coalesce(onboard_date, 0)::text, 12, '0')) stored,
  unique (client_id, device_user_reference),
  unique (client_id, device_user_id),
  foreign key (client_id, group_id) references groups (client_id, group_id)
);
create index on device_users (client_id, group_id);
create index device_users_listed on device_users (client_id, device_user_reference) where deleted_at is null;
create index device_users_of_group on device_users (client_id, group_id, device_user_reference) where deleted_at is null;
create index device_users_by_name on device_users (client_id, name_text, device_user_reference);
create index device_users_by_email on device_users (client_id, email_text, device_user_reference);
create index device_users_by_onboarding on device_users (client_id, onboard_text, device_user_reference) where deleted_at is null;
create index device_users_deleted on device_users (client_id, deleted_at, device_user_id) where deleted_at is not null;
create index device_users_ended on device_users (client_id, offboard_date, device_user_id) where not is_active and deleted_at is null;
alter table device_users enable row level security;
alter table device_users force row level security;
create policy tenant on device_users using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy staff on device_users for select to custodia_staff using (true);
grant select, insert, update, delete on device_users to custodia_app;
grant select (client_id, group_id, is_active, deleted_at) on device_users to custodia_staff;

-- Words of the names of device users, for searches by name.
create table device_user_words (
  client_id      int not null,
  word           text collate "C" not null,
  device_user_id int not null,
  primary key (client_id, word, device_user_id),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id)
);
create index device_user_words_user on device_user_words (client_id, device_user_id);
alter table device_user_words enable row level security;
alter table device_user_words force row level security;
create policy tenant on device_user_words using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on device_user_words to custodia_app;

create function services_granted(holder int, own text[], unlicensed text[]) returns text[] language sql stable as $$
  select coalesce(array_agg(service order by place), '{}')
  from unnest(case when holder is null then own
    else (select case when is_active then services else '{}' end from device_users where device_user_id = holder) end)
    with ordinality s (service, place)
  where service <> all(unlicensed)
$$;

create table devices (
  device_id           int generated always as identity primary key,
  client_id           int not null references clients,
  device_reference    text collate "C" not null,
  device_user_id      int,
  group_id            int not null,
  services            text[] not null default '{}',
  imeis               text[] not null default '{}',
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
  -- A deleted device is hidden until it authenticates again. A blocked device is refused until the block is lifted.
  deleted_at          bigint,
  blocked_at          bigint,
  blocked_by          text,
  -- Services that lacked a licence when the device was activated.
  unlicensed_services text[] not null default '{}',
  -- Public key (SPKI in base64, canonical spelling).
  device_key          text collate "C",
  key_pinned_at       bigint,
  waiting_since       bigint,
  waiting_reason      text check (waiting_reason in ('unconfirmed', 'other_key', 'holder', 'beyond_expected')),
  -- The person that the device claims. Null: no known person.
  requested_user_id   int,
  -- Group and person before the device claimed another holder; a refusal restores them. Null: a new device.
  previous_group_id   int,
  previous_user_id    int,
  -- The known device that reports the same hardware, under another key or none.
  same_hardware_as    int,
  -- When a certificate chain proved that the pinned key lives in hardware.
  attested_at         bigint,
  -- Services that the device records, as far as licences allow. License use is counted from this as it changes.
  granted_services    text[] not null default '{}',
  -- The last result of the silence check, for alerts, dashboards and filters.
  silence             text check (silence in ('silent', 'long_silent', 'silent_but_alive')),
  -- Since when the device is seen without a day of absence. Only from then on can it have uploaded something.
  awake_since         bigint not null default floor(extract(epoch from now())),
  -- The policy destroyed the deleted device or person. Reference, group and history stay, so that records that name
  -- them still can. It happens only when none of their records are left.
  destroyed_at        bigint,
  -- An index may have it: an update of the last contact seldom changes the day.
  seen_day            int not null generated always as ((coalesce(last_seen, 0) / 86400)::int) stored,
  -- For searches and sorting, as in device_users.
  legacy_digits       text collate "C" generated always as (regexp_replace(legacy_phone_number, '[^0-9]', '', 'g')) stored,
  legacy_reversed     text collate "C" generated always as (reverse(regexp_replace(legacy_phone_number, '[^0-9]', '', 'g'))) stored,
  reference_text      text collate "C" not null generated always as (sort_text(device_reference)) stored,
  serial_text         text collate "C" not null generated always as (sort_text(serial_number)) stored,
  email_text          text collate "C" not null generated always as (sort_text(email)) stored,
  model_text          text collate "C" not null generated always as (sort_text(model)) stored,
  app_version_text    text collate "C" not null generated always as (sort_version(app_version)) stored,
  os_version_text     text collate "C" not null generated always as (sort_version(os_version)) stored,
  unique (client_id, device_reference),
  unique (client_id, device_id),
  foreign key (client_id, group_id) references groups (client_id, group_id),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id),
  check ((waiting_since is null) = (waiting_reason is null)),
  foreign key (client_id, requested_user_id) references device_users (client_id, device_user_id),
  foreign key (client_id, same_hardware_as) references devices (client_id, device_id)
);
create index on devices (client_id, serial_number) where serial_number is not null;
create index on devices (client_id, installation_id) where installation_id is not null;
-- A device has seldom more than two. Row-level security lets no condition on the whole array use an index.
create index devices_imei_1 on devices (client_id, (imeis[1] collate "C"));
create index devices_imei_2 on devices (client_id, (imeis[2] collate "C"));
create index devices_imei_3 on devices (client_id, (imeis[3] collate "C"));
create index on devices (client_id, group_id);
create index devices_of_user on devices (client_id, device_user_id);
create unique index devices_key on devices (client_id, device_key) where device_key is not null;
create index devices_waiting on devices (client_id, waiting_since) where waiting_since is not null;
create index devices_same_hardware on devices (client_id, same_hardware_as) where same_hardware_as is not null;
create index devices_legacy_number on devices (client_id, legacy_reversed) where legacy_reversed is not null;
create index devices_legacy_digits on devices (client_id, legacy_digits) where legacy_digits is not null;
create index devices_silence on devices (client_id, silence, device_reference) where silence is not null;
create index devices_by_seen_day on devices (client_id, seen_day) where deleted_at is null;
-- A search looks for their beginnings.
create index devices_reference_text on devices (client_id, reference_text);
create index devices_serial_text on devices (client_id, serial_text) where serial_number is not null;
create index devices_email_text on devices (client_id, email_text) where email is not null;
create index devices_by_model on devices (client_id, model_text, device_reference) where deleted_at is null;
create index devices_by_app_version on devices (client_id, app_version_text, device_reference) where deleted_at is null;
create index devices_by_os_version on devices (client_id, os_version_text, device_reference) where deleted_at is null;
create index devices_deleted on devices (client_id, deleted_at, device_id) where deleted_at is not null;
-- The policy deletes devices that are long out of use, in this order.
create index devices_ended on devices (client_id, deactivation_date, device_id) where is_deactivated and deleted_at is null;
alter table devices enable row level security;
alter table devices force row level security;
create policy tenant on devices using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy staff on devices for select to custodia_staff using (true);
grant select, insert, update, delete on devices to custodia_app;
grant select (client_id, group_id, services, is_deactivated, activated_at, deleted_at, unlicensed_services) on devices
  to custodia_staff;

-- Who held a device when: a payload keeps the holder of its recording time.
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
-- A person's devices and until when: a capture gap begins when the last device went.
create index device_history_user on device_history (client_id, device_user_id) where device_user_id is not null;
alter table device_history enable row level security;
alter table device_history force row level security;
create policy tenant on device_history using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on device_history to custodia_app;

-- A waiting device was confirmed or refused, and its recordings move to the new group and holder, batch by batch. Kept
-- as a record.
create table device_reassignments (
  reassignment_id int generated always as identity primary key,
  client_id       int not null,
  device_id       int not null,
  requested_at    bigint not null,
  requested_by    text not null,
  -- Payloads moved so far.
  moved           bigint not null default 0,
  -- When the last batch found no more payloads.
  done_at         bigint,
  foreign key (client_id, device_id) references devices (client_id, device_id)
);
create index on device_reassignments (client_id, done_at);
create index on device_reassignments (client_id, device_id);
alter table device_reassignments enable row level security;
alter table device_reassignments force row level security;
create policy tenant on device_reassignments using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on device_reassignments to custodia_app;

-- Readable before the tenant is known, because a token names its tenant.
create table device_tokens (
  token_hash bytea primary key,
  client_id  int not null references clients,
  device_id  int not null,
  expires_at bigint not null
);
create index on device_tokens (client_id, device_id);
grant select, insert, update, delete on device_tokens to custodia_app;

-- Each ULID authenticates once.
create table device_ulids (
  client_id int not null references clients,
  ulid      text collate "C" not null,
  used_at   bigint not null,
  primary key (client_id, ulid)
);
alter table device_ulids enable row level security;
alter table device_ulids force row level security;
create policy tenant on device_ulids using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on device_ulids to custodia_app;

-- Which device had which number when. Only a text message from the number proves it; a device's own statement is a
-- report.
create table device_numbers (
  claim_id       bigint generated always as identity primary key,
  client_id      int not null,
  device_id      int not null,
  phone_number   text collate "C" not null,
  -- Digits, and in reverse order, for searches by beginning and by ending.
  digits         text collate "C" not null generated always as (regexp_replace(phone_number, '[^0-9]', '', 'g')) stored,
  reversed       text collate "C" not null generated always as (reverse(regexp_replace(phone_number, '[^0-9]', '', 'g'))) stored,
  slot_index     smallint not null,
  from_at        bigint not null,
  -- Null: until now.
  to_at          bigint,
  -- When the device last reported the number. Null: never.
  last_reported  bigint,
  first_verified bigint,
  last_verified  bigint,
  -- Another device had the number meanwhile, and this one reported it or did not withdraw it.
  is_contested   boolean not null default false,
  foreign key (client_id, device_id) references devices (client_id, device_id),
  check (to_at >= from_at),
  check ((first_verified is null) = (last_verified is null))
) with (fillfactor = 80);
create index device_numbers_of_device on device_numbers (client_id, device_id, from_at);
create index device_numbers_reversed on device_numbers (client_id, reversed, device_id);
create index device_numbers_digits on device_numbers (client_id, digits, device_id);
-- A number belongs to one device at a time, and each device has it once.
create unique index device_numbers_custodian on device_numbers (client_id, phone_number) where to_at is null and not is_contested;
create unique index device_numbers_open on device_numbers (client_id, device_id, phone_number) where to_at is null;
alter table device_numbers enable row level security;
alter table device_numbers force row level security;
create policy tenant on device_numbers using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on device_numbers to custodia_app;

-- Codes that a device sends as a text message to prove its number. Readable before the tenant is known, because a code
-- names its tenant.
create table number_verifications (
  code_hash    bytea primary key,
  client_id    int not null references clients,
  device_id    int not null,
  expires_at   bigint not null,
  verified_at  bigint,
  phone_number text
);
create index on number_verifications (expires_at);
grant select, insert, update, delete on number_verifications to custodia_app;

-- Invitations to join the account: for one person, once, or for a roll-out of several devices.
create table enrolments (
  enrolment_id        int generated always as identity,
  client_id           int not null,
  enrolment_reference text not null collate "C",
  -- The holder of the device. Null: decided later.
  device_user_id      int,
  -- SHA-256 of the secret, which is not kept.
  secret_hash         bytea not null,
  description         text,
  -- The address that it was mailed to. Null: it was handed over otherwise.
  sent_to             text,
  -- When its link was first opened.
  opened_at           bigint,
  -- Most devices that may use it. Null: any number.
  max_uses            int check (max_uses > 0),
  uses                int not null default 0,
  created_at          bigint not null,
  created_by          text not null,
  expires_at          bigint not null,
  revoked_at          bigint,
  revoked_by          text,
  -- Whether the e-mail address that a device claims decides its holder. For roll-outs only.
  matches_email       boolean not null default false,
  primary key (client_id, enrolment_id),
  unique (client_id, enrolment_reference),
  check (uses >= 0 and (max_uses is null or uses <= max_uses)),
  check (device_user_id is null or max_uses = 1),
  check ((revoked_at is null) = (revoked_by is null)),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id),
  check (device_user_id is null or not matches_email)
);
create index on enrolments (client_id, device_user_id, enrolment_id);
alter table enrolments enable row level security;
alter table enrolments force row level security;
create policy tenant on enrolments using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (opened_at, uses, revoked_at, revoked_by) on enrolments to custodia_app;

-- Which device used which enrolment. Evidence: written once.
create table enrolment_uses (
  client_id    int not null,
  enrolment_id int not null,
  device_id    int not null,
  used_at      bigint not null,
  primary key (client_id, enrolment_id, device_id),
  foreign key (client_id, enrolment_id) references enrolments (client_id, enrolment_id),
  foreign key (client_id, device_id) references devices (client_id, device_id)
);
create index on enrolment_uses (client_id, device_id);
alter table enrolment_uses enable row level security;
alter table enrolment_uses force row level security;
create policy tenant on enrolment_uses using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on enrolment_uses to custodia_app;

-- Commands to devices and their results. The state follows reports of the device, or ends without an answer.
create table device_commands (
  client_id         int not null references clients,
  -- A ULID of the time of sending: lists are in its order.
  command_reference text collate "C" not null,
  device_id         int not null,
  -- Group of the device when the command was sent.
  group_id          int not null,
  command           text not null,
  -- As sent, without the code of a verification: that is made when the device asks, and only its hash is kept.
  params            jsonb not null,
  state             text not null default 'Sent' check (state in ('Sent', 'Acknowledged', 'Completed', 'Failed')),
  raised_by         text not null,
  sent_at           bigint not null,
  acknowledged_at   bigint,
  completed_at      bigint,
  failure           text check (failure in ('reported', 'no_answer')),
  message           text,
  primary key (client_id, command_reference),
  foreign key (client_id, device_id) references devices (client_id, device_id),
  foreign key (client_id, group_id) references groups (client_id, group_id),
  check ((state in ('Completed', 'Failed')) = (completed_at is not null)),
  check ((state = 'Failed') = (failure is not null)),
  check (state <> 'Acknowledged' or acknowledged_at is not null)
);
create index device_commands_sent on device_commands (client_id, sent_at, command_reference);
create index device_commands_group on device_commands (client_id, group_id, sent_at, command_reference);
create index device_commands_device on device_commands (client_id, device_id, sent_at, command_reference);
-- Open commands, and commands that wait too long.
create index device_commands_open on device_commands (client_id, device_id, command_reference)
  where state in ('Sent', 'Acknowledged');
alter table device_commands enable row level security;
alter table device_commands force row level security;
create policy tenant on device_commands using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (group_id, state, acknowledged_at, completed_at, failure, message) on device_commands to
  custodia_app;

-- The same table as packages/domain/src/commands/states.ts; a test compares both.
create function check_command_transition() returns trigger language plpgsql as $$
begin
  if old.state <> new.state and (old.state, new.state) not in (
    ('Sent', 'Acknowledged'), ('Sent', 'Completed'), ('Sent', 'Failed'), ('Acknowledged', 'Completed'), ('Acknowledged', 'Failed')) then
    raise exception 'a command cannot go from % to %', old.state, new.state using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger device_commands_transition before update of state on device_commands
  for each row execute function check_command_transition();

-- Carriers through which devices of a client recorded.
create table carrier_sightings (
  client_id    int not null references clients,
  carrier_name text not null,
  first_seen   bigint not null,
  last_seen    bigint not null,
  -- ISO 3166-1 alpha-2, whatever the calling code. 003 (UN M.49) is North America.
  country      text collate "C" not null,
  check (country ~ '^([A-Z]{2}|003)$'),
  primary key (client_id, country, carrier_name)
);
alter table carrier_sightings enable row level security;
alter table carrier_sightings force row level security;
create policy staff on carrier_sightings for select to custodia_staff using (true);
create policy tenant on carrier_sightings using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on carrier_sightings to custodia_app;
grant select on carrier_sightings to custodia_staff;

create table client_licenses (
  client_id  int primary key references clients,
  -- Limit per service. A service without an entry has none.
  limits     jsonb not null,
  updated_at bigint not null,
  updated_by text not null
);
alter table client_licenses enable row level security;
alter table client_licenses force row level security;
create policy staff on client_licenses for select to custodia_staff using (true);
create policy tenant on client_licenses using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on client_licenses to custodia_app;
grant select on client_licenses to custodia_staff;

-- The last warning about the use of licences. It is repeated only after the use was lower in between.
create table license_warnings (
  client_id int not null references clients,
  service   text collate "C" not null,
  level     smallint not null check (level in (90, 100)),
  primary key (client_id, service)
);
alter table license_warnings enable row level security;
alter table license_warnings force row level security;
create policy tenant on license_warnings using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on license_warnings to custodia_app;

create function grant_services() returns trigger language plpgsql as $$
begin
  -- A concurrent change of the person does not see this device yet: one of the two waits.
  if new.device_user_id is not null and (tg_op = 'INSERT' or old.device_user_id is distinct from new.device_user_id) then
    perform from device_users where device_user_id = new.device_user_id for share;
  end if;
  new.granted_services := services_granted(new.device_user_id, new.services, new.unlicensed_services);
  return new;
end $$;
create trigger devices_grant before insert or update of device_user_id, services, unlicensed_services on devices
  for each row execute function grant_services();

-- Once for each statement: a set of thousands of people is changed in one.
create function grant_services_of_users() returns trigger language plpgsql as $$
begin
  update devices d set granted_services = services_granted(d.device_user_id, d.services, d.unlicensed_services)
  from added n join removed o using (client_id, device_user_id)
  where (o.services, o.is_active) is distinct from (n.services, n.is_active)
    and d.client_id = n.client_id and d.device_user_id = n.device_user_id;
  return null;
end $$;
create trigger device_users_grant after update on device_users referencing old table as removed new table as added
  for each statement execute function grant_services_of_users();

-- Counts for dashboards, per group: devices by state and version, people by state. Counting a million devices takes a
-- second; triggers keep these current. Kinds: d device states, u device user states, a app versions, o system versions,
-- s silence, n active devices, l services that they were granted; of onboarded people in all (key '') and by each of their
-- services: v people, e expected devices.
create table fleet_counts (
  client_id int not null,
  kind      "char" not null check (kind in ('d', 'u', 'a', 'o', 's', 'n', 'l', 'v', 'e')),
  group_id  int not null,
  key       text collate "C" not null,
  count     bigint not null,
  primary key (client_id, kind, group_id, key)
) with (fillfactor = 70);
alter table fleet_counts enable row level security;
alter table fleet_counts force row level security;
create policy tenant on fleet_counts using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on fleet_counts to custodia_app;

create function fleet_keys_of_device(
  is_legacy boolean, is_deactivated boolean, activated_at bigint, deleted_at bigint, app_version text, os_version text, silence text,
  granted_services text[]
) returns table (kind "char", key text) language sql immutable as $$
  select k.kind::"char", k.key from (values
    ('d', case when is_legacy and is_deactivated then 'legacyDeactivated' when is_legacy then 'legacyActivated'
      when is_deactivated then 'deactivated' when activated_at is null then 'pending' else 'activated' end),
    ('a', case when not is_deactivated then app_version end),
    ('o', case when not is_deactivated then os_version end),
    ('s', silence)) k (kind, key)
  where deleted_at is null and k.key is not null
  union all
  select k.kind::"char", k.key from (
    select 'n', 'active' union all select 'l', service from unnest(granted_services) service) k (kind, key)
  where activated_at is not null and not is_deactivated
$$;

create function fleet_keys_of_user(is_legacy boolean, is_active boolean, deleted_at bigint, services text[], expected int)
returns table (kind "char", key text, n bigint) language sql immutable as $$
  select k.kind::"char", k.key, k.n::bigint from (
    select 'u', case when is_legacy and is_active then 'legacyOnboarded' when is_legacy then 'legacyOffboarded'
      when is_active then 'onboarded' else 'offboarded' end, 1
    union all
    select m.kind, service, m.n from (values ('v', 1), ('e', expected)) m (kind, n), unnest(array_prepend('', services)) service
    where is_active) k (kind, key, n)
  where deleted_at is null and k.n <> 0
$$;

-- Once for each statement, because a set of thousands of devices changes in one. In the order of the key, so that no two
-- transactions wait for each other.
create function follow_devices() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into fleet_counts as c
    select client_id, kind, group_id, key, sum(n) from (
      select d.client_id, k.kind, d.group_id, k.key, 1 from added d, fleet_keys_of_device(
        d.is_legacy, d.is_deactivated, d.activated_at, d.deleted_at, d.app_version, d.os_version, d.silence, d.granted_services) k) x (client_id, kind, group_id, key, n)
    group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
    on conflict (client_id, kind, group_id, key) do update set count = c.count + excluded.count;
  elsif tg_op = 'DELETE' then
    insert into fleet_counts as c
    select client_id, kind, group_id, key, sum(n) from (
      select d.client_id, k.kind, d.group_id, k.key, -1 from removed d, fleet_keys_of_device(
        d.is_legacy, d.is_deactivated, d.activated_at, d.deleted_at, d.app_version, d.os_version, d.silence, d.granted_services) k) x (client_id, kind, group_id, key, n)
    group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
    on conflict (client_id, kind, group_id, key) do update set count = c.count + excluded.count;
  else
    perform set_config('custodia.devices_changed', 'off', true);
    insert into fleet_counts as c
    select client_id, kind, group_id, key, sum(n) from (
      select d.client_id, k.kind, d.group_id, k.key, -1 from removed d, fleet_keys_of_device(
        d.is_legacy, d.is_deactivated, d.activated_at, d.deleted_at, d.app_version, d.os_version, d.silence, d.granted_services) k
      union all
      select d.client_id, k.kind, d.group_id, k.key, 1 from added d, fleet_keys_of_device(
        d.is_legacy, d.is_deactivated, d.activated_at, d.deleted_at, d.app_version, d.os_version, d.silence, d.granted_services) k) x (client_id, kind, group_id, key, n)
    group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
    on conflict (client_id, kind, group_id, key) do update set count = c.count + excluded.count;
  end if;
  return null;
end $$;
create trigger devices_inserted after insert on devices referencing new table as added
  for each statement execute function follow_devices();
create trigger devices_removed after delete on devices referencing old table as removed
  for each statement execute function follow_devices();

-- Most updates only note the last contact: they leave the counts alone.
create function note_devices_changed() returns trigger language plpgsql as $$
begin
  perform set_config('custodia.devices_changed', 'on', true);
  return new;
end $$;
create trigger devices_noted before update on devices for each row
  when ((old.group_id, old.is_legacy, old.is_deactivated, old.activated_at is null, old.deleted_at is null, old.app_version, old.os_version, old.silence,
      old.granted_services)
    is distinct from (new.group_id, new.is_legacy, new.is_deactivated, new.activated_at is null, new.deleted_at is null, new.app_version, new.os_version, new.silence,
      new.granted_services))
  execute function note_devices_changed();
create trigger devices_changed after update on devices referencing old table as removed new table as added
  for each statement when (current_setting('custodia.devices_changed', true) = 'on') execute function follow_devices();

-- Once for each statement, because an import adds thousands of people in one. In the order of the key, so that no two
-- transactions wait for each other.
create function follow_users() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into fleet_counts as c
    select client_id, kind, group_id, key, sum(n) from (
      select u.client_id, k.kind, u.group_id, k.key, k.n from added u,
        fleet_keys_of_user(u.is_legacy, u.is_active, u.deleted_at, u.services, u.expected_device_count) k) x (client_id, kind, group_id, key, n)
    group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
    on conflict (client_id, kind, group_id, key) do update set count = c.count + excluded.count;
  elsif tg_op = 'DELETE' then
    insert into fleet_counts as c
    select client_id, kind, group_id, key, sum(n) from (
      select u.client_id, k.kind, u.group_id, k.key, -k.n from removed u,
        fleet_keys_of_user(u.is_legacy, u.is_active, u.deleted_at, u.services, u.expected_device_count) k) x (client_id, kind, group_id, key, n)
    group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
    on conflict (client_id, kind, group_id, key) do update set count = c.count + excluded.count;
  else
    insert into fleet_counts as c
    select client_id, kind, group_id, key, sum(n) from (
      select u.client_id, k.kind, u.group_id, k.key, -k.n from removed u,
        fleet_keys_of_user(u.is_legacy, u.is_active, u.deleted_at, u.services, u.expected_device_count) k
      union all
      select u.client_id, k.kind, u.group_id, k.key, k.n from added u,
        fleet_keys_of_user(u.is_legacy, u.is_active, u.deleted_at, u.services, u.expected_device_count) k) x (client_id, kind, group_id, key, n)
    group by 1, 2, 3, 4 having sum(n) <> 0 order by 1, 2, 3, 4
    on conflict (client_id, kind, group_id, key) do update set count = c.count + excluded.count;
  end if;
  return null;
end $$;
create trigger device_users_inserted after insert on device_users referencing new table as added
  for each statement execute function follow_users();
create trigger device_users_removed after delete on device_users referencing old table as removed
  for each statement execute function follow_users();
create trigger device_users_changed after update on device_users referencing old table as removed new table as added
  for each statement execute function follow_users();

-- For programs that fill tables without triggers. The tenant must be set, because row-level security is forced.
create function recount_fleet(client int) returns void language sql as $$
  update devices set granted_services = services_granted(device_user_id, services, unlicensed_services) where client_id = client;
  delete from fleet_counts where client_id = client;
  insert into fleet_counts
    select client, kind, group_id, key, count(*) from devices d, fleet_keys_of_device(
      d.is_legacy, d.is_deactivated, d.activated_at, d.deleted_at, d.app_version, d.os_version, d.silence, d.granted_services)
    where client_id = client group by 2, 3, 4
    union all
    select client, kind, group_id, key, sum(n) from device_users u, fleet_keys_of_user(
      u.is_legacy, u.is_active, u.deleted_at, u.services, u.expected_device_count)
    where client_id = client group by 2, 3, 4;
$$;

create function destroy_devices(ids int[]) returns int language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  clock bigint := floor(extract(epoch from clock_timestamp()))::bigint;
  -- Null: no policy ever allowed it, and every comparison is unknown.
  latest bigint := clock - 86400 * (
    select min((e ->> 'destroy_after_days')::bigint) from retention_policies v cross join lateral jsonb_array_elements(v.entries) e
    where v.client_id = client and v.at <= clock and e ->> 'entity_type' = 'Device');
  gone int[];
begin
  with done as (
    update devices d set services = '{}', imeis = '{}', email = null, last_seen = null, legacy_phone_number = null,
      model = null, os_version = null, app_version = null, serial_number = null, fcm_token = null, installation_id = null, device_key = null,
      key_pinned_at = null, attested_at = null, waiting_since = null, waiting_reason = null, requested_user_id = null, same_hardware_as = null,
      unlicensed_services = '{}', silence = null, destroyed_at = clock, updated_at = clock, updated_by = 'retention (system)'
    where d.client_id = client and d.device_id = any(ids) and d.deleted_at <= latest and d.destroyed_at is null and d.blocked_at is null
      -- 10 Destroyed
      and not exists (select from payloads p where p.client_id = client and p.device_id = d.device_id and p.state <> 10)
    returning d.device_id)
  select coalesce(array_agg(device_id), '{}') into gone from done;
  delete from device_numbers where client_id = client and device_id = any(gone);
  delete from device_tokens where client_id = client and device_id = any(gone);
  delete from number_verifications where client_id = client and device_id = any(gone);
  return cardinality(gone);
end $$;
revoke all on function destroy_devices from public;
grant execute on function destroy_devices to custodia_app;

create function destroy_device_users(ids int[]) returns int language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  clock bigint := floor(extract(epoch from clock_timestamp()))::bigint;
  latest bigint := clock - 86400 * (
    select min((e ->> 'destroy_after_days')::bigint) from retention_policies v cross join lateral jsonb_array_elements(v.entries) e
    where v.client_id = client and v.at <= clock and e ->> 'entity_type' = 'DeviceUser');
  gone int[];
begin
  with done as (
    update device_users u set services = '{}', expected_device_count = 0, email = null, first_name = null, surname = null, onboard_date = null,
      offboard_date = null, reported_status = null, destroyed_at = clock, updated_at = clock, updated_by = 'retention (system)'
    where u.client_id = client and u.device_user_id = any(ids) and u.deleted_at <= latest and u.destroyed_at is null
      and not exists (select from payloads p where p.client_id = client and p.device_user_id = u.device_user_id and p.state <> 10)
    returning u.device_user_id)
  select coalesce(array_agg(device_user_id), '{}') into gone from done;
  delete from device_user_words where client_id = client and device_user_id = any(gone);
  update enrolments set description = null where client_id = client and device_user_id = any(gone);
  return cardinality(gone);
end $$;
revoke all on function destroy_device_users from public;
grant execute on function destroy_device_users to custodia_app;
