-- Messages that their phone brings again (reupload_sms_messages) are kept and linked to the first. Neither lists, conversations nor counts have
-- them unless somebody asks: a message is counted once.
alter table payloads add column is_copy boolean not null default false;
create index payloads_copies on payloads (client_id, service, payload_time, payload_id) include (group_id, type) where is_copy;

-- Which payload a message was first, of those that were found good; of two at once, the one that is committed. The phone's name of it as SHA-256,
-- for it may be any text. A name that comes again at another time, or as another type, is another message.
create table message_firsts (
  client_id    int not null,
  device_id    int not null,
  message_hash bytea not null,
  type         smallint not null,
  said_time    bigint not null,
  payload_id   bigint not null,
  primary key (client_id, device_id, message_hash, type, said_time),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index on message_firsts (client_id, payload_id);
create table payload_copies (
  client_id        int not null,
  payload_id       bigint not null,
  first_payload_id bigint not null,
  at               bigint not null,
  primary key (client_id, payload_id),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id),
  foreign key (client_id, first_payload_id) references payloads (client_id, payload_id)
);
create index on payload_copies (client_id, first_payload_id, payload_id);
grant select, insert on message_firsts, payload_copies to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['message_firsts', 'payload_copies'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;

-- Conversations and metrics (0033, 0056) leave them out: the same functions with one condition more, and one that takes out of the metrics what
-- turns out to have been brought before. Each text that is replaced must have been found.
do $$
declare
  step record;
  known text;
begin
  for step in
    select * from (values
      (1, 'file_in_threads', 'file_in_threads', 'p.state not in (9, 10)', 'p.state not in (9, 10) and not p.is_copy'),
      (2, 'recount_threads', 'recount_threads', 'p.state not in (9, 10)', 'p.state not in (9, 10) and not p.is_copy'),
      (3, 'recount_payload_metrics', 'recount_payload_metrics', 'state not in (9, 10)', 'state not in (9, 10) and not is_copy'),
      (4, 'move_in_metrics', 'move_in_metrics', 'p.state not in (9, 10)', 'p.state not in (9, 10) and not p.is_copy'),
      (5, 'restore_in_metrics', 'restore_in_metrics', 'p.state not in (9, 10)', 'p.state not in (9, 10) and not p.is_copy'),
      (6, 'restore_in_metrics', 'uncount_copies_in_metrics', 'where c.from_state is not null and (c.from_state in (9, 10)) <> (c.to_state in (9, 10))',
        'where p.state not in (9, 10)'),
      (7, 'uncount_copies_in_metrics', 'uncount_copies_in_metrics', 'case when c.to_state in (9, 10) then -1 else 1 end', '-1'),
      (8, 'uncount_copies_in_metrics', 'uncount_copies_in_metrics', 'where from_state is not null and (from_state in (9, 10)) <> (to_state in (9, 10))', ''),
      (9, 'restore_in_metrics', 'restore_in_metrics', 'where c.from_state is not null', 'where not p.is_copy and c.from_state is not null')
    ) s (n, name, new_name, before, after) order by n
  loop
    known := pg_get_functiondef(step.name::regproc);
    if position(step.before in known) = 0 then raise exception '% does not say: %', step.name, step.before; end if;
    execute replace(replace(known, step.before, step.after), step.name, step.new_name);
  end loop;
end $$;
create trigger uncount_copies_in_metrics after insert on payload_copies
  referencing new table as changed for each statement execute function uncount_copies_in_metrics();
