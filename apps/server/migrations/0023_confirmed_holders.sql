-- A phone that waited has been confirmed or refused: what it recorded meanwhile is filed anew, batch by batch. Kept as the record of it.
create table device_refilings (
  refiling_id  int generated always as identity primary key,
  client_id    int not null,
  device_id    int not null,
  requested_at bigint not null,
  requested_by text not null,
  -- Payloads that were moved so far.
  moved        bigint not null default 0,
  -- When the last batch found nothing more.
  done_at      bigint,
  foreign key (client_id, device_id) references devices (client_id, device_id)
);
create index on device_refilings (client_id, done_at);
create index on device_refilings (client_id, device_id);

-- Where a payload lay before, and where it lies since. Evidence: written once.
create table payload_refilings (
  entry_id   bigint generated always as identity primary key,
  client_id  int not null,
  payload_id bigint not null,
  at         bigint not null,
  from_group int not null,
  to_group   int not null,
  from_user  int,
  to_user    int,
  by         text not null,
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create index on payload_refilings (client_id, payload_id);

grant select, insert, update on device_refilings to custodia_app;
grant select, insert on payload_refilings to custodia_app;
grant usage on all sequences in schema public to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['device_refilings', 'payload_refilings'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
