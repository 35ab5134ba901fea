-- Positions of phones. What a position says is sealed under a key of its phone and UTC day; only whose it is, its group and its time are clear.
create sequence gps_key_ids;
create table gps_keys (
  client_id    int not null,
  key_id       bigint not null default nextval('gps_key_ids'),
  device_id    int not null,
  -- Days since 1970-01-01, UTC.
  day          int not null,
  /* wrapped by the key provider; null once it is forgotten, and with it what it sealed */
  wrapped_key  bytea,
  created_at   bigint not null,
  primary key (client_id, key_id),
  foreign key (client_id, device_id) references devices (client_id, device_id)
);
-- One at a time: what comes for a day whose key was forgotten has another one.
create unique index gps_keys_day on gps_keys (client_id, device_id, day) where wrapped_key is not null;

create sequence gps_rows;
create table gps_points (
  client_id      int not null,
  -- Tells positions of the same second apart.
  row_id         bigint not null default nextval('gps_rows'),
  device_id      int not null,
  gps_reference  text collate "C" not null,
  timestamp      bigint not null,
  -- Who held the phone at that time, and the group that it was in.
  group_id       int not null,
  device_user_id int,
  key_id         bigint not null,
  sealed         bytea not null,
  received_at    bigint not null,
  primary key (client_id, device_id, gps_reference, timestamp)
) partition by range (timestamp);
create index gps_points_time on gps_points (client_id, timestamp desc, row_id desc);
create index gps_points_group on gps_points (client_id, group_id, timestamp desc, row_id desc);
create index gps_points_device on gps_points (client_id, device_id, timestamp desc, row_id desc);
create index gps_points_user on gps_points (client_id, device_user_id, timestamp desc, row_id desc) where device_user_id is not null;
-- Whatever time a phone says: no position is ever refused for it.
create table gps_points_default partition of gps_points default;

-- Where each phone was last in each of its groups: points at a position, and knows nothing of where that is.
create table gps_latest (
  client_id      int not null,
  device_id      int not null,
  group_id       int not null,
  device_user_id int,
  timestamp      bigint not null,
  row_id         bigint not null,
  primary key (client_id, device_id, group_id)
);
create index gps_latest_time on gps_latest (client_id, timestamp desc, row_id desc);
create index gps_latest_group on gps_latest (client_id, group_id, timestamp desc, row_id desc);
create index gps_latest_user on gps_latest (client_id, device_user_id, timestamp desc, row_id desc) where device_user_id is not null;

do $$
declare
  name text;
begin
  foreach name in array array['gps_keys', 'gps_points', 'gps_latest'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
grant usage on sequence gps_key_ids, gps_rows to custodia_app;
-- A position is evidence: it is filed anew when its phone was confirmed to be somebody's, and changes in nothing else.
grant select, insert on gps_points to custodia_app;
grant update (group_id, device_user_id) on gps_points to custodia_app;
grant select, insert, update, delete on gps_latest to custodia_app;
-- Its key is sealed anew when the storage key is.
grant select, insert, update (wrapped_key) on gps_keys to custodia_app;
