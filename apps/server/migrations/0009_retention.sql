-- Retention policies and legal holds.

-- All versions of the retention policy (spec section 3); the last one counts. The domain needs the older ones for
-- payloads that were stored before, so none is changed or removed.
create table retention_policies (
  client_id       int not null references clients,
  policy_version  int not null check (policy_version > 0),
  entries         jsonb not null,
  -- Legal minimum per payload type, with its basis. It only rises.
  minimums        jsonb not null,
  applies_to_kept boolean not null,
  note            text,
  at              bigint not null,
  by              text not null,
  confirmed_by    text check (confirmed_by <> by),
  xid             xid8 not null default pg_current_xact_id(),
  primary key (client_id, policy_version)
);
create index on retention_policies (client_id, xid);
alter table retention_policies enable row level security;
alter table retention_policies force row level security;
create policy tenant on retention_policies using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on retention_policies to custodia_app;

-- Payloads that people wrote off: data that a device never uploaded, or that failed and was not uploaded again. Only
-- then may retention delete such a payload; late data is still accepted.
create table payload_write_offs (
  client_id  int not null references clients,
  payload_id bigint not null references payloads,
  at         bigint not null,
  by         text not null,
  xid        xid8 not null default pg_current_xact_id(),
  primary key (client_id, payload_id, at)
);
create index on payload_write_offs (client_id, xid);
alter table payload_write_offs enable row level security;
alter table payload_write_offs force row level security;
create policy tenant on payload_write_offs using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on payload_write_offs to custodia_app;

create function keep_retention_policies() returns trigger language plpgsql as $$
begin
  raise exception 'retention policies are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on retention_policies for each row execute function keep_retention_policies();
create trigger kept_whole before truncate on retention_policies for each statement execute function keep_retention_policies();
create trigger kept before update or delete on payload_write_offs for each row execute function keep_retention_policies();
create trigger kept_whole before truncate on payload_write_offs for each statement execute function keep_retention_policies();

-- How far retention has gone through the payloads of an account, by service. A pass begins anew each day, for payloads
-- that were on hold, waiting or not due. It walks the index of the lists, because no index has the state.
create table retention_positions (
  client_id    int not null references clients,
  service      smallint not null,
  -- The last payload that the pass looked at. Null: none yet.
  payload_time bigint,
  payload_id   bigint,
  began_at     bigint not null,
  -- When the pass had looked at all payloads that were due by age.
  ended_at     bigint,
  -- Deletion and destruction are two passes; destruction follows.
  act          text not null default 'delete' check (act in ('delete', 'destroy')),
  primary key (client_id, service, act)
);
alter table retention_positions enable row level security;
alter table retention_positions force row level security;
create policy tenant on retention_positions using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on retention_positions to custodia_app;

-- Whether an account pauses retention. No row: it runs.
create table retention_pauses (
  client_id int primary key references clients,
  is_paused boolean not null,
  reason    text,
  at        bigint not null,
  by        text not null
);
alter table retention_pauses enable row level security;
alter table retention_pauses force row level security;
create policy tenant on retention_pauses using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on retention_pauses to custodia_app;

-- What retention did, by day (UTC) and type.
create table retention_results (
  client_id int not null references clients,
  day       bigint not null,
  type      smallint not null,
  deleted   int not null default 0,
  destroyed int not null default 0,
  primary key (client_id, day, type)
);
alter table retention_results enable row level security;
alter table retention_results force row level security;
create policy tenant on retention_results using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on retention_results to custodia_app;

-- How far retention has gone through other records than payloads, by kind. A pass begins anew each day.
create table retention_record_positions (
  client_id int not null references clients,
  kind      text collate "C" not null,
  -- The last record that the pass looked at. Null: none yet.
  at        bigint,
  key       text collate "C",
  began_at  bigint not null,
  ended_at  bigint,
  primary key (client_id, kind)
);
alter table retention_record_positions enable row level security;
alter table retention_record_positions force row level security;
create policy tenant on retention_record_positions using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on retention_record_positions to custodia_app;

-- Reasons of legal holds and releases: free text, each sealed under its own key.
create table legal_hold_reasons (
  client_id     int not null references clients,
  reason_id     text collate "C" not null,
  sealed_reason bytea not null,
  -- Wrapped by the key provider.
  wrapped_key   bytea not null,
  primary key (client_id, reason_id)
);
alter table legal_hold_reasons enable row level security;
alter table legal_hold_reasons force row level security;
create policy tenant on legal_hold_reasons using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (wrapped_key) on legal_hold_reasons to custodia_app;

create table legal_matters (
  client_id           int not null references clients,
  matter_id           text collate "C" not null,
  name                text not null,
  opened_at           bigint not null,
  opened_by           text not null,
  updated_at          bigint not null,
  updated_by          text not null,
  -- Null: no reason was given.
  opened_reason_id    text collate "C",
  closed_at           bigint,
  closed_by           text,
  closed_reason_id    text collate "C",
  closed_confirmed_by text check (closed_confirmed_by <> closed_by),
  primary key (client_id, matter_id),
  check ((closed_at is null) = (closed_by is null) and (closed_at is null) = (closed_reason_id is null)),
  foreign key (client_id, opened_reason_id) references legal_hold_reasons (client_id, reason_id),
  foreign key (client_id, closed_reason_id) references legal_hold_reasons (client_id, reason_id)
);
create index legal_matters_listed on legal_matters (client_id, opened_at, matter_id);
alter table legal_matters enable row level security;
alter table legal_matters force row level security;
create policy tenant on legal_matters using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (updated_at, updated_by, closed_at, closed_by, closed_reason_id, closed_confirmed_by) on
  legal_matters to custodia_app;

