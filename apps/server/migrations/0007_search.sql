-- Search by number, name and word.

-- Search by number and name. Operators of text patterns, arrays and text search are not leakproof, so under row-level
-- security only comparisons of a B-tree use an index. A search therefore finds the distinct numbers and words first,
-- and then their payloads in list order. This table has every number of a client, by its digits in reverse order, and
-- in order for searches by beginning.
create table search_numbers (
  client_id   int not null references clients,
  reversed    text collate "C" not null,
  number_hash bigint not null,
  digits      text collate "C" not null generated always as (reverse(reversed)) stored,
  primary key (client_id, reversed, number_hash)
);
create index search_numbers_digits on search_numbers (client_id, digits, number_hash);
alter table search_numbers enable row level security;
alter table search_numbers force row level security;
create policy tenant on search_numbers using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on search_numbers to custodia_app;

create table payload_numbers (
  number_hash  bigint not null,
  payload_time bigint not null,
  payload_id   bigint not null,
  client_id    int not null,
  group_id     int not null,
  service      smallint not null,
  type         smallint not null,
  is_second    boolean not null,
  primary key (client_id, number_hash, service, payload_time, payload_id) include (group_id, type)
) with (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 5000);
create index payload_numbers_payload on payload_numbers (payload_id);
-- For a reader of some groups, a search first asks whether a number or word exists in those groups. A hidden one then
-- costs as much as a missing one.
create index payload_numbers_group on payload_numbers (client_id, number_hash, group_id);
alter table payload_numbers enable row level security;
alter table payload_numbers force row level security;
create policy tenant on payload_numbers using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_numbers to custodia_app;

-- Every word in the names of parties, without case and accents.
create table search_words (
  client_id int not null references clients,
  word      text collate "C" not null,
  primary key (client_id, word)
);
alter table search_words enable row level security;
alter table search_words force row level security;
create policy tenant on search_words using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on search_words to custodia_app;

-- Lists read this table without the payload's row, as they read the numbers.
create table payload_words (
  word_hash    bigint not null,
  payload_time bigint not null,
  payload_id   bigint not null,
  client_id    int not null,
  group_id     int not null,
  service      smallint not null,
  type         smallint not null,
  primary key (client_id, word_hash, service, payload_time, payload_id) include (group_id, type)
) with (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 5000);
create index payload_words_group on payload_words (client_id, word_hash, group_id);
alter table payload_words enable row level security;
alter table payload_words force row level security;
create policy tenant on payload_words using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on payload_words to custodia_app;

-- One row per client that wants a full-text index, or whose index is being erased.
create table content_indexes (
  client_id       int primary key references clients,
  is_wanted       boolean not null,
  -- Wrapped by the key provider. Null: the index is off, and erased.
  wrapped_key     bytea,
  -- Version of the word rules. A new version rebuilds the index.
  rules           smallint not null default 0,
  -- Existing texts are indexed after all transactions have ended that may not know of the index.
  settled_after   xid8,
  -- How far existing texts are indexed, from the newest down. Null: all of them.
  payloads_before bigint,
  comments_before text collate "C",
  indexed         bigint not null default 0
);
alter table content_indexes enable row level security;
alter table content_indexes force row level security;
create policy tenant on content_indexes using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on content_indexes to custodia_app;

-- Full-text index of sealed messages, notes, comments and file names, where an account wants one (docs/search.md).
-- Words are tokens under the client's key, different for each field and month. The key is in the order month, word,
-- time, because only B-tree comparisons work under row-level security.
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
-- For a reader of some groups, a search reads the entries of a word in the groups that have it. The group comes first, so
-- that pages of hidden groups are not touched.
create index content_words_group on content_words (client_id, group_id, token, payload_time, payload_id) include (service, type);
alter table content_words enable row level security;
alter table content_words force row level security;
create policy tenant on content_words using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (group_id), delete on content_words to custodia_app;

-- Words of the last version of each comment. The comment's own row says who may see it.
create table comment_words (
  client_id  int not null,
  token      bigint not null,
  -- Of the payload that the comment is about.
  group_id   int not null,
  comment_id text collate "C" not null,
  -- The group comes first, as in content_words_group.
  primary key (client_id, group_id, token, comment_id)
);
create index comment_words_token on comment_words (client_id, token);
create index comment_words_comment on comment_words (client_id, comment_id);
alter table comment_words enable row level security;
alter table comment_words force row level security;
create policy tenant on comment_words using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, delete, update (group_id) on comment_words to custodia_app;

-- Months that have words. Service 0: comments.
create table content_periods (
  client_id int not null,
  service   smallint not null,
  period    smallint not null,
  primary key (client_id, service, period)
);
alter table content_periods enable row level security;
alter table content_periods force row level security;
create policy tenant on content_periods using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, delete on content_periods to custodia_app;

-- Every indexed word, sealed, by its first letters: for searches by prefix.
create table content_vocabulary (
  client_id   int not null,
  bucket      bigint not null,
  tag         bigint not null,
  sealed_word bytea not null,
  primary key (client_id, bucket, tag)
);
alter table content_vocabulary enable row level security;
alter table content_vocabulary force row level security;
create policy tenant on content_vocabulary using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, delete on content_vocabulary to custodia_app;

-- The words of each group: for a reader of some groups a search begins here. A word of hidden groups only costs as much as a
-- missing one.
create table content_vocabulary_groups (
  client_id int not null,
  bucket    bigint not null,
  group_id  int not null,
  tag       bigint not null,
  primary key (client_id, bucket, group_id, tag),
  foreign key (client_id, group_id) references groups (client_id, group_id) on delete cascade
);
alter table content_vocabulary_groups enable row level security;
alter table content_vocabulary_groups force row level security;
create policy tenant on content_vocabulary_groups using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, delete on content_vocabulary_groups to custodia_app;

-- Texts to index. An empty comment_id means the texts of the payload.
create table content_work (
  client_id  int not null,
  payload_id bigint not null,
  comment_id text collate "C" not null default '',
  since      bigint not null,
  -- Counts requests: an index run that began before the last request does not end it.
  asked      int not null default 1,
  primary key (client_id, payload_id, comment_id)
);
alter table content_work enable row level security;
alter table content_work force row level security;
create policy tenant on content_work using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on content_work to custodia_app;

-- Indexed texts, also those without words.
create table content_indexed (
  client_id  int not null,
  payload_id bigint not null,
  comment_id text collate "C" not null default '',
  word_count smallint not null,
  primary key (client_id, payload_id, comment_id)
);
alter table content_indexed enable row level security;
alter table content_indexed force row level security;
create policy tenant on content_indexed using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update, delete on content_indexed to custodia_app;

-- The key of the index allows guessing words. Tokens are removed in the transaction that destroys the payload's keys.
create function erase_content_words() returns trigger language plpgsql as $$
begin
  delete from content_words where client_id = new.client_id and payload_id = new.payload_id;
  delete from comment_words w using payload_comments c
    where c.client_id = new.client_id and c.payload_id = new.payload_id and w.client_id = c.client_id and w.comment_id = c.comment_id;
  delete from content_indexed where client_id = new.client_id and payload_id = new.payload_id;
  delete from content_work where client_id = new.client_id and payload_id = new.payload_id;
  return null;
end $$;
-- 10 Destroyed
create trigger payload_words_erased after update of state on payloads
  for each row when (new.state = 10) execute function erase_content_words();
