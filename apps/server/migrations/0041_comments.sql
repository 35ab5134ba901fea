-- What people say about payloads. What they write is free text: each comment has a data key of its own, under which every version is sealed.
create table payload_comments (
  client_id       int not null,
  comment_id      text collate "C" not null,
  payload_id      bigint not null,
  -- Of the payload, so that lists need no join.
  group_id        int not null,
  type            smallint not null,
  raised_at       bigint not null,
  raised_by       text not null,
  -- The version that counts.
  comment_version int not null default 1 check (comment_version > 0),
  closed_at       bigint,
  closed_by       text,
  /* wrapped by the key provider; null once destroyed */
  wrapped_key     bytea,
  primary key (client_id, comment_id),
  check ((closed_at is null) = (closed_by is null)),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index payload_comments_payload on payload_comments (client_id, payload_id, raised_at desc, comment_id desc);
create index payload_comments_raised on payload_comments (client_id, raised_at desc, comment_id desc) include (group_id, type, raised_by);
create index payload_comments_group on payload_comments (client_id, group_id, raised_at desc, comment_id desc) include (type, raised_by);

-- Everything that a comment has said. Evidence: written once.
create table payload_comment_versions (
  client_id       int not null,
  comment_id      text collate "C" not null,
  comment_version int not null check (comment_version > 0),
  sealed_body     bytea not null,
  -- Seconds of played time; null: about the whole.
  start_time      double precision check (start_time >= 0),
  duration        double precision check (duration >= 0),
  updated_at      bigint not null,
  updated_by      text not null,
  primary key (client_id, comment_id, comment_version),
  check ((start_time is null) = (duration is null)),
  foreign key (client_id, comment_id) references payload_comments (client_id, comment_id)
);

grant select, insert, update (group_id, comment_version, closed_at, closed_by, wrapped_key) on payload_comments to custodia_app;
grant select, insert on payload_comment_versions to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['payload_comments', 'payload_comment_versions'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
