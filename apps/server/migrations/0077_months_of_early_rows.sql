-- A phone whose clock runs ahead leaves rows of coming months in the default partition. Their month takes them over when it is made: else one
-- report of a wrong time would keep that month of a table without a partition. Entries of audit logs stay where they were written: nothing
-- takes one away, be it to put it elsewhere.
create or replace function make_month_partitions(log text, time_column text, at timestamptz, months int) returns int language plpgsql
-- Who writes to the default partition waits behind whoever waits for it: not for long.
set lock_timeout = '500ms' as $$
declare
  -- Rows that are moved while nobody may write them: about a second. Where there are more, the month stays in the default partition.
  most constant int := 100000;
  first_day date;
  low bigint;
  high bigint;
  made int := 0;
  name text;
  early int;
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
    execute format('select count(*) from (select from only %I where %I >= $1 and %I < $2 limit %s) e', log || '_default', time_column, time_column,
      most + 1) into early using low, high;
    continue when early > most or (early > 0 and log in ('portal_activities', 'device_activities'));
    execute format('create table %I (like %I including all)', name, log);
    if early > 0 then
      execute format('with early as (delete from only %I where %I >= $1 and %I < $2 returning *) insert into %I select * from early',
        log || '_default', time_column, time_column, name) using low, high;
    end if;
    execute format('alter table %I attach partition %I for values from (%s) to (%s)', log, name, low, high);
    made := made + 1;
  end loop;
  return made;
end $$;
