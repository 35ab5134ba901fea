-- What phones are told, and what became of it. The state moves by reports of the phone itself, or ends when no phone answers.
create table device_commands (
  client_id         int not null references clients,
  -- A ULID of the moment in which it was sent: in its order lists are read.
  command_reference text collate "C" not null,
  device_id         int not null,
  -- Of the phone when it was sent.
  group_id          int not null,
  command           text not null,
  -- As sent. The code of a verification is none of them: it is made when its phone asks, and only its hash is kept.
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
create index device_commands_sent on device_commands (client_id, sent_at desc, command_reference desc);
create index device_commands_group on device_commands (client_id, group_id, sent_at desc, command_reference desc);
create index device_commands_device on device_commands (client_id, device_id, sent_at desc, command_reference desc);
-- What phones have not done yet, and what waits for too long.
create index device_commands_open on device_commands (client_id, device_id, command_reference)
  where state in ('Sent', 'Acknowledged');

-- The same table as in packages/domain/src/commands/states.ts; a test compares the two.
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

alter table device_commands enable row level security;
alter table device_commands force row level security;
create policy tenant on device_commands using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
-- Who told a phone what is on record: nothing of it is taken back, and nothing but its outcome changes.
grant select, insert on device_commands to custodia_app;
-- The group only when its phone was filed anew: what waited for somebody's confirmation.
grant update (state, acknowledged_at, completed_at, failure, message, group_id) on device_commands to custodia_app;
