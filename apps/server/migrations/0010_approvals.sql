-- Actions that need a second person, and data subject requests.

-- Whether actions need a second person: the newest row counts, no row means no. Each row names both people.
create table dual_control_versions (
  client_id    int not null references clients,
  version      int not null,
  is_required  boolean not null,
  at           bigint not null,
  by           text not null,
  confirmed_by text not null check (confirmed_by <> by),
  xid          xid8 not null default pg_current_xact_id(),
  primary key (client_id, version)
);
create index on dual_control_versions (client_id, xid);
alter table dual_control_versions enable row level security;
alter table dual_control_versions force row level security;
create policy tenant on dual_control_versions using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on dual_control_versions to custodia_app;

-- Proposals that wait for a second person, and their decisions. Each holds the action and the state of its subject: if
-- the subject has changed since, nothing is done.
create table proposals (
  client_id          int not null references clients,
  proposal_id        text collate "C" not null,
  kind               text collate "C" not null,
  -- Per kind and subject one proposal waits at a time.
  subject            text collate "C" not null,
  -- The input of the action, as on the wire, without `kind`.
  act                jsonb not null,
  -- The state of the subject at that time.
  basis              jsonb not null,
  state              text collate "C" not null default 'waiting' check (state in ('waiting', 'confirmed', 'rejected', 'withdrawn', 'superseded', 'expired')),
  proposed_at        bigint not null,
  proposed_by        text not null,
  reason_id          text collate "C",
  decided_at         bigint,
  decided_by         text,
  rejected_reason_id text collate "C",
  -- Secrets of the proposed action, sealed as they will be kept. Never shown, and removed when the proposal ends.
  sealed             jsonb check (sealed is null or state in ('waiting', 'expired')),
  primary key (client_id, proposal_id),
  check ((state = 'waiting') = (decided_at is null)),
  check ((state in ('waiting', 'expired')) = (decided_by is null)),
  check ((state = 'rejected') = (rejected_reason_id is not null)),
  -- The second person is not the proposer.
  check (state not in ('confirmed', 'superseded', 'rejected') or decided_by <> proposed_by),
  check (state <> 'withdrawn' or decided_by = proposed_by),
  foreign key (client_id, reason_id) references legal_hold_reasons (client_id, reason_id),
  foreign key (client_id, rejected_reason_id) references legal_hold_reasons (client_id, reason_id)
);
create index proposals_listed on proposals (client_id, proposed_at, proposal_id);
create unique index proposals_waiting on proposals (client_id, kind, subject) where state = 'waiting';
alter table proposals enable row level security;
alter table proposals force row level security;
create policy tenant on proposals using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (state, decided_at, decided_by, rejected_reason_id, sealed) on proposals to custodia_app;

-- Proposals are history: one that waits ends once, and nothing else changes. Key rotation wraps the key of the secrets
-- anew.
create function keep_proposals() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'proposals' then
    if old.state = 'waiting' and new.state <> 'waiting'
      and (new.client_id, new.proposal_id, new.kind, new.subject, new.act, new.basis, new.proposed_at, new.proposed_by, new.reason_id)
      is not distinct from (old.client_id, old.proposal_id, old.kind, old.subject, old.act, old.basis, old.proposed_at, old.proposed_by, old.reason_id) then
      return new;
    end if;
    if old.state = 'waiting' and old.sealed ->> 'wrapped_key' is not null and new.sealed ->> 'wrapped_key' is not null
      and to_jsonb(new) #- '{sealed,wrapped_key}' = to_jsonb(old) #- '{sealed,wrapped_key}' then
      return new;
    end if;
  end if;
  raise exception 'proposals are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on proposals for each row execute function keep_proposals();
create trigger kept_whole before truncate on proposals for each statement execute function keep_proposals();
create trigger kept before update or delete on dual_control_versions for each row execute function keep_proposals();
create trigger kept_whole before truncate on dual_control_versions for each statement execute function keep_proposals();

-- Changes of a client's identity provider that the provider's staff proposed, and a second person of the staff
-- confirmed because the client cannot sign in. Each is a proposal of the client too.
create table identity_changes (
  client_id       int not null references clients,
  proposal_id     text collate "C" not null,
  -- Null: the provider of the installation.
  issuer          text,
  oidc_client_id  text,
  proposed_at     bigint not null,
  proposed_by     text not null,
  expires_at      bigint not null,
  seconded_at     bigint,
  seconded_by     text check (seconded_by <> proposed_by),
  takes_effect_at bigint,
  ended_at        bigint,
  primary key (client_id, proposal_id),
  foreign key (client_id, proposal_id) references proposals,
  check ((seconded_at is null) = (seconded_by is null) and (seconded_at is null) = (takes_effect_at is null))
);
create unique index identity_changes_waiting on identity_changes (client_id) where ended_at is null;
alter table identity_changes enable row level security;
alter table identity_changes force row level security;
create policy tenant on identity_changes using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy staff on identity_changes for select to custodia_staff using (true);
grant select, insert, update (seconded_at, seconded_by, takes_effect_at, ended_at) on identity_changes to custodia_app;
grant select on identity_changes to custodia_staff;

