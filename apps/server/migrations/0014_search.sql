-- By what people look for payloads: any ending of a number, and the beginning of any word of a name. Operators of text patterns, arrays and
-- text search are not leakproof, so under row-level security no index could serve them; comparisons of a B-tree are. So what is typed is
-- looked up among the numbers and words that there are, each once, and each of those has its payloads in the order of lists.

-- Every number that payloads of a client have had, by its digits from the last to the first.
create table search_numbers (
  client_id   int not null references clients,
  reversed    text collate "C" not null,
  number_hash bigint not null,
  primary key (client_id, reversed, number_hash)
);

-- Every word of the names of their parties, without case and accents.
create table search_words (
  client_id int not null references clients,
  word      text collate "C" not null,
  primary key (client_id, word)
);

-- Written with the document. Lists read these without the table itself, as they do those of numbers from here on.
create table payload_words (
  client_id    int not null,
  word_hash    bigint not null,
  service      smallint not null,
  payload_time bigint not null,
  payload_id   bigint not null,
  group_id     int not null,
  type         smallint not null,
  primary key (client_id, word_hash, service, payload_time, payload_id) include (group_id, type)
) with (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 5000);
alter table payload_numbers drop constraint payload_numbers_pkey,
  add primary key (client_id, number_hash, service, payload_time, payload_id) include (group_id, type);
alter table payload_numbers set (autovacuum_vacuum_insert_scale_factor = 0.01, autovacuum_vacuum_insert_threshold = 5000);

-- Words of the names of those who hold phones. Their payloads are found by the person.
create table device_user_words (
  client_id      int not null,
  word           text collate "C" not null,
  device_user_id int not null,
  primary key (client_id, word, device_user_id),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id)
);

create index device_user_words_user on device_user_words (client_id, device_user_id);

-- Words and digits of one payload in one line. Null: of before, until the job payloads.index_search has read it; which words a name has
-- is decided in one place, and that is not here.
alter table payload_documents add column search_text text;
create index payload_documents_unsearched on payload_documents (client_id, payload_id) where search_text is null;

grant select, insert, update, delete on search_numbers, search_words, payload_words, device_user_words to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['search_numbers', 'search_words', 'payload_words', 'device_user_words'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
