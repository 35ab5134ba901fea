-- Reports of devices: logs, alerts, silence, capture gaps, telemetry and positions.

create sequence report_key_rows;
grant usage on sequence report_key_rows to custodia_app;

create table report_keys (
  client_id     int not null,
  report_key_id bigint not null default nextval('report_key_rows'),
  device_id     int not null,
  -- SHA-256 of the key as the device wrapped it, to recognise it.
  digest        bytea not null,
  wrapped_key   bytea not null,
  made_at       bigint not null,
  primary key (client_id, report_key_id),
  unique (client_id, device_id, digest),
  foreign key (client_id, device_id) references devices (client_id, device_id)
);
alter table report_keys enable row level security;
alter table report_keys force row level security;
create policy tenant on report_keys using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (wrapped_key, made_at) on report_keys to custodia_app;

create sequence device_log_rows;
grant usage on sequence device_log_rows to custodia_app;

create table device_logs (
  client_id         int not null,
  -- Distinguishes logs of the same second.
  row_id            bigint not null default nextval('device_log_rows'),
  device_id         int not null,
  log_id            text collate "C" not null,
  log_datetime      bigint not null,
  -- Holder and group of the device at that time.
  group_id          int not null,
  device_user_id    int,
  log_class         text not null,
  log_level         text not null check (log_level in ('DEBUG', 'INFO', 'WARN', 'ERROR')),
  local_timezone    text not null,
  payload_reference text collate "C",
  log_message       text not null,
  received_at       bigint not null,
  -- Also the list of a device.
  primary key (client_id, device_id, log_datetime, row_id)
) partition by range (log_datetime);
create table device_logs_default partition of device_logs default;
create unique index device_logs_reference on device_logs (client_id, device_id, hashtextextended(log_id, 0), log_datetime);
create index device_logs_time on device_logs (client_id, log_datetime, row_id);
create index device_logs_group on device_logs (client_id, group_id, log_datetime, row_id);
create index device_logs_user on device_logs (client_id, device_user_id, log_datetime, row_id) where device_user_id is not null;
create index device_logs_payload on device_logs (client_id, payload_reference, log_datetime, row_id) where payload_reference is not null;
create index device_logs_class on device_logs (client_id, log_class, log_datetime, row_id);
-- Warnings and errors are few among many logs, so they have an index of their own.
create index device_logs_problems on device_logs (client_id, log_level, log_datetime, row_id) where log_level in ('WARN', 'ERROR');
alter table device_logs enable row level security;
alter table device_logs force row level security;
create policy tenant on device_logs using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (group_id, device_user_id), delete on device_logs to custodia_app;

-- Alerts that devices raised, so that a repetition raises none.
create table device_alerts (
  client_id int not null,
  device_id int not null,
  alert_id  text collate "C" not null,
  at        bigint not null,
  primary key (client_id, device_id, alert_id),
  foreign key (client_id, device_id) references devices (client_id, device_id)
);
create index device_alerts_at on device_alerts (client_id, at);
alter table device_alerts enable row level security;
alter table device_alerts force row level security;
create policy tenant on device_alerts using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, delete on device_alerts to custodia_app;

-- How often a device uploads: the time between two recordings and its square, summed with weights that fade over a
-- month. Their quotient is the gap at a random moment; nights and weekends count by their length.
create table device_baselines (
  client_id       int not null,
  device_id       int not null,
  -- The newest recording, as listed. After a change of holder: from when recordings count.
  last_payload_at bigint not null,
  gaps            double precision not null check (gaps > 0),
  squares         double precision not null check (squares > 0),
  primary key (client_id, device_id),
  foreign key (client_id, device_id) references devices (client_id, device_id)
) with (fillfactor = 70);
alter table device_baselines enable row level security;
alter table device_baselines force row level security;
create policy tenant on device_baselines using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on device_baselines to custodia_app;

