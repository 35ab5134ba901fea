-- Exports of many recordings: which ones, in parts. No bytes: a part is made while it is fetched, of what lies sealed anyway (ADR 27).
create table data_exports (
  client_id  int not null references clients,
  export_id  text collate "C" not null,
  -- As records name whoever made it, who alone may fetch it.
  made_by    text not null,
  reason     text,
  created_at bigint not null,
  expires_at bigint not null,
  refused    int not null,
  is_cut     boolean not null,
  primary key (client_id, export_id)
);
create table data_export_parts (
  client_id          int not null,
  export_id          text collate "C" not null,
  part               int not null,
  payload_references text[] not null,
  size               bigint not null,
  fetched_at         bigint,
  primary key (client_id, export_id, part),
  foreign key (client_id, export_id) references data_exports (client_id, export_id) on delete cascade
);
do $$
declare
  name text;
begin
  foreach name in array array['data_exports', 'data_export_parts'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
grant select, insert, delete on data_exports, data_export_parts to custodia_app;
grant update (fetched_at) on data_export_parts to custodia_app;

-- An archive that is a bag: its name, and which part of how many.
alter table data_addresses add column bag jsonb;
