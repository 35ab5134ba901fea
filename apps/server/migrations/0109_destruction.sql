-- Destruction of payloads. What was destroyed stands in a ledger that is written once; a tombstone without content stays of the payload. What lies
-- outside the database, keys in their slots and objects, is removed after the commit: an intent says what, until it was seen to be gone.
create table destruction_ledger (
  client_id         int not null references clients,
  payload_id        bigint not null,
  payload_reference text collate "C" not null,
  -- Those that went in one transaction.
  run_id            text collate "C" not null,
  type              smallint not null,
  payload_time      bigint not null,
  announced_at      bigint not null,
  processed_at      bigint,
  deleted_at        bigint not null,
  deleted_from      smallint not null,
  /* by the clock of the database, as all times of this table that retention sets */
  destroyed_at      bigint not null,
  destroyed_by      text not null,
  -- Of the announcement, and of each object: kind, bytes and SHA-256 as far as they were known.
  checksum          text,
  digests           jsonb not null,
  policy_version    int not null,
  -- The entry of the policy by which it went.
  rule              jsonb not null,
  -- Receipts that were there of those that the entry asks for.
  gates             jsonb not null,
  -- How many people were asked whether a hold on them keeps it, and how many holds of theirs had ended in time.
  people_checked    int not null,
  holds_ended       int not null,
  keys              int not null,
  primary key (client_id, payload_id),
  unique (client_id, payload_reference),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index destruction_ledger_runs on destruction_ledger (client_id, run_id);

create table destruction_intents (
  client_id   int not null,
  payload_id  bigint not null,
  key_names   bytea[] not null,
  object_keys text[] not null,
  since       bigint not null,
  primary key (client_id, payload_id),
  foreign key (client_id, payload_id) references destruction_ledger (client_id, payload_id)
);

-- What the intent asked for was done and looked at.
create table destruction_ends (
  client_id  int not null,
  payload_id bigint not null,
  ended_at   bigint not null,
  objects    int not null,
  primary key (client_id, payload_id),
  foreign key (client_id, payload_id) references destruction_ledger (client_id, payload_id)
);

create function keep_destructions() returns trigger language plpgsql as $$
begin
  raise exception 'destructions are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
do $$ declare name text; begin
  foreach name in array array['destruction_ledger', 'destruction_ends'] loop
    execute format('create trigger kept before update or delete on %I for each row execute function keep_destructions()', name);
    execute format('create trigger kept_whole before truncate on %I for each statement execute function keep_destructions()', name);
  end loop;
  foreach name in array array['destruction_ledger', 'destruction_intents', 'destruction_ends'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)', name);
  end loop;
end $$;
grant select, insert on destruction_ledger, destruction_ends to custodia_app;
grant select, insert, delete on destruction_intents to custodia_app;

-- Erases what the database has of destroyed payloads, and of no others; the tenant must be set. Its owner may remove evidence, the application may
-- not. Of the envelope the digests stay, by which a phone that announces it again is answered.
create function forget_payloads(ids bigint[]) returns void language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
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
  delete from payload_heard where client_id = client and payload_id = any(gone);
  delete from payload_playheads where client_id = client and payload_id = any(gone);
  delete from payload_work where client_id = client and payload_id = any(gone);
  delete from payload_receipts where client_id = client and payload_id = any(gone) and is_person;
  delete from data_addresses where client_id = client and payload_id = any(gone);
  update payload_envelopes set encrypted_dek = '', iv = '', sealed_meta = '', device_ip = null where client_id = client and payload_id = any(gone);
  update payload_objects set wrapped_dek = null, details = '{}' where client_id = client and payload_id = any(gone);
  perform forget_search_terms(client, lost_words, lost_numbers);
end $$;

-- Words and numbers that no payload has any more. Whoever adds the same one meanwhile is waited for, or finds it gone and adds it again.
create function forget_search_terms(client int, words text[], numbers text[]) returns void language plpgsql set search_path = pg_catalog, public, pg_temp as $$
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

-- What is made of a payload, or said about it, while it is destroyed does not come after it.
create function refuse_after_destruction() returns trigger language plpgsql as $$
begin
  perform from payloads p where (p.client_id, p.payload_id) in (select client_id, payload_id from added) order by p.payload_id for key share;
  if exists (select from payloads p join added using (client_id, payload_id) where p.state = 10) then
    raise exception 'a destroyed payload gets nothing in %', tg_table_name using errcode = 'check_violation', constraint = 'payload_destroyed';
  end if;
  return null;
end $$;
do $$ declare name text; begin
  foreach name in array array['payload_objects', 'payload_documents', 'payload_comments', 'payload_marks'] loop
    execute format('create trigger not_destroyed after insert on %I referencing new table as added for each statement execute function refuse_after_destruction()', name);
  end loop;
end $$;

-- No way to Destroyed without an entry of the ledger.
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

revoke execute on function forget_payloads(bigint[]), forget_search_terms(int, text[], text[]) from public;
grant execute on function forget_payloads(bigint[]) to custodia_app;
