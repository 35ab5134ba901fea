-- How far retention has gone through records that stand beside payloads, kind by kind: whoever goes on, goes on there. A pass begins anew each day.
create table retention_record_positions (
  client_id int not null references clients,
  kind      text collate "C" not null,
  /* of the last record that was looked at; null: none yet */
  at        bigint,
  key       text collate "C",
  began_at  bigint not null,
  ended_at  bigint,
  primary key (client_id, kind)
);
grant select, insert, update on retention_record_positions to custodia_app;
alter table retention_record_positions enable row level security;
alter table retention_record_positions force row level security;
create policy tenant on retention_record_positions using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);

-- What a phone logged goes when its account's policy says so, and by nothing else.
grant delete on device_logs to custodia_app;
