-- Payloads, and what people add to them.
--
-- The narrow table payloads is the only one that changes often. No index of it contains a volatile column (state,
-- processed_at, updated_at), so that updates stay heap-only.

-- Codes of states and types, as in apps/server/src/payloads/codes.ts; a test compares both.
create table payload_states (
  code smallint primary key,
  name text not null unique
);
grant select on payload_states to custodia_app;

create table payload_types (
  code    smallint primary key,
  name    text not null unique,
  service smallint not null
);
grant select on payload_types to custodia_app;

-- As in packages/domain/src/payloads/states.ts; a test compares both.
create table payload_transitions (
  from_state smallint not null references payload_states,
  to_state   smallint not null references payload_states,
  primary key (from_state, to_state)
);
grant select on payload_transitions to custodia_app;

insert into payload_states values
  (1, 'NotRecorded'), (2, 'Recorded'), (3, 'Uploaded'), (4, 'Scanning'), (5, 'Processed'), (6, 'Quarantined'),
  (7, 'Failed'), (8, 'Transferred'), (9, 'Deleted'), (10, 'Destroyed');
insert into payload_types values
  (1, 'Call', 1), (2, 'AbortedCall', 1), (3, 'BlockedCall', 1), (4, 'SMS', 2), (5, 'MMS', 2), (6, 'RCS', 2),
  (7, 'Interview', 3), (8, 'Photo', 4), (9, 'Video', 5), (10, 'Diagnostics', 6);
insert into payload_transitions values
  (1, 9), (2, 3), (2, 9), (3, 4), (4, 1), (4, 5), (4, 6), (4, 7), (5, 9), (6, 4), (6, 9), (7, 3), (7, 9), (8, 9),
  (9, 1), (9, 2), (9, 5), (9, 6), (9, 7), (9, 8), (9, 10);

-- State, type and service are smallint codes: their equality is leakproof, that of enums is not, and only so are indexes used
-- under row-level security.
create table payloads (
  payload_id            bigint generated always as identity primary key,
  client_id             int not null references clients,
  payload_reference     text collate "C" not null,
  service               smallint not null,
  -- Codes are checked without a foreign key, which would lock the same few rows for each payload.
  type                  smallint not null check (type between 1 and 10),
  state                 smallint not null check (state between 1 and 10),
  state_before_deletion smallint check (state_before_deletion between 1 and 10),
  payload_time          bigint not null,
  payload_end_time      bigint,
  group_id              int not null,
  device_id             int not null,
  device_user_id        int,
  is_late               boolean not null default false,
  is_legacy             boolean not null default false,
  announced_at          bigint not null,
  uploaded_at           bigint,
  processed_at          bigint,
  restored_at           bigint,
  updated_at            bigint not null,
  updated_by            text,
  failure               text,
  -- Uploads that did not match the announced bytes. They stay in storage; the next upload gets a key of its own.
  rejected_count        smallint not null default 0,
  -- The device's time if it lies more than a day ahead. Then payload_time is the time of the announcement, so that no
  -- payload stays first in lists.
  claimed_time          bigint,
  -- A duplicate upload of a message (reupload_sms_messages), linked to the first one. Lists, conversations and counts
  -- leave it out unless asked.
  is_copy               boolean not null default false,
  unique (client_id, payload_reference),
  unique (client_id, payload_id),
  foreign key (client_id, group_id) references groups (client_id, group_id),
  foreign key (client_id, device_id) references devices (client_id, device_id),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id)
) with (fillfactor = 70, autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 5000);
create index payloads_service on payloads (client_id, service, payload_time, payload_id) include (group_id, type);
create index payloads_group on payloads (client_id, group_id, service, payload_time, payload_id) include (type);
create index payloads_user on payloads (client_id, device_user_id, service, payload_time, payload_id) include (group_id, type);
create index payloads_device on payloads (client_id, device_id, service, payload_time, payload_id) include (group_id, type);
create index payloads_copies on payloads (client_id, service, payload_time, payload_id) include (group_id, type) where is_copy;
-- Failed and quarantined payloads are few, and home and lists name them first. Quarantined and altered ones have indexes
-- of their own, because they may be few among many failed ones.
create index payloads_failed on payloads (client_id, service, payload_time, payload_id) include (group_id, type)
  where failure is not null;
create index payloads_quarantined on payloads (client_id, service, payload_time, payload_id) include (group_id, type)
  where failure in ('malware_found', 'scan_limit_exceeded');
