-- Where somebody stopped in a recording: theirs alone, and no evidence. Goes when they have heard it to its end, after a while, and with the payload.
create table payload_playheads (
  client_id  int not null,
  payload_id bigint not null,
  person     text collate "C" not null,
  /* seconds of played time */
  playhead   int not null check (playhead > 0),
  kept_at    bigint not null,
  primary key (client_id, payload_id, person),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
) with (fillfactor = 80);
alter table payload_playheads enable row level security;
alter table payload_playheads force row level security;
create policy tenant on payload_playheads using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, delete, update (playhead, kept_at) on payload_playheads to custodia_app;
