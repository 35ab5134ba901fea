-- Big tables that phones fill are partitioned by the month of their time, as the audit logs are, and by the same function: told which
-- column the time is.
drop function make_activity_partitions(text, timestamptz, int);
create function make_month_partitions(log text, time_column text, at timestamptz, months int) returns int language plpgsql
-- Who writes to the default partition waits behind whoever waits for it: not for long.
set lock_timeout = '500ms' as $$
declare
  first_day date;
  low bigint;
  high bigint;
  made int := 0;
  name text;
  is_taken boolean;
begin
  -- One at a time: of two workers that start together, the second finds what the first has made.
  perform pg_advisory_xact_lock(hashtext('make_month_partitions'));
  for i in 0..months loop
    first_day := (date_trunc('month', at at time zone 'UTC') + make_interval(months => i))::date;
    low := extract(epoch from first_day::timestamp at time zone 'UTC')::bigint;
    high := extract(epoch from (first_day + interval '1 month') at time zone 'UTC')::bigint;
    name := log || to_char(first_day, '_YYYY_MM');
    continue when to_regclass(name) is not null;
    execute format('lock table %I in access exclusive mode', log || '_default');
    execute format('lock table only %I in share update exclusive mode nowait', log);
    execute format('select exists (select from only %I where %I >= $1 and %I < $2)', log || '_default', time_column, time_column)
      into is_taken using low, high;
    continue when is_taken;
    execute format('create table %I (like %I including all)', name, log);
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', log, name, low, high);
    made := made + 1;
  end loop;
  return made;
end $$;
revoke all on function make_month_partitions from public;

-- Drops the partitions of a table whose month ended before `before` and that hold no row; whoever destroys rows does so by client and key.
create function drop_empty_months(log text, before timestamptz) returns int language plpgsql
set lock_timeout = '500ms' as $$
declare
  part record;
  is_taken boolean;
  dropped int := 0;
begin
  perform pg_advisory_xact_lock(hashtext('make_month_partitions'));
  for part in
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = log::regclass and c.relname ~ ('^' || log || '_\d{4}_\d{2}$')
      and to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month' <= before at time zone 'UTC'
  loop
    execute format('select exists (select from only %I)', part.name) into is_taken;
    continue when is_taken;
    -- In the order in which writers lock; then once more, for one may have come in between.
    execute format('lock table only %I in access exclusive mode', log);
    execute format('lock table %I in access exclusive mode', part.name);
    execute format('select exists (select from only %I)', part.name) into is_taken;
    continue when is_taken;
    execute format('alter table %I detach partition %I', log, part.name);
    execute format('drop table %I', part.name);
    dropped := dropped + 1;
  end loop;
  return dropped;
end $$;
revoke all on function drop_empty_months from public;

-- What phones log. The same log comes again after a lost answer: its phone, its id and its time know it.
create sequence device_log_rows;
create table device_logs (
  client_id         int not null,
  -- Tells logs of the same second apart.
  row_id            bigint not null default nextval('device_log_rows'),
  device_id         int not null,
  log_id            text collate "C" not null,
  log_datetime      bigint not null,
  -- Who held the phone at that time, and the group that it was in.
  group_id          int not null,
  device_user_id    int,
  log_class         text not null,
  log_level         text not null check (log_level in ('DEBUG', 'INFO', 'WARN', 'ERROR')),
  local_timezone    text not null,
  payload_reference text collate "C",
  log_message       text not null,
  received_at       bigint not null,
  primary key (client_id, device_id, log_id, log_datetime)
) partition by range (log_datetime);
create index device_logs_time on device_logs (client_id, log_datetime desc, row_id desc);
create index device_logs_group on device_logs (client_id, group_id, log_datetime desc, row_id desc);
create index device_logs_device on device_logs (client_id, device_id, log_datetime desc, row_id desc);
create index device_logs_user on device_logs (client_id, device_user_id, log_datetime desc, row_id desc) where device_user_id is not null;
create index device_logs_payload on device_logs (client_id, payload_reference, log_datetime desc, row_id desc) where payload_reference is not null;
-- Whatever time a phone says: no log is ever refused for it.
create table device_logs_default partition of device_logs default;

-- Alerts that phones have raised, so that a repetition raises none.
create table device_alerts (
  client_id int not null,
  device_id int not null,
  alert_id  text collate "C" not null,
  at        bigint not null,
  primary key (client_id, device_id, alert_id),
  foreign key (client_id, device_id) references devices (client_id, device_id)
);
create index device_alerts_at on device_alerts (client_id, at);

do $$
declare
  name text;
begin
  foreach name in array array['device_logs', 'device_alerts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
grant usage on sequence device_log_rows to custodia_app;
-- What a phone said is evidence: it is filed anew when its phone was confirmed to be somebody's, and changes in nothing else.
grant select, insert on device_logs to custodia_app;
grant update (group_id, device_user_id) on device_logs to custodia_app;
grant select, insert, delete on device_alerts to custodia_app;
