-- The specification knows no reason of a release: a hold is released without one where none is given.
do $$
declare
  name text;
begin
  select conname into strict name from pg_constraint
  where conrelid = 'legal_hold_events'::regclass and contype = 'c' and pg_get_constraintdef(oid) like '%reason_id%';
  execute format('alter table legal_hold_events drop constraint %I', name);
end $$;
