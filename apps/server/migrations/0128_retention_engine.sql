-- How far retention has gone through the payloads of an account, service by service: whoever goes on, goes on there. A pass begins anew each
-- day, for what was held, or waited, or was not due yet when it was passed. It walks the index of the lists: state is in none, so that a payload's
-- way through its states costs no index a row.
create table retention_positions (
  client_id    int not null references clients,
  service      smallint not null,
  /* of the last payload that was looked at; null: none yet */
  payload_time bigint,
  payload_id   bigint,
  began_at     bigint not null,
  /* when the pass had looked at everything that was due by age */
  ended_at     bigint,
  primary key (client_id, service)
);

-- What an account says of the execution itself. Absent: retention is carried out.
create table retention_pauses (
  client_id int primary key references clients,
  is_paused boolean not null,
  reason    text,
  at        bigint not null,
  by        text not null
);

-- What retention did, by day (UTC) and type.
create table retention_deeds (
  client_id int not null references clients,
  day       bigint not null,
  type      smallint not null,
  deleted   int not null default 0,
  primary key (client_id, day, type)
);

grant select, insert, update on retention_positions, retention_pauses, retention_deeds to custodia_app;
do $$ declare name text; begin
  foreach name in array array['retention_positions', 'retention_pauses', 'retention_deeds'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format('create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)', name);
  end loop;
end $$;
