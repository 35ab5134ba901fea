-- Destruction: ledger, certificates, reviewed lists, and the functions that erase.

-- The ledger of destroyed payloads, written once. A tombstone without content stays of each payload. Keys and objects
-- lie outside the database and are removed after the commit: an intent names them until their removal is seen.
create table destruction_ledger (
  client_id         int not null references clients,
  payload_id        bigint not null,
  payload_reference text collate "C" not null,
  -- Payloads of one run.
  run_id            text collate "C" not null,
  type              smallint not null,
  payload_time      bigint not null,
  announced_at      bigint not null,
  processed_at      bigint,
  deleted_at        bigint not null,
  deleted_from      smallint not null,
  -- By the clock of the database, as all times here that retention sets.
  destroyed_at      bigint not null,
  destroyed_by      text not null,
  -- Checksum of the announcement, and for each object kind, bytes and SHA-256 as far as they are known.
  checksum          text,
  digests           jsonb not null,
  policy_version    int not null,
  -- The entry of the policy.
  rule              jsonb not null,
  -- The receipts that the entry requires.
  gates             jsonb not null,
  -- How many people were checked for holds, and how many of their holds had ended.
  people_checked    int not null,
  holds_ended       int not null,
  keys              int not null,
  -- By the clock of the database. Null: destroyed in this database, and not taken over from ledger files after a
  -- restore.
  replayed_at       bigint,
  xid               xid8 not null default pg_current_xact_id(),
  primary key (client_id, payload_id),
  unique (client_id, payload_reference),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index on destruction_ledger (client_id, xid);
create index destruction_ledger_runs on destruction_ledger (client_id, run_id);
alter table destruction_ledger enable row level security;
alter table destruction_ledger force row level security;
create policy tenant on destruction_ledger using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on destruction_ledger to custodia_app;

-- The removal that the intent names was done and checked.
create table destruction_ends (
  client_id  int not null,
  payload_id bigint not null,
  ended_at   bigint not null,
  objects    int not null,
  file       text collate "C",
  xid        xid8 not null default pg_current_xact_id(),
  primary key (client_id, payload_id),
  foreign key (client_id, payload_id) references destruction_ledger (client_id, payload_id)
);
create index on destruction_ends (client_id, xid);
alter table destruction_ends enable row level security;
alter table destruction_ends force row level security;
create policy tenant on destruction_ends using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on destruction_ends to custodia_app;

create table destruction_intents (
  client_id   int not null,
  payload_id  bigint not null,
  key_names   bytea[] not null,
  object_keys text[] not null,
  since       bigint not null,
  -- The ledger file. The deferred trigger below requires it at commit.
  file        text collate "C",
  primary key (client_id, payload_id),
  foreign key (client_id, payload_id) references destruction_ledger (client_id, payload_id)
);
alter table destruction_intents enable row level security;
alter table destruction_intents force row level security;
create policy tenant on destruction_intents using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy staff on destruction_intents for select to custodia_staff using (true);
grant select, insert, update (file), delete on destruction_intents to custodia_app;
grant select (client_id, since) on destruction_intents to custodia_staff;

create function destruction_is_noted() returns trigger language plpgsql as $$
begin
  if exists (select from destruction_intents where client_id = new.client_id and payload_id = new.payload_id and file is null) then
    raise exception 'a destruction is not in the ledger in the keystore';
  end if;
  return null;
end $$;
create constraint trigger destruction_is_noted after insert or update on destruction_intents
  deferrable initially deferred for each row execute function destruction_is_noted();

-- Objects, comments, marks and plays that are made during a destruction do not come after it.
create function refuse_after_destruction() returns trigger language plpgsql as $$
begin
  perform from payloads p where (p.client_id, p.payload_id) in (select client_id, payload_id from added) order by p.payload_id for key share;
  if exists (select from payloads p join added using (client_id, payload_id) where p.state = 10) then
    raise exception 'a destroyed payload gets nothing in %', tg_table_name using errcode = 'check_violation', constraint = 'payload_destroyed';
  end if;
  return null;
end $$;
create trigger not_destroyed after insert on payload_objects referencing new table as added for each statement execute function refuse_after_destruction();
create trigger not_destroyed after insert on payload_documents referencing new table as added for each statement execute function refuse_after_destruction();
create trigger not_destroyed after insert on payload_comments referencing new table as added for each statement execute function refuse_after_destruction();
create trigger not_destroyed after insert on payload_marks referencing new table as added for each statement execute function refuse_after_destruction();
create trigger not_destroyed after insert on payload_plays referencing new table as added for each statement execute function refuse_after_destruction();

-- A payload becomes Destroyed only with an entry in the ledger.
create function check_destroyed_in_ledger() returns trigger language plpgsql as $$
begin
  if not exists (select from destruction_ledger l where l.client_id = new.client_id and l.payload_id = new.payload_id) then
    raise exception 'payload % may not be destroyed without the ledger', new.payload_reference
      using errcode = 'check_violation', constraint = 'payload_ledger';
  end if;
  return null;
end $$;
create constraint trigger payload_ledger after update of state on payloads deferrable initially deferred
  for each row when (new.state = 10) execute function check_destroyed_in_ledger();

-- The ledger is also written to files in the key folder, before the keys are wiped. A restored database learns from
-- them what was destroyed since its backup. This table has how much of each file this database knows.
create table destruction_files (
  file  text collate "C" primary key,
  bytes bigint not null,
  -- Hash of the chain up to there.
  hash  text collate "C" not null
);
grant select, insert, update on destruction_files to custodia_app;

-- What retention destroyed in one pass over an account, or in one day of it. One run is open at a time.
create table destruction_runs (
  client_id int not null references clients,
  run_id    text collate "C" not null,
  -- By the clock of the database.
  began_at  bigint not null,
  -- When the run ended.
  ended_at  bigint,
  -- Payloads of the run, once it ended.
  payloads  int,
  primary key (client_id, run_id)
);
create unique index destruction_runs_open on destruction_runs (client_id) where ended_at is null;
alter table destruction_runs enable row level security;
alter table destruction_runs force row level security;
create policy tenant on destruction_runs using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (ended_at, payloads) on destruction_runs to custodia_app;

create function keep_ended_runs() returns trigger language plpgsql as $$
begin
  if tg_op <> 'UPDATE' or old.ended_at is not null or (new.client_id, new.run_id, new.began_at) <> (old.client_id, old.run_id, old.began_at) then
    raise exception 'destructions are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger kept before delete or update on destruction_runs for each row execute function keep_ended_runs();

-- Signed certificates of destruction, in parts of a run, made when the removal is complete.
create table destruction_certificates (
  client_id             int not null references clients,
  certificate_reference text collate "C" not null,
  run_id                text collate "C" not null,
  part                  int not null,
  parts                 int not null,
  payloads              int not null,
  began_at              bigint not null,
  ended_at              bigint not null,
  issued_at             bigint not null,
  key_id                text not null,
  checksum              text not null,
  -- The canonical JSON that is signed.
  body                  text not null,
  signature             bytea not null,
  -- By the clock of the database. Null: made by this database, and not taken over after a restore.
  replayed_at           bigint,
  xid                   xid8 not null default pg_current_xact_id(),
  primary key (client_id, certificate_reference),
  unique (client_id, run_id, part),
  foreign key (client_id, run_id) references destruction_runs (client_id, run_id)
);
create index on destruction_certificates (client_id, xid);
alter table destruction_certificates enable row level security;
alter table destruction_certificates force row level security;
create policy tenant on destruction_certificates using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on destruction_certificates to custodia_app;

-- The file in the key folder that holds each certificate. A restored database learns from it what was certified since
-- its backup.
create table destruction_certificate_files (
  client_id             int not null references clients,
  certificate_reference text collate "C" not null,
  file                  text collate "C" not null,
  primary key (client_id, certificate_reference),
  foreign key (client_id, certificate_reference) references destruction_certificates (client_id, certificate_reference)
);
alter table destruction_certificate_files enable row level security;
alter table destruction_certificate_files force row level security;
create policy tenant on destruction_certificate_files using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on destruction_certificate_files to custodia_app;

-- Runs of a database that this one replaces after a restore: how many lines of the ledger have a certificate. Further
-- lines are certified anew.
create table destruction_runs_certified (
  client_id int not null references clients,
  run_id    text collate "C" not null,
  lines     int not null,
  primary key (client_id, run_id),
  foreign key (client_id, run_id) references destruction_runs (client_id, run_id)
);
alter table destruction_runs_certified enable row level security;
alter table destruction_runs_certified force row level security;
create policy tenant on destruction_runs_certified using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (lines) on destruction_runs_certified to custodia_app;

create function keep_destructions() returns trigger language plpgsql as $$
begin
  raise exception 'destructions are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before delete or update on destruction_ledger for each row execute function keep_destructions();
create trigger kept_whole before truncate on destruction_ledger for each statement execute function keep_destructions();
create trigger kept before delete or update on destruction_ends for each row execute function keep_destructions();
create trigger kept_whole before truncate on destruction_ends for each statement execute function keep_destructions();
create trigger kept before update or delete on destruction_certificates for each row execute function keep_destructions();
create trigger kept_whole before truncate on destruction_certificates for each statement execute function keep_destructions();
create trigger kept before update or delete on destruction_certificate_files for each row execute function keep_destructions();
create trigger kept_whole before truncate on destruction_certificate_files for each statement execute function keep_destructions();

-- Whether destructions wait for the release of their list: the newest row counts, no row means no. Turning it on takes
-- one person, turning it off two.
create table destruction_review_versions (
  client_id    int not null references clients,
  version      int not null,
  is_required  boolean not null,
  at           bigint not null,
  by           text not null,
  confirmed_by text check (confirmed_by <> by),
  xid          xid8 not null default pg_current_xact_id(),
  primary key (client_id, version),
  check (is_required or confirmed_by is not null)
);
create index on destruction_review_versions (client_id, xid);
alter table destruction_review_versions enable row level security;
alter table destruction_review_versions force row level security;
create policy tenant on destruction_review_versions using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on destruction_review_versions to custodia_app;

-- Lists of payloads that are due for destruction.
create table destruction_lists (
  client_id             int not null references clients,
  destruction_reference text collate "C" not null,
  state                 text collate "C" not null default 'gathering' check (state in ('gathering', 'waiting', 'released', 'lapsed')),
  began_at              bigint not null,
  gathered_at           bigint,
  released_at           bigint,
  released_by           text,
  -- Counts removals and returns, so that a release covers what the person saw.
  changes               int not null default 0,
  primary key (client_id, destruction_reference),
  check ((state = 'released') = (released_by is not null)),
  check ((released_by is null) = (released_at is null)),
  check (state = 'gathering' or gathered_at is not null)
);
create unique index destruction_lists_gathering on destruction_lists (client_id) where state = 'gathering';
alter table destruction_lists enable row level security;
alter table destruction_lists force row level security;
create policy tenant on destruction_lists using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (state, gathered_at, released_at, released_by, changes) on destruction_lists to
  custodia_app;

create table destruction_list_items (
  client_id             int not null,
  destruction_reference text collate "C" not null,
  payload_id            bigint not null,
  -- The policy when the payload came into the list.
  policy_version        int not null,
  state                 text collate "C" not null default 'listed' check (state in ('listed', 'taken_out', 'put_back', 'destroyed', 'kept')),
  at                    bigint,
  by                    text,
  reason_id             text collate "C",
  primary key (client_id, destruction_reference, payload_id),
  check ((at is null) = (by is null)),
  check (state = 'listed' or by is not null),
  check (state not in ('taken_out', 'put_back') or reason_id is not null),
  foreign key (client_id, destruction_reference) references destruction_lists (client_id, destruction_reference),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id),
  foreign key (client_id, reason_id) references legal_hold_reasons (client_id, reason_id)
);
-- A payload waits in one list at a time.
create unique index destruction_list_items_open on destruction_list_items (client_id, payload_id) where state in ('listed', 'taken_out');
alter table destruction_list_items enable row level security;
alter table destruction_list_items force row level security;
create policy tenant on destruction_list_items using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (state, at, by, reason_id) on destruction_list_items to custodia_app;

