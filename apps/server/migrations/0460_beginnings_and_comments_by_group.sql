-- For a reader of some groups, a search by the beginning of a word looks into the vocabulary of those groups, and a search of comments into their
-- words alone. What stands in hidden groups costs nothing then. (Indexes of words are made anew, with the vocabulary of each group: WORD_RULES.)
create table content_vocabulary_groups (
  client_id int not null,
  bucket    bigint not null,
  group_id  int not null,
  tag       bigint not null,
  primary key (client_id, bucket, group_id, tag),
  foreign key (client_id, group_id) references groups (client_id, group_id) on delete cascade
);
grant select, insert, delete on content_vocabulary_groups to custodia_app;
alter table content_vocabulary_groups enable row level security;
alter table content_vocabulary_groups force row level security;
create policy tenant on content_vocabulary_groups
  using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);

-- Of the payload that is commented on.
alter table comment_words add column group_id int;
update comment_words w set group_id = c.group_id from payload_comments c where c.client_id = w.client_id and c.comment_id = w.comment_id;
delete from comment_words where group_id is null;
alter table comment_words alter column group_id set not null, drop constraint comment_words_pkey,
  add primary key (client_id, token, group_id, comment_id);
grant update (group_id) on comment_words to custodia_app;