create index payloads_altered on payloads (client_id, service, payload_time, payload_id) include (group_id, type)
  where failure in ('tampered_data', 'truncated_data', 'undecryptable_meta', 'meta_mismatch');
create index payloads_late on payloads (client_id, service, payload_time, payload_id) include (group_id, type) where is_late;
-- Recordings of a day are found by the device's time, which no other index has.
create index payloads_claimed on payloads (client_id, claimed_time) where claimed_time is not null;
-- Transfers look for payloads that were restored since their last run. Few are, and deletion writes nothing here.
create index payloads_restored on payloads (client_id, restored_at) where restored_at is not null;
create index payloads_person_group on payloads (client_id, device_user_id, group_id) where device_user_id is not null;
alter table payloads enable row level security;
alter table payloads force row level security;
create policy tenant on payloads using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on payloads to custodia_app;

create function check_payload_transition() returns trigger language plpgsql as $$
begin
  if new.state is distinct from old.state and not exists (
    select from payload_transitions t where t.from_state = old.state and t.to_state = new.state
  ) then
    raise exception 'payload % may not move from state % to state %', old.payload_reference, old.state, new.state
      using errcode = 'check_violation', constraint = 'payload_transition';
  end if;
  if old.state = 9 and new.state not in (9, 10) and new.state is distinct from old.state_before_deletion then
    raise exception 'payload % may be restored only to the state it had before deletion', old.payload_reference
      using errcode = 'check_violation', constraint = 'payload_transition';
  end if;
  return new;
end $$;
create trigger payload_transition before update of state on payloads
  for each row execute function check_payload_transition();

-- Waits for a running deletion of the client. A device whose call began before is refused, and keeps its copy.
create function refuse_payload_of_deleted_client() returns trigger language plpgsql as $$
begin
  perform from clients where client_id = new.client_id and deleted_at is null for key share;
  if not found then
    raise exception 'the client is deleted' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger refused_when_deleted before insert on payloads for each row execute function refuse_payload_of_deleted_client();

