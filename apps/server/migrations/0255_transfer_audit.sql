-- Each delivery of a payload under its config and the UTC day of its payload_time, which is the folder that it lies in on the target. It stays
-- when the run goes: what was delivered of a day is told for as long as the payload is counted.
create table transfer_audit (
  client_id                 int not null references clients,
  transfer_config_reference text collate "C" not null,
  -- Midnight, UTC, of what the wire calls payload_time.
  payload_date              bigint not null check (payload_date % 86400 = 0),
  payload_id                bigint not null,
  transfer_id               text collate "C" not null,
  -- The first delivery; no repeat moves it.
  transferred_at            bigint not null,
  encrypted_checksum        text not null,
  decrypted_checksum        text not null,
  primary key (client_id, transfer_config_reference, payload_date, payload_id),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id)
);
create unique index transfer_audit_once on transfer_audit (client_id, transfer_config_reference, payload_id);
insert into transfer_audit
select i.client_id, i.transfer_config_reference, t.payload_time - t.payload_time % 86400, i.payload_id, i.transfer_id, i.transferred_at,
  i.encrypted_checksum, i.decrypted_checksum
from transfer_items i
join payloads p using (client_id, payload_id)
cross join lateral (select coalesce(p.claimed_time, p.payload_time) as payload_time) t
where i.transferred_at is not null;

-- Recordings of a day are looked for by the time that was said, which is in no other index where it lies ahead.
create index payloads_claimed on payloads (client_id, claimed_time) where claimed_time is not null;

-- Whatever was delivered stays on record.
grant select, insert on transfer_audit to custodia_app;
alter table transfer_audit enable row level security;
alter table transfer_audit force row level security;
create policy tenant on transfer_audit using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