-- Times in which an ordered service was not recorded on a person's device, with the reason. Kept for good. Per person
-- and service one gap is open at a time.
create table capture_gaps (
  gap_id         bigint generated always as identity,
  client_id      int not null,
  device_user_id int not null,
  -- Group of the person.
  group_id       int not null,
  service        text not null,
  reason         text not null check (reason in ('no_device', 'unlicensed', 'silent', 'service_off', 'not_allowed', 'no_device_admin', 'no_sim', 'no_uploads')),
  -- The device that does not record. Null: the person has none.
  device_id      int,
  from_at        bigint not null,
  to_at          bigint check (to_at >= from_at),
  primary key (client_id, gap_id),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id),
  foreign key (client_id, group_id) references groups (client_id, group_id),
  foreign key (client_id, device_id) references devices (client_id, device_id),
  check ((reason = 'no_device') = (device_id is null))
);
create unique index capture_gaps_open on capture_gaps (client_id, device_user_id, service) where to_at is null;
create index capture_gaps_of_service on capture_gaps (client_id, device_user_id, service, to_at);
create index capture_gaps_time on capture_gaps (client_id, from_at, gap_id);
create index capture_gaps_group on capture_gaps (client_id, group_id, from_at, gap_id);
create index capture_gaps_user on capture_gaps (client_id, device_user_id, from_at, gap_id);
alter table capture_gaps enable row level security;
alter table capture_gaps force row level security;
create policy tenant on capture_gaps using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (to_at) on capture_gaps to custodia_app;

-- Facts that change seldom, as many reports of a month share them. The id is a digest of month and facts.
create table telemetry_facts (
  client_id int not null,
  facts_id  bigint not null,
  -- Months since 1970, UTC: facts are deleted when no report of their month is left.
  month     int not null,
  facts     jsonb not null,
  primary key (client_id, facts_id)
);
create index telemetry_facts_month on telemetry_facts (client_id, month);
alter table telemetry_facts enable row level security;
alter table telemetry_facts force row level security;
create policy tenant on telemetry_facts using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, delete on telemetry_facts to custodia_app;

create sequence telemetry_rows;
grant usage on sequence telemetry_rows to custodia_app;

create table telemetry (
  -- Distinguishes reports of the same second.
  row_id              bigint not null default nextval('telemetry_rows'),
  telemetry_time      bigint not null,
  received_at         bigint not null,
  facts_id            bigint not null,
  report_key_id       bigint not null,
  -- Facts that change with each report. Null: not reported.
  memory_available    bigint,
  storage_available   bigint,
  mobile_received     bigint,
  mobile_sent         bigint,
  wifi_received       bigint,
  wifi_sent           bigint,
  queue_payloads      bigint,
  queue_size          bigint,
  queue_oldest_at     bigint,
  gps_signal_strength double precision,
  client_id           int not null,
  device_id           int not null,
  -- Holder and group of the device at that time.
  group_id            int not null,
  device_user_id      int,
  battery_percentage  smallint,
  gps_satellites      smallint,
  wifi_signal_strength smallint,
  is_charging         boolean,
  is_wifi_connected   boolean,
  has_applications    boolean not null,
  -- In the order of the SIMs in the shared facts.
  sim_signals         smallint[],
  telemetry_id        text collate "C" not null,
  -- What is no fact of the device, sealed by the server under the key of the report.
  iv                  bytea not null,
  sealed_meta         bytea not null,
  -- Digest of the whole report: distinguishes a repetition from another report.
  checksum            bytea not null,
  -- Also the list of a device.
  primary key (client_id, device_id, telemetry_time, row_id)
) partition by range (telemetry_time);
create table telemetry_default partition of telemetry default;
create unique index telemetry_reference on telemetry (client_id, device_id, hashtextextended(telemetry_id, 0), telemetry_time);
create index telemetry_time on telemetry (client_id, telemetry_time, row_id);
create index telemetry_group on telemetry (client_id, group_id, telemetry_time, row_id);
create index telemetry_user on telemetry (client_id, device_user_id, telemetry_time, row_id) where device_user_id is not null;
create index telemetry_applications on telemetry (client_id, device_id, telemetry_time, row_id) where has_applications;
alter table telemetry enable row level security;
alter table telemetry force row level security;
create policy tenant on telemetry using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (group_id, device_user_id), delete on telemetry to custodia_app;