-- Subjects whose recordings and records nothing may delete (spec section 5, legal hold). Every hold and release is an
-- event that is written once; this row is the current state. Times come from the database, so that no other clock ends
-- a hold.
create table legal_holds (
  client_id      int not null references clients,
  target_type    text collate "C" not null check (target_type in ('PortalUser', 'DeviceUser')),
  -- The name of a portal user, who may never have signed in, or the reference of a device user.
  target         text collate "C" not null,
  device_user_id int,
  is_active      boolean not null,
  created_at     bigint not null,
  updated_at     bigint not null,
  updated_by     text not null,
  -- A hold of the subject itself. False: only matters hold the subject.
  is_own         boolean not null default true,
  primary key (client_id, target_type, target),
  check ((target_type = 'DeviceUser') = (device_user_id is not null)),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id)
);
create unique index legal_holds_of_user on legal_holds (client_id, device_user_id) where device_user_id is not null;
create index legal_holds_listed on legal_holds (client_id, updated_at, target_type, target);
alter table legal_holds enable row level security;
alter table legal_holds force row level security;
create policy tenant on legal_holds using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (is_active, updated_at, updated_by, is_own) on legal_holds to custodia_app;

create table legal_hold_events (
  event_id     bigint generated always as identity,
  client_id    int not null,
  target_type  text collate "C" not null,
  target       text collate "C" not null,
  act          text collate "C" not null check (act in ('set', 'released')),
  at           bigint not null,
  by           text not null,
  -- Null: no reason was given.
  reason_id    text collate "C",
  -- The matter that held or released the subject. Null: the subject itself was held or released.
  matter_id    text collate "C",
  -- The second person. Null: none was required.
  confirmed_by text check (confirmed_by <> by),
  xid          xid8 not null default pg_current_xact_id(),
  primary key (client_id, target_type, target, event_id),
  foreign key (client_id, target_type, target) references legal_holds (client_id, target_type, target),
  foreign key (client_id, reason_id) references legal_hold_reasons (client_id, reason_id),
  foreign key (client_id, matter_id) references legal_matters (client_id, matter_id)
);
create index on legal_hold_events (client_id, xid);
alter table legal_hold_events enable row level security;
alter table legal_hold_events force row level security;
create policy tenant on legal_hold_events using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on legal_hold_events to custodia_app;

create table legal_matter_people (
  member_id   bigint generated always as identity,
  client_id   int not null,
  matter_id   text collate "C" not null,
  target_type text collate "C" not null,
  target      text collate "C" not null,
  added_at    bigint not null,
  added_by    text not null,
  -- When the subject was removed, or released with the matter.
  removed_at  bigint,
  removed_by  text,
  primary key (client_id, matter_id, member_id),
  check ((removed_at is null) = (removed_by is null)),
  foreign key (client_id, matter_id) references legal_matters (client_id, matter_id),
  foreign key (client_id, target_type, target) references legal_holds (client_id, target_type, target)
);
-- Subjects that open matters hold.
create unique index legal_matter_people_held on legal_matter_people (client_id, target_type, target, matter_id) where removed_at is null;
create index legal_matter_people_listed on legal_matter_people (client_id, matter_id, target_type, target, member_id);
alter table legal_matter_people enable row level security;
alter table legal_matter_people force row level security;
create policy tenant on legal_matter_people using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (removed_at, removed_by) on legal_matter_people to custodia_app;

-- Holds are history: not even the owner of the tables changes or removes one. Note and reason of a data request are
-- removed before the request, which proves that they may be.
create function keep_legal_holds() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'legal_hold_reasons' then
    if exists (select from data_requests r where r.client_id = old.client_id and old.reason_id in (r.note_id, r.reason_id)
      and r.closed_at <= requests_end_before()) then
      return old;
    end if;
  end if;
  raise exception 'legal holds are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on legal_hold_events for each row execute function keep_legal_holds();
create trigger kept_whole before truncate on legal_hold_events for each statement execute function keep_legal_holds();
create trigger kept before delete on legal_hold_reasons for each row execute function keep_legal_holds();
create trigger kept_whole before truncate on legal_hold_reasons for each statement execute function keep_legal_holds();
create trigger kept before delete on legal_holds for each row execute function keep_legal_holds();
create trigger kept_whole before truncate on legal_holds for each statement execute function keep_legal_holds();

-- Matters are history: a matter is closed and a person removed once, and nothing else changes.
create function keep_legal_matters() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'legal_matters' then
    if old.closed_at is null and (new.client_id, new.matter_id, new.name, new.opened_at, new.opened_by, new.opened_reason_id)
      is not distinct from (old.client_id, old.matter_id, old.name, old.opened_at, old.opened_by, old.opened_reason_id) then
      return new;
    end if;
  end if;
  if tg_op = 'UPDATE' and tg_table_name = 'legal_matter_people' then
    if old.removed_at is null and (new.client_id, new.matter_id, new.member_id, new.target_type, new.target, new.added_at, new.added_by)
      = (old.client_id, old.matter_id, old.member_id, old.target_type, old.target, old.added_at, old.added_by) then
      return new;
    end if;
  end if;
  raise exception 'legal matters are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on legal_matters for each row execute function keep_legal_matters();
create trigger kept_whole before truncate on legal_matters for each statement execute function keep_legal_matters();
create trigger kept before update or delete on legal_matter_people for each row execute function keep_legal_matters();
create trigger kept_whole before truncate on legal_matter_people for each statement execute function keep_legal_matters();
