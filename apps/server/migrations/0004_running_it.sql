-- Partitions are made beside the writers, one log at a time. `create table … partition of` locks a whole log against everybody, and was held
-- for one log while the other was asked for: a writer that came the other way round met it in a deadlock. Now a table is made first and
-- attached then, which lets entries of other months pass; and the only lock that is waited for is the first, while none is held.
drop function make_activity_partitions(timestamptz, int);
create function make_activity_partitions(log text, at timestamptz, months int) returns int language plpgsql
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
  perform pg_advisory_xact_lock(hashtext('make_activity_partitions'));
  for i in 0..months loop
    first_day := (date_trunc('month', at at time zone 'UTC') + make_interval(months => i))::date;
    low := extract(epoch from first_day::timestamp at time zone 'UTC')::bigint;
    high := extract(epoch from (first_day + interval '1 month') at time zone 'UTC')::bigint;
    name := log || to_char(first_day, '_YYYY_MM');
    continue when to_regclass(name) is not null;
    execute format('lock table %I in access exclusive mode', log || '_default');
    execute format('lock table only %I in share update exclusive mode nowait', log);
    execute format('select exists (select from only %I where activity_time >= $1 and activity_time < $2)', log || '_default')
      into is_taken using low, high;
    continue when is_taken;
    execute format('create table %I (like %I including all)', name, log);
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', log, name, low, high);
    made := made + 1;
  end loop;
  return made;
end $$;
revoke all on function make_activity_partitions from public;

-- Whoever watches the service sees how much waits for each client and for how long, and nothing of what it is.
grant select (client_id, since) on payload_work to custodia_staff;
create policy staff on payload_work for select to custodia_staff using (true);