-- The newest report of each device.
create table telemetry_latest (
  client_id      int not null,
  device_id      int not null,
  -- The time by the device, never later than the arrival, so that a clock that runs ahead does not stay the newest.
  at             bigint not null,
  row_id         bigint not null,
  telemetry_id   text collate "C" not null,
  telemetry_time bigint not null,
  group_id       int not null,
  device_user_id int,
  facts          jsonb not null,
  received_at    bigint not null,
  -- The reference of the device if the server made it. A reference that a client chose may be a name or number.
  made_reference text collate "C",
  primary key (client_id, device_id),
  foreign key (client_id, device_id) references devices (client_id, device_id)
) with (fillfactor = 70);
create index telemetry_latest_time on telemetry_latest (client_id, at, row_id);
create index telemetry_latest_group on telemetry_latest (client_id, group_id, at, row_id);
-- For the provider's staff, over all clients.
create index telemetry_latest_all on telemetry_latest (at, row_id);
alter table telemetry_latest enable row level security;
alter table telemetry_latest force row level security;
create policy tenant on telemetry_latest using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy staff on telemetry_latest for select to custodia_staff using (true);
grant select, insert, update, delete on telemetry_latest to custodia_app;
grant select (client_id, at, row_id, telemetry_time, facts, received_at, made_reference) on telemetry_latest to
  custodia_staff;

create sequence gps_key_ids;
grant usage on sequence gps_key_ids to custodia_app;

create table gps_keys (
  client_id   int not null,
  key_id      bigint not null default nextval('gps_key_ids'),
  device_id   int not null,
  -- Days since 1970-01-01, UTC.
  day         int not null,
  -- Wrapped by the key provider. Null once it is destroyed, and with it what it sealed.
  wrapped_key bytea,
  created_at  bigint not null,
  primary key (client_id, key_id),
  foreign key (client_id, device_id) references devices (client_id, device_id)
);
-- One key at a time. A report for a day whose key was destroyed gets a new one.
create unique index gps_keys_day on gps_keys (client_id, device_id, day) where wrapped_key is not null;
alter table gps_keys enable row level security;
alter table gps_keys force row level security;
create policy tenant on gps_keys using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (wrapped_key) on gps_keys to custodia_app;

create sequence gps_rows;
grant usage on sequence gps_rows to custodia_app;

create table gps_points (
  client_id      int not null,
  -- Distinguishes positions of the same second.
  row_id         bigint not null default nextval('gps_rows'),
  device_id      int not null,
  gps_reference  text collate "C" not null,
  timestamp      bigint not null,
  -- Holder and group of the device at that time.
  group_id       int not null,
  device_user_id int,
  key_id         bigint not null,
  sealed         bytea not null,
  received_at    bigint not null,
  -- Also the list of a device.
  primary key (client_id, device_id, timestamp, row_id)
) partition by range (timestamp);
create table gps_points_default partition of gps_points default;
create unique index gps_points_reference on gps_points (client_id, device_id, hashtextextended(gps_reference, 0), timestamp);
create index gps_points_time on gps_points (client_id, timestamp, row_id);
create index gps_points_group on gps_points (client_id, group_id, timestamp, row_id);
create index gps_points_user on gps_points (client_id, device_user_id, timestamp, row_id) where device_user_id is not null;
alter table gps_points enable row level security;
alter table gps_points force row level security;
create policy tenant on gps_points using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (group_id, device_user_id), delete on gps_points to custodia_app;

-- The last position of each device in each of its groups. Points at a position, and holds no coordinates.
create table gps_latest (
  client_id      int not null,
  device_id      int not null,
  group_id       int not null,
  device_user_id int,
  timestamp      bigint not null,
  row_id         bigint not null,
  primary key (client_id, device_id, group_id)
);
create index gps_latest_time on gps_latest (client_id, timestamp, row_id);
create index gps_latest_group on gps_latest (client_id, group_id, timestamp, row_id);
create index gps_latest_user on gps_latest (client_id, device_user_id, timestamp, row_id) where device_user_id is not null;
alter table gps_latest enable row level security;
alter table gps_latest force row level security;
create policy tenant on gps_latest using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on gps_latest to custodia_app;
