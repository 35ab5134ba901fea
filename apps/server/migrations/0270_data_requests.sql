-- What people ask about what is kept of them, and the copies that were made for it.
create table data_requests (
  client_id       int not null references clients,
  data_request_id text collate "C" not null,
  kind            text not null check (kind in ('Access', 'Copy', 'Erasure', 'ClientCopy')),
  law             text not null check (law in ('GDPR', 'LGPD', 'MiFID II')),
  subject_type    text not null check (subject_type in ('DeviceUser', 'PortalUser', 'Number')),
  subject         text not null,
  device_user_id  int,
  received_at     bigint not null,
  -- Null: without undue delay.
  due_at          bigint,
  opened_at       bigint not null,
  opened_by       text not null,
  note_id         text collate "C",
  state           text not null default 'Open' check (state in ('Open', 'Answered', 'Refused', 'Withdrawn')),
  closed_at       bigint,
  closed_by       text,
  reason_id       text collate "C",
  primary key (client_id, data_request_id),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id),
  foreign key (client_id, note_id) references legal_hold_reasons (client_id, reason_id),
  foreign key (client_id, reason_id) references legal_hold_reasons (client_id, reason_id),
  check ((kind = 'ClientCopy') = (law = 'MiFID II')),
  check ((subject_type = 'DeviceUser') = (device_user_id is not null)),
  check (due_at >= received_at),
  check ((state = 'Open') = (closed_at is null) and (closed_at is null) = (closed_by is null) and (closed_at is null) = (reason_id is null))
);
create index data_requests_listed on data_requests (client_id, opened_at desc, data_request_id desc);
create index data_requests_due on data_requests (client_id, due_at) where state = 'Open';

create table data_request_copies (
  client_id       int not null,
  data_request_id text collate "C" not null,
  -- The export itself is forgotten after a day.
  export_id       text collate "C" not null,
  made_at         bigint not null,
  made_by         text not null,
  items           int not null,
  refused         int not null,
  is_cut          boolean not null,
  primary key (client_id, data_request_id, export_id),
  foreign key (client_id, data_request_id) references data_requests
);

-- What was asked, and what was copied for it, is history: a request ends once, and nothing else of it changes.
create function keep_data_requests() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'data_requests' then
    if old.state = 'Open' and new.state <> 'Open' and
      (new.client_id, new.data_request_id, new.kind, new.law, new.subject_type, new.subject, new.device_user_id, new.received_at, new.due_at,
        new.opened_at, new.opened_by, new.note_id)
      is not distinct from
      (old.client_id, old.data_request_id, old.kind, old.law, old.subject_type, old.subject, old.device_user_id, old.received_at, old.due_at,
        old.opened_at, old.opened_by, old.note_id) then
      return new;
    end if;
  end if;
  raise exception 'requests of people are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on data_requests for each row execute function keep_data_requests();
create trigger kept_whole before truncate on data_requests for each statement execute function keep_data_requests();
create trigger kept before update or delete on data_request_copies for each row execute function keep_data_requests();
create trigger kept_whole before truncate on data_request_copies for each statement execute function keep_data_requests();

grant select, insert, update (state, closed_at, closed_by, reason_id) on data_requests to custodia_app;
grant select, insert on data_request_copies to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['data_requests', 'data_request_copies'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
