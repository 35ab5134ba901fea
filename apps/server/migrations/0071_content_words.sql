-- By which words of messages, notes, comments and file names what is sealed can be found, where an account wants that (docs/search.md). Words
-- stand here as tokens under the client's own key, other ones for each field and month. Rows of a word, months before words, newest first: only
-- comparisons of a B-tree may serve under row-level security.
create table content_words (
  token        bigint not null,
  payload_time bigint not null,
  payload_id   bigint not null,
  client_id    int not null,
  group_id     int not null,
  service      smallint not null,
  -- Months since January 2000, UTC, of payload_time.
  period       smallint not null,
  type         smallint not null,
  primary key (client_id, service, period, token, payload_time, payload_id) include (group_id, type)
) with (autovacuum_vacuum_insert_scale_factor = 0.01);
create index content_words_payload on content_words (payload_id);

-- The same of the last version of each comment; where it is shown, its own rows say.
create table comment_words (
  client_id  int not null,
  token      bigint not null,
  comment_id text collate "C" not null,
  primary key (client_id, token, comment_id)
);
create index comment_words_comment on comment_words (client_id, comment_id);

-- One row for each client that wants such an index, or whose index is being erased.
create table content_indexes (
  client_id       int primary key references clients,
  is_wanted       boolean not null,
  /* wrapped by the key provider; null: none is being made or used, and what there is is erased */
  wrapped_key     bytea,
  -- How texts become words; an index by other rules is made anew.
  rules           smallint not null default 0,
  -- What is from before is looked for only when no transaction runs any more that may not know of the index.
  settled_after   xid8,
  -- How far down what is from before has been read; null: all of it.
  payloads_before bigint,
  comments_before text collate "C",
  indexed         bigint not null default 0
);
-- Months of which there are words; service 0: of comments.
create table content_periods (
  client_id int not null,
  service   smallint not null,
  period    smallint not null,
  primary key (client_id, service, period)
);
-- Every word that was ever indexed, sealed, found by its first letters: for searches by the beginning of a word.
create table content_vocabulary (
  client_id   int not null,
  bucket      bigint not null,
  tag         bigint not null,
  sealed_word bytea not null,
  primary key (client_id, bucket, tag)
);
-- What is still to be read; comment '': the payload's own texts.
create table content_work (
  client_id  int not null,
  payload_id bigint not null,
  comment_id text collate "C" not null default '',
  since      bigint not null,
  -- How often it was asked for: what was read before the last time does not end it.
  asked      int not null default 1,
  primary key (client_id, payload_id, comment_id)
);
-- What has been read, also where it has no words.
create table content_indexed (
  client_id  int not null,
  payload_id bigint not null,
  comment_id text collate "C" not null default '',
  word_count smallint not null,
  primary key (client_id, payload_id, comment_id)
);

-- Whoever has the key can try words. So they go with the keys of the evidence, in the transaction that destroys it.
create function forget_content_words() returns trigger language plpgsql as $$
begin
  delete from content_words where client_id = new.client_id and payload_id = new.payload_id;
  delete from comment_words w using payload_comments c
    where c.client_id = new.client_id and c.payload_id = new.payload_id and w.client_id = c.client_id and w.comment_id = c.comment_id;
  delete from content_indexed where client_id = new.client_id and payload_id = new.payload_id;
  delete from content_work where client_id = new.client_id and payload_id = new.payload_id;
  return null;
end $$;
-- 10 Destroyed
create trigger payload_words_forgotten after update of state on payloads
  for each row when (new.state = 10) execute function forget_content_words();

grant select, insert, delete, update (group_id) on content_words to custodia_app;
grant select, insert, delete on comment_words, content_periods, content_vocabulary to custodia_app;
grant select, insert, update, delete on content_indexes, content_work, content_indexed to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['content_words', 'comment_words', 'content_indexes', 'content_periods', 'content_vocabulary', 'content_work', 'content_indexed'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
