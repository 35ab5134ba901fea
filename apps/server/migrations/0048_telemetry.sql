-- Keys under which phones seal what they report, wrapped for storage; what was sealed stays in the very bytes that came. A phone makes one for a
-- call, or for a day: whoever destroys a key destroys all that was sealed under it, and a new storage key seals these rows anew, not the reports.
create sequence report_key_rows;
create table report_keys (
  client_id     int not null,
  report_key_id bigint not null default nextval('report_key_rows'),
  device_id     int not null,
  -- SHA-256 of the key as the phone wrapped it, by which it is known again.
  digest        bytea not null,
  wrapped_key   bytea not null,
  made_at       bigint not null,
  primary key (client_id, report_key_id),
  unique (client_id, device_id, digest),
  foreign key (client_id, device_id) references devices (client_id, device_id)
);

-- What phones report of themselves. Facts of the device stand clear, for lists and distributions; all that its phone said stays sealed. The same
-- report comes again after a lost answer: its phone, its id and its time know it.
create sequence telemetry_rows;
create table telemetry (
  client_id        int not null,
  -- Tells reports of the same second apart.
  row_id           bigint not null default nextval('telemetry_rows'),
  device_id        int not null,
  telemetry_id     text collate "C" not null,
  telemetry_time   bigint not null,
  -- Who held the phone at that time, and the group that it was in.
  group_id         int not null,
  device_user_id   int,
  facts            jsonb not null,
  has_applications boolean not null,
  report_key_id    bigint not null,
  iv               bytea not null,
  sealed_meta      bytea not null,
  -- SHA-256 of what was sealed, by which a repetition is told from another report.
  checksum         bytea not null,
  received_at      bigint not null,
  primary key (client_id, device_id, telemetry_id, telemetry_time)
) partition by range (telemetry_time);
create index telemetry_time on telemetry (client_id, telemetry_time desc, row_id desc);
create index telemetry_group on telemetry (client_id, group_id, telemetry_time desc, row_id desc);
create index telemetry_device on telemetry (client_id, device_id, telemetry_time desc, row_id desc);
create index telemetry_user on telemetry (client_id, device_user_id, telemetry_time desc, row_id desc) where device_user_id is not null;
create index telemetry_applications on telemetry (client_id, device_id, telemetry_time desc, row_id desc) where has_applications;
-- Whatever time a phone says: no report is ever refused for it.
create table telemetry_default partition of telemetry default;

-- The newest report of each phone.
create table telemetry_latest (
  client_id        int not null,
  device_id        int not null,
  -- When it was: as its phone said, never later than it came. A clock that runs ahead is not the newest for ever.
  at               bigint not null,
  row_id           bigint not null,
  telemetry_id     text collate "C" not null,
  telemetry_time   bigint not null,
  group_id         int not null,
  device_user_id   int,
  facts            jsonb not null,
  received_at      bigint not null,
  -- The phone's reference where the server made it: one that a client brought along may be somebody's name or number.
  made_reference   text collate "C",
  primary key (client_id, device_id),
  foreign key (client_id, device_id) references devices (client_id, device_id)
) with (fillfactor = 70);
create index telemetry_latest_time on telemetry_latest (client_id, at desc, row_id desc);
create index telemetry_latest_group on telemetry_latest (client_id, group_id, at desc, row_id desc);
-- For the provider's staff, over all clients.
create index telemetry_latest_all on telemetry_latest (at desc, row_id desc);

do $$
declare
  name text;
begin
  foreach name in array array['report_keys', 'telemetry', 'telemetry_latest'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
grant usage on sequence report_key_rows, telemetry_rows to custodia_app;
grant select, insert on report_keys to custodia_app;
-- Sealed anew, or read again by whoever comes with the same one.
grant update (wrapped_key, made_at) on report_keys to custodia_app;
-- What a phone said is evidence: it is filed anew when its phone was confirmed to be somebody's, and changes in nothing else.
grant select, insert on telemetry to custodia_app;
grant update (group_id, device_user_id) on telemetry to custodia_app;
grant select, insert, update on telemetry_latest to custodia_app;
-- Facts of devices, and no more: neither whose a phone is nor anything sealed.
create policy staff on telemetry_latest for select to custodia_staff using (true);
grant select (client_id, at, row_id, telemetry_time, received_at, facts, made_reference) on telemetry_latest to custodia_staff;