-- Lists and their items are history: they end once, and releases never change.
create function keep_destruction_lists() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'destruction_lists' then
    if old.state in ('gathering', 'waiting') or (old.state = new.state and old.released_by is not distinct from new.released_by
      and old.released_at is not distinct from new.released_at and old.began_at = new.began_at) then
      return new;
    end if;
  elsif tg_op = 'UPDATE' and tg_table_name = 'destruction_list_items' then
    if old.state in ('listed', 'taken_out') and old.policy_version = new.policy_version then
      return new;
    end if;
  end if;
  raise exception 'lists of destructions are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before delete or update on destruction_lists for each row execute function keep_destruction_lists();
create trigger kept_whole before truncate on destruction_lists for each statement execute function keep_destruction_lists();
create trigger kept before delete or update on destruction_list_items for each row execute function keep_destruction_lists();
create trigger kept_whole before truncate on destruction_list_items for each statement execute function keep_destruction_lists();
create trigger kept before delete or update on destruction_review_versions for each row execute function keep_destruction_lists();
create trigger kept_whole before truncate on destruction_review_versions for each statement execute function keep_destruction_lists();

-- A payload comes into the ledger only if it was not taken out of its list and, where the account requires it, the list
-- was released. Destructions of a replaced database are exempt, because they have happened.
create function require_release() returns trigger language plpgsql as $$
begin
  if new.replayed_at is not null then
    return new;
  end if;
  if exists (select from sealed_contradictions c where c.client_id = new.client_id and c.resolved_at is null) then
    raise exception 'the sealed log contradicts a checkpoint: nothing is destroyed' using errcode = 'check_violation';
  end if;
  if exists (select from destruction_list_items i where i.client_id = new.client_id and i.payload_id = new.payload_id and i.state = 'taken_out') then
    raise exception 'payload % was taken out of a list of destructions', new.payload_id using errcode = 'check_violation';
  end if;
  if (select v.is_required from destruction_review_versions v where v.client_id = new.client_id order by v.version desc limit 1)
    and not exists (select from destruction_list_items i join destruction_lists l using (client_id, destruction_reference)
      where i.client_id = new.client_id and i.payload_id = new.payload_id and i.state = 'listed' and l.state = 'released') then
    raise exception 'payload % waits for the release of its destruction', new.payload_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger reviewed before insert on destruction_ledger for each row execute function require_release();