-- A change is seconded once and ends once. Nothing else changes.
create function keep_identity_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.ended_at is null and (old.seconded_at is null
      or (new.seconded_at, new.seconded_by, new.takes_effect_at) is not distinct from (old.seconded_at, old.seconded_by, old.takes_effect_at))
    and (new.client_id, new.proposal_id, new.issuer, new.oidc_client_id, new.proposed_at, new.proposed_by, new.expires_at)
      is not distinct from (old.client_id, old.proposal_id, old.issuer, old.oidc_client_id, old.proposed_at, old.proposed_by, old.expires_at) then
    return new;
  end if;
  raise exception 'changes of identity providers are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on identity_changes for each row execute function keep_identity_changes();
create trigger kept_whole before truncate on identity_changes for each statement execute function keep_identity_changes();

-- A change ends with its proposal.
create function end_identity_change() returns trigger language plpgsql as $$
begin
  update identity_changes set ended_at = new.decided_at
  where client_id = new.client_id and proposal_id = new.proposal_id and ended_at is null;
  return new;
end $$;
create trigger ends_identity_change after update of state on proposals for each row
  when (new.kind = 'ChangeIdentityProvider' and new.state <> 'waiting') execute function end_identity_change();

-- Requests of data subjects, and the copies that were made for them.
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
  foreign key (client_id, note_id) references legal_hold_reasons (client_id, reason_id) deferrable,
  foreign key (client_id, reason_id) references legal_hold_reasons (client_id, reason_id) deferrable,
  check ((kind = 'ClientCopy') = (law = 'MiFID II')),
  check ((subject_type = 'DeviceUser') = (device_user_id is not null)),
  check (due_at >= received_at),
  check ((state = 'Open') = (closed_at is null) and (closed_at is null) = (closed_by is null) and (closed_at is null) = (reason_id is null))
);
create index data_requests_due on data_requests (client_id, due_at) where state = 'Open';
create index data_requests_listed on data_requests (
  client_id,
  (case state when 'Open' then 0 else 1 end),
  (case state when 'Open' then coalesce(due_at, received_at) else -closed_at end),
  data_request_id
  );
create index data_requests_by_end on data_requests (client_id, closed_at, data_request_id) where closed_at is not null;
create index data_requests_note on data_requests (client_id, note_id) where note_id is not null;
create index data_requests_reason on data_requests (client_id, reason_id) where reason_id is not null;
alter table data_requests enable row level security;
alter table data_requests force row level security;
create policy tenant on data_requests using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (state, closed_at, closed_by, reason_id) on data_requests to custodia_app;

create table data_request_copies (
  client_id       int not null,
  data_request_id text collate "C" not null,
  -- The export itself is removed after a day.
  export_id       text collate "C" not null,
  made_at         bigint not null,
  made_by         text not null,
  items           int not null,
  refused         int not null,
  is_cut          boolean not null,
  deleted         int,
  primary key (client_id, data_request_id, export_id),
  foreign key (client_id, data_request_id) references data_requests
);
alter table data_request_copies enable row level security;
alter table data_request_copies force row level security;
create policy tenant on data_request_copies using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on data_request_copies to custodia_app;

-- Ended requests are kept until then. Equals REQUEST_KEPT_DAYS of the contract; a test compares both.
create function requests_end_before() returns bigint language sql volatile set search_path = pg_catalog as $$
  select floor(extract(epoch from clock_timestamp()))::bigint - 1096 * 86400
$$;

-- Requests are history: a request ends once, and nothing else changes.
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
  if tg_op = 'DELETE' and exists (
    select from data_requests r where r.client_id = old.client_id and r.data_request_id = old.data_request_id
      and r.closed_at <= requests_end_before()) then
    return old;
  end if;
  raise exception 'requests of people are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on data_requests for each row execute function keep_data_requests();
create trigger kept_whole before truncate on data_requests for each statement execute function keep_data_requests();
create trigger kept before update or delete on data_request_copies for each row execute function keep_data_requests();
create trigger kept_whole before truncate on data_request_copies for each statement execute function keep_data_requests();

create function destroy_data_requests(keys text[]) returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  going text[];
  gone int;
begin
  select coalesce(array_agg(data_request_id), '{}') into going from data_requests
  where client_id = client and data_request_id = any(keys) and closed_at <= requests_end_before();
  set constraints data_requests_client_id_note_id_fkey, data_requests_client_id_reason_id_fkey deferred;
  delete from data_request_copies where client_id = client and data_request_id = any(going);
  delete from legal_hold_reasons t using data_requests r where r.client_id = client and r.data_request_id = any(going)
    and t.client_id = client and t.reason_id in (r.note_id, r.reason_id);
  delete from data_requests where client_id = client and data_request_id = any(going);
  get diagnostics gone = row_count;
  set constraints data_requests_client_id_note_id_fkey, data_requests_client_id_reason_id_fkey immediate;
  return gone;
end $$;
revoke all on function destroy_data_requests from public;
grant execute on function destroy_data_requests to custodia_app;