-- Payloads that are not in a final state: the sweeps read them. Rows leave when their payload gets there.
create table payload_work (
  client_id  int not null,
  payload_id bigint not null,
  since      bigint not null,
  -- When the sweep last looked for the object, and how often it requested the job again.
  checked_at bigint not null default 0,
  nudges     smallint not null default 0,
  -- Attempts to process the payload, counted before each begins. An attempt that ends with its process stays counted,
  -- and after a few the server stops trying.
  begun      smallint not null default 0,
  primary key (client_id, payload_id),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index on payload_work (client_id, checked_at);
alter table payload_work enable row level security;
alter table payload_work force row level security;
create policy tenant on payload_work using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy staff on payload_work for select to custodia_staff using (true);
grant select, insert, update, delete on payload_work to custodia_app;
grant select (client_id, since) on payload_work to custodia_staff;

-- The announcement of the device, never changed.
create table payload_envelopes (
  payload_id    bigint primary key,
  size          bigint,
  client_id     int not null,
  encrypted_dek bytea not null,
  sealed_meta   bytea not null,
  key_id        text not null,
  iv            text not null,
  checksum      bytea,
  device_ip     inet,
  -- SHA-256 of the whole announcement: distinguishes a repetition from other content.
  fingerprint   bytea not null,
  -- The slot of the key that opens encrypted_dek, which is sealed before it is stored. Null: stored as announced, until
  -- the keys are rotated.
  dek_key       bytea,
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
alter table payload_envelopes enable row level security;
alter table payload_envelopes force row level security;
create policy tenant on payload_envelopes using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on payload_envelopes to custodia_app;

-- Envelopes are evidence that the application cannot change. Only this function may seal one that is not sealed, once.
-- Returns the slots.
create function seal_device_deks(ids bigint[], sealed bytea[], slots bytea[]) returns setof bytea
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update payload_envelopes e set encrypted_dek = c.sealed, dek_key = c.slot from unnest(ids, sealed, slots) c (payload_id, sealed, slot)
  where e.client_id = nullif(current_setting('custodia.client_id', true), '')::int and e.payload_id = c.payload_id
    and e.dek_key is null and e.encrypted_dek <> '' and c.slot is not null
  returning e.dek_key
$$;
revoke all on function seal_device_deks from public;
grant execute on function seal_device_deks to custodia_app;

-- Written once, when the sealed metadata is opened. list_doc is the immutable part of a list row as JSON text.
create table payload_documents (
  payload_id           bigint primary key,
  client_id            int not null,
  list_doc             text not null,
  thread_id            text,
  second_party_numbers text not null default '',
  all_numbers          text not null default '',
  -- Words and digits of the payload in one line, for searches.
  search_text          text not null default '',
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index payload_documents_thread on payload_documents (client_id, thread_id, payload_id) where thread_id is not null;
alter table payload_documents enable row level security;
alter table payload_documents force row level security;
create policy tenant on payload_documents using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_documents to custodia_app;

-- Stored objects: the original of the device and its derivations, each under its own data key.
create table payload_objects (
  client_id    int not null,
  payload_id   bigint not null,
  kind         text collate "C" not null,
  -- The sweep and verify find the payload by the reference in the key.
  object_key   text not null,
  -- The data key, wrapped by the key provider. Null once destroyed.
  wrapped_dek  bytea,
  sealed_size  bigint not null,
  size         bigint not null,
  content_type text not null,
  checksum     text,
  details      jsonb not null default '{}',
  created_at   bigint not null,
  -- The locked version in a bucket with Object Lock, until when it is locked (epoch seconds), and whether a legal hold locks it.
  version_id   text,
  locked_until bigint,
  lock_held    boolean not null default false,
  primary key (client_id, payload_id, kind),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
alter table payload_objects enable row level security;
alter table payload_objects force row level security;
create policy tenant on payload_objects using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_objects to custodia_app;

-- Payloads by time of change and of processing. A table of its own, so that payloads needs no index on a volatile column.
create table payload_changes (
  payload_id   bigint primary key,
  client_id    int not null,
  service      smallint not null,
  type         smallint not null,
  group_id     int not null,
  updated_at   bigint not null,
  processed_at bigint
) with (fillfactor = 70);
create index payload_changes_updated on payload_changes (client_id, service, updated_at, payload_id) include (group_id, type);
create index payload_changes_processed on payload_changes (client_id, service, processed_at, payload_id) include (group_id, type)
  where processed_at is not null;
alter table payload_changes enable row level security;
alter table payload_changes force row level security;
create policy tenant on payload_changes using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_changes to custodia_app;

create table payload_history (
  client_id  int not null,
  from_state smallint,
  to_state   smallint not null,
  payload_id bigint not null,
  at         bigint not null,
  -- The transaction that wrote the step: the sealed log takes steps in this order.
  xid        xid8 not null default pg_current_xact_id(),
  entry_id   bigint generated by default as identity,
  by         text not null,
  reason     text,
  primary key (payload_id, entry_id)
);
-- Steps of a batch share a transaction, so this index is short.
create index on payload_history (client_id, xid);
alter table payload_history enable row level security;
alter table payload_history force row level security;
create policy tenant on payload_history using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on payload_history to custodia_app;

-- Reassignments of payloads: group and holder before and after. Evidence: written once.
create table payload_reassignments (
  entry_id   bigint generated always as identity primary key,
  client_id  int not null,
  payload_id bigint not null,
  at         bigint not null,
  from_group int not null,
  to_group   int not null,
  from_user  int,
  to_user    int,
  by         text not null,
  xid        xid8 not null default pg_current_xact_id(),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index on payload_reassignments (client_id, xid);
create index on payload_reassignments (client_id, payload_id);
alter table payload_reassignments enable row level security;
alter table payload_reassignments force row level security;
create policy tenant on payload_reassignments using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on payload_reassignments to custodia_app;

-- The place of each payload whose metadata has one among those of its type and installation. Evidence: written once, also of
-- destroyed payloads. The hash is that of the sealed metadata, which the next payload names.
create table payload_sequence (
  client_id       int not null,
  -- Who knows the chain of another device cannot fill its gaps.
  device_id       int not null,
  chain_id        text collate "C" not null,
  type            smallint not null,
  seq             int not null check (seq > 0),
  payload_id      bigint not null,
  hash            bytea not null,
  prev_hash       bytea,
  noted_at        bigint not null,
  primary key (client_id, device_id, chain_id, type, seq, payload_id),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index on payload_sequence (client_id, payload_id);
alter table payload_sequence enable row level security;
alter table payload_sequence force row level security;
create policy tenant on payload_sequence using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on payload_sequence to custodia_app;

-- What devices recorded and the archive has, signed at the end of each day (UTC). Evidence: written once. A device may claim numbers
-- up to 2^31 - 1, so that sums need 64 bits.
create table capture_statements (
  client_id           int not null references clients,
  statement_reference text collate "C" not null,
  day                 bigint not null check (day % 86400 = 0),
  issued_at           bigint not null,
  recorded            bigint not null,
  archived            bigint not null,
  queued              bigint not null,
  explained           bigint not null,
  missing             bigint not null,
  contradictory       bigint not null,
  key_id              text not null,
  -- Of the canonical JSON that is signed.
  checksum            text not null,
  body                text not null,
  signature           bytea not null,
  xid                 xid8 not null default pg_current_xact_id(),
  primary key (client_id, statement_reference),
  unique (client_id, day),
  check (recorded = archived + queued + explained + missing)
);
create index on capture_statements (client_id, xid);
alter table capture_statements enable row level security;
alter table capture_statements force row level security;
create policy tenant on capture_statements using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on capture_statements to custodia_app;

-- The first upload of each message among those that passed their check. The hash is SHA-256 of the device's name for
-- the message, which may be any text. The same name with another time or type is another message.
create table message_firsts (
  client_id     int not null,
  device_id     int not null,
  message_hash  bytea not null,
  type          smallint not null,
  reported_time bigint not null,
  payload_id    bigint not null,
  primary key (client_id, device_id, message_hash, type, reported_time),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index on message_firsts (client_id, payload_id);
alter table message_firsts enable row level security;
alter table message_firsts force row level security;
create policy tenant on message_firsts using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on message_firsts to custodia_app;

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
alter table payload_copies enable row level security;
alter table payload_copies force row level security;
create policy tenant on payload_copies using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on payload_copies to custodia_app;

create table payload_receipts (
  client_id       int not null,
  payload_id      bigint not null,
  client_app_user text not null,
  confirmed_at    bigint not null,
  -- Receipts of people and of apps: a person may have the name of an app. Only receipts of apps satisfy retention.
  is_person       boolean not null default false,
  foreign key (client_id, payload_id) references payloads (client_id, payload_id),
  primary key (client_id, payload_id, client_app_user, is_person)
);
create index payload_receipts_of on payload_receipts (client_id, client_app_user, payload_id) where is_person;
alter table payload_receipts enable row level security;
alter table payload_receipts force row level security;
create policy tenant on payload_receipts using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on payload_receipts to custodia_app;

-- Payloads without a receipt that are not deleted and no duplicates, in the order of lists. Where apps confirm what they
-- take over, few are left: a table of its own, because a flag of payloads would cost each receipt an update of all indexes.
create table payload_unconfirmed (
  client_id    int not null,
  service      smallint not null,
  payload_time bigint not null,
  payload_id   bigint not null,
  group_id     int not null,
  type         smallint not null,
  primary key (client_id, service, payload_time, payload_id) include (group_id, type)
);
alter table payload_unconfirmed enable row level security;
alter table payload_unconfirmed force row level security;
create policy tenant on payload_unconfirmed using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_unconfirmed to custodia_app;

create function add_unconfirmed() returns trigger language plpgsql as $$
begin
  insert into payload_unconfirmed (client_id, service, payload_time, payload_id, group_id, type)
    select client_id, service, payload_time, payload_id, group_id, type from added
    -- 9 Deleted, 10 Destroyed
    where state not in (9, 10) and not is_copy;
  return null;
end $$;
create trigger unconfirmed after insert on payloads
  referencing new table as added for each statement execute function add_unconfirmed();

create function remove_confirmed() returns trigger language plpgsql as $$
begin
  delete from payload_unconfirmed u using added r join payloads p using (client_id, payload_id)
    where u.client_id = p.client_id and u.service = p.service and u.payload_time = p.payload_time and u.payload_id = p.payload_id;
  return null;
end $$;
create trigger confirmed after insert on payload_receipts
  referencing new table as added for each statement execute function remove_confirmed();

-- Deleted and destroyed payloads in the order of lists. They lie behind all others, and no index of payloads knows the state.
create table payload_removed (
  client_id    int not null,
  state        smallint not null,
  service      smallint not null,
  payload_time bigint not null,
  payload_id   bigint not null,
  group_id     int not null,
  type         smallint not null,
  primary key (client_id, state, service, payload_time, payload_id) include (group_id, type)
);
alter table payload_removed enable row level security;
alter table payload_removed force row level security;
create policy tenant on payload_removed using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, delete on payload_removed to custodia_app;

create function add_removed() returns trigger language plpgsql as $$
begin
  insert into payload_removed (client_id, state, service, payload_time, payload_id, group_id, type)
    values (new.client_id, new.state, new.service, new.payload_time, new.payload_id, new.group_id, new.type);
  return null;
end $$;
-- A plan that was made while the table was short would read it whole for each row.
create function change_removed() returns trigger language plpgsql set enable_seqscan = off as $$
begin
  delete from payload_removed where client_id = old.client_id and state = old.state and service = old.service
    and payload_time = old.payload_time and payload_id = old.payload_id;
  if new.state in (9, 10) then
    insert into payload_removed (client_id, state, service, payload_time, payload_id, group_id, type)
      values (new.client_id, new.state, new.service, new.payload_time, new.payload_id, new.group_id, new.type);
  end if;
  return null;
end $$;
create trigger added_removed after insert on payloads for each row when (new.state in (9, 10)) execute function add_removed();
create trigger removed after update of state, group_id on payloads for each row
  when (old.state not in (9, 10) and new.state in (9, 10)) execute function add_removed();
create trigger changed_removed after update of state, group_id on payloads for each row
  when (old.state in (9, 10) and (old.state <> new.state or old.group_id <> new.group_id)) execute function change_removed();

-- Actions of people on a payload, written in the transaction of the action.
create table payload_audit (
  client_id   int not null,
  payload_id  bigint not null,
  at          bigint not null,
  log_id      text collate "C" not null,
  portal_user text not null,
  action      text not null,
  -- Of a mark: which one. Of a download: its export.
  detail      text collate "C",
  primary key (client_id, payload_id, at, log_id, action)
);
alter table payload_audit enable row level security;
alter table payload_audit force row level security;
create policy tenant on payload_audit using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on payload_audit to custodia_app;

-- Where a person stopped in a recording. Visible to that person only, and no evidence. Removed when they reach the end,
-- after a while, and with the payload.
create table payload_playheads (
  client_id  int not null,
  payload_id bigint not null,
  person     text collate "C" not null,
  -- Seconds of played time.
  playhead   int not null check (playhead > 0),
  kept_at    bigint not null,
  primary key (client_id, payload_id, person),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
) with (fillfactor = 80);
alter table payload_playheads enable row level security;
alter table payload_playheads force row level security;
create policy tenant on payload_playheads using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (playhead, kept_at), delete on payload_playheads to custodia_app;

-- Tenths of a second in parts of a recording.
create function tenths_of(parts int4multirange) returns int immutable language sql as $$
  select coalesce(sum(upper(part) - lower(part)), 0)::int from unnest(parts) part
$$;

-- Which parts of a recording a person has played, in tenths of a second. Evidence: parts are added, never removed. Each
-- row has its playback in payload_audit.
create table payload_plays (
  client_id  int not null,
  payload_id bigint not null,
  person     text collate "C" not null,
  parts      int4multirange not null check (not isempty(parts) and lower(parts) >= 0),
  -- Of the recording, in tenths of a second. Null: unknown.
  length     int check (length > 0),
  first_at   bigint not null,
  last_at    bigint not null,
  -- From one second on, or the whole recording.
  is_heard   boolean not null generated always as (tenths_of(parts) >= least(10, length)) stored,
  primary key (client_id, payload_id, person),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
) with (fillfactor = 70);
create index payload_plays_of on payload_plays (client_id, person, payload_id);
alter table payload_plays enable row level security;
alter table payload_plays force row level security;
create policy tenant on payload_plays using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (parts, length, last_at) on payload_plays to custodia_app;

-- Signed addresses that the server gave out, so that each use is logged.
create table data_addresses (
  address_id        text collate "C" primary key,
  client_id         int not null,
  payload_id        bigint not null,
  kind              text not null,
  action            text not null,
  portal_user       text not null,
  session_id        text,
  expires_at        bigint not null,
  first_used_at     bigint,
  -- An address for an app needs the app's token; one in support mode works while the approval holds.
  app_reference     text,
  support_reference text,
  -- Network addresses whose use is in the audit log.
  used_from         text[] not null default '{}',
  -- For an archive of several payloads: what was requested and what is refused. The address belongs to the first
  -- payload.
  archive           jsonb,
  reason            text,
  -- For an archive that is a bag: its name, which part of which export, and what it contains.
  bag               jsonb,
  -- The export that the data leaves in.
  export_id         text
);
create index on data_addresses (expires_at);
grant select, insert, update, delete on data_addresses to custodia_app;

-- Comments on payloads. Their text is sealed: each comment has a data key for all its versions.
create table payload_comments (
  client_id       int not null,
  comment_id      text collate "C" not null,
  payload_id      bigint not null,
  -- Group of the payload, so that lists need no join.
  group_id        int not null,
  type            smallint not null,
  raised_at       bigint not null,
  raised_by       text not null,
  -- The current version.
  comment_version int not null default 1 check (comment_version > 0),
  closed_at       bigint,
  closed_by       text,
  -- Wrapped by the key provider. Null once destroyed.
  wrapped_key     bytea,
  -- Only the author edits a comment. Others reply to it, or close it with a reason.
  in_reply_to     text collate "C",
  -- Sealed under the comment's key. Null: open, or closed by the author without a reason.
  sealed_reason   bytea,
  primary key (client_id, comment_id),
  check ((closed_at is null) = (closed_by is null)),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id),
  check (sealed_reason is null or closed_at is not null),
  foreign key (client_id, in_reply_to) references payload_comments (client_id, comment_id)
);
create index payload_comments_payload on payload_comments (client_id, payload_id, raised_at, comment_id);
create index payload_comments_raised on payload_comments (client_id, raised_at, comment_id) include (group_id, type, raised_by);
create index payload_comments_group on payload_comments (client_id, group_id, raised_at, comment_id) include (type, raised_by);
-- Comments of a portal user.
create index payload_comments_of on payload_comments (client_id, raised_by, payload_id);
create index payload_comments_reply on payload_comments (client_id, in_reply_to) where in_reply_to is not null;
alter table payload_comments enable row level security;
alter table payload_comments force row level security;
create policy tenant on payload_comments using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (group_id, comment_version, closed_at, closed_by, wrapped_key, sealed_reason) on
  payload_comments to custodia_app;

-- All versions of a comment. Evidence: written once.
create table payload_comment_versions (
  client_id       int not null,
  comment_id      text collate "C" not null,
  comment_version int not null check (comment_version > 0),
  sealed_body     bytea not null,
  -- Seconds of played time. Null: about the whole payload.
  start_time      double precision check (start_time >= 0),
  duration        double precision check (duration >= 0),
  updated_at      bigint not null,
  updated_by      text not null,
  primary key (client_id, comment_id, comment_version),
  check ((start_time is null) = (duration is null)),
  foreign key (client_id, comment_id) references payload_comments (client_id, comment_id)
);
create index payload_comment_versions_of on payload_comment_versions (client_id, updated_by, comment_id);
alter table payload_comment_versions enable row level security;
alter table payload_comment_versions force row level security;
create policy tenant on payload_comment_versions using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on payload_comment_versions to custodia_app;

-- Review marks. Evidence: written once, closed once, withdrawn once. Note and result of an escalation are free text,
-- sealed under the key of the mark.
create table payload_marks (
  client_id     int not null,
  mark_id       text collate "C" not null,
  payload_id    bigint not null,
  mark          text collate "C" not null check (mark in ('reviewed', 'flagged', 'escalated')),
  -- A reason of the account's list, as it was worded then.
  reason        text,
  marked_at     bigint not null,
  marked_by     text collate "C" not null,
  sealed_note   bytea,
  -- For an escalation: closed once.
  decided_at    bigint,
  decided_by    text,
  sealed_result bytea,
  -- Wrapped by the key provider. Null: nothing is sealed, or the key is destroyed.
  wrapped_key   bytea,
  -- What the author had heard of the recording then, and its length, in tenths of a second. Null: not measured.
  heard         int,
  length        int,
  -- Whether that was less than the account expected.
  is_too_little boolean not null default false,
  withdrawn_at  bigint,
  primary key (client_id, mark_id),
  check (withdrawn_at is null or decided_at is null),
  check ((decided_at is null) = (decided_by is null)),
  check (decided_at is null or mark = 'escalated'),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index payload_marks_payload on payload_marks (client_id, payload_id, mark_id);
create index payload_marks_of on payload_marks (client_id, marked_by, payload_id);
create index payload_marks_decided on payload_marks (client_id, decided_by, payload_id) where decided_by is not null;
alter table payload_marks enable row level security;
alter table payload_marks force row level security;
create policy tenant on payload_marks using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (decided_at, decided_by, sealed_result, wrapped_key, withdrawn_at) on payload_marks to custodia_app;

-- The reasons that an account offers for marks, and the percent of a recording to hear before a review.
create table review_settings (
  client_id  int primary key references clients,
  reasons    text[] not null default '{}',
  min_share  int not null default 50 check (min_share between 0 and 100),
  requires_share boolean not null default false,
  updated_at bigint not null,
  updated_by text not null
);
alter table review_settings enable row level security;
alter table review_settings force row level security;
create policy tenant on review_settings using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on review_settings to custodia_app;