-- Erases all content and names of destroyed payloads, and of no others. The tenant must be set. The owner may remove
-- evidence, the application may not. Digests of the envelope stay, to answer a device that announces the payload again.
create function erase_payloads(ids bigint[]) returns void language plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp' as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  gone bigint[] := array(
    -- 10 Destroyed
    select payload_id from payloads p where p.client_id = client and p.payload_id = any(ids) and p.state = 10
      and exists (select from destruction_ledger l where l.client_id = client and l.payload_id = p.payload_id));
  lost_words text[];
  lost_numbers text[];
begin
  select array_agg(distinct word collate "C") into lost_words from payload_documents d
    cross join lateral unnest(string_to_array(nullif(ltrim(split_part(d.search_text, '#', 1)), ''), ' ')) word
    where d.client_id = client and d.payload_id = any(gone);
  select array_agg(distinct reverse(rtrim(digits, '$')) collate "C") into lost_numbers from payload_documents d
    cross join lateral unnest((string_to_array(d.search_text, '#'))[2:]) digits
    where d.client_id = client and d.payload_id = any(gone);
  delete from payload_threads t using payloads p join payload_documents d using (client_id, payload_id)
    where p.client_id = client and p.payload_id = any(gone) and t.client_id = p.client_id and t.device_id = p.device_id
      and t.thread_id = d.thread_id and t.service = p.service and t.payload_time = p.payload_time and t.payload_id = p.payload_id;
  delete from payload_documents where client_id = client and payload_id = any(gone);
  delete from payload_numbers where client_id = client and payload_id = any(gone);
  delete from payload_words w using payloads p where p.client_id = client and p.payload_id = any(gone)
    and w.client_id = client and w.payload_time = p.payload_time and w.payload_id = p.payload_id;
  delete from content_words where client_id = client and payload_id = any(gone);
  delete from content_work where client_id = client and payload_id = any(gone);
  delete from content_indexed where client_id = client and payload_id = any(gone);
  delete from comment_words w using payload_comments c
    where c.client_id = client and c.payload_id = any(gone) and w.client_id = client and w.comment_id = c.comment_id;
  delete from payload_comment_versions v using payload_comments c
    where c.client_id = client and c.payload_id = any(gone) and v.client_id = client and v.comment_id = c.comment_id;
  delete from payload_comments where client_id = client and payload_id = any(gone);
  delete from payload_marked where client_id = client and payload_id = any(gone);
  delete from payload_marks where client_id = client and payload_id = any(gone);
  delete from payload_opened where client_id = client and payload_id = any(gone);
  delete from payload_plays where client_id = client and payload_id = any(gone);
  delete from payload_playheads where client_id = client and payload_id = any(gone);
  delete from payload_work where client_id = client and payload_id = any(gone);
  delete from payload_receipts where client_id = client and payload_id = any(gone) and is_person;
  delete from data_addresses where client_id = client and payload_id = any(gone);
  update payload_envelopes set encrypted_dek = '', dek_key = null, iv = '', sealed_meta = '', device_ip = null where client_id = client and payload_id = any(gone);
  update payload_objects set wrapped_dek = null, details = '{}' where client_id = client and payload_id = any(gone);
  perform erase_search_terms(client, lost_words, lost_numbers);
end $$
;
revoke all on function erase_payloads from public;
grant execute on function erase_payloads to custodia_app;

-- Words and numbers without payloads. A concurrent writer of the same word waits, or adds it again.
create function erase_search_terms(client int, words text[], numbers text[]) returns void language plpgsql set search_path = pg_catalog, public, pg_temp as $$
begin
  words := array(select word from unnest(words) word where not exists (
    select from payload_words w where w.client_id = client and w.word_hash = hashtextextended(word, 0)));
  numbers := array(select s.reversed from unnest(numbers) number join search_numbers s on s.client_id = client and s.reversed = number
    where not exists (select from payload_numbers n where n.client_id = client and n.number_hash = s.number_hash));
  if cardinality(numbers) > 0 then lock table search_numbers in share row exclusive mode; end if;
  if cardinality(words) > 0 then lock table search_words in share row exclusive mode; end if;
  delete from search_numbers s where s.client_id = client and s.reversed = any(numbers) and not exists (
    select from payload_numbers n where n.client_id = client and n.number_hash = s.number_hash);
  delete from search_words s where s.client_id = client and s.word = any(words) and not exists (
    select from payload_words w where w.client_id = client and w.word_hash = hashtextextended(s.word, 0));
end $$;

create function destroy_records(kind text, keys text[], times bigint[]) returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  clock bigint := floor(extract(epoch from clock_timestamp()))::bigint;
  follows text := case kind when 'device_commands' then 'Device' when 'device_activities' then 'Device'
    when 'portal_activities' then 'PortalUser' when 'terms_acceptances' then 'PortalUser' when 'support_access' then 'SupportAccessRequest' end;
  -- No policy allows records later than this. Null: none allows any, and every comparison is unknown.
  latest bigint := clock - 86400 * (
    select min(coalesce((e ->> 'delete_after_days')::bigint, 0) + (e ->> 'destroy_after_days')::bigint)
    from retention_policies v cross join lateral jsonb_array_elements(v.entries) e
    where v.client_id = client and v.at <= clock and e ->> 'entity_type' = follows);
  gone int;
begin
  if kind = 'device_commands' then
    delete from device_commands where client_id = client and command_reference = any(keys) and greatest(sent_at, completed_at) <= latest
      and completed_at is not null;
  elsif kind = 'device_activities' then
    delete from device_activities where client_id = client and log_id = any(keys) and activity_time = any(times)
      and greatest(activity_time, activity_end_time) <= latest;
  elsif kind = 'portal_activities' then
    delete from portal_activities where client_id = client and log_id = any(keys) and activity_time = any(times)
      and greatest(activity_time, activity_end_time) <= latest and user_reference <> 'retention (system)';
  elsif kind = 'terms_acceptances' then
    delete from terms_acceptances where client_id = client and acceptance_id = any(keys::bigint[]) and accepted_at <= latest;
  elsif kind = 'support_access' then
    delete from support_access where client_id = client and request_reference = any(keys) and greatest(requested_at, updated_at) <= latest
      and (approval_state not in ('pending', 'approved') or least(requested_expiry, approval_expiry) <= latest);
  else
    raise exception 'no records of kind %', kind;
  end if;
  get diagnostics gone = row_count;
  return gone;
end $$;
revoke all on function destroy_records from public;
grant execute on function destroy_records to custodia_app;
