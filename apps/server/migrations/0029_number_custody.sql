-- Which phone had which number when. Only a text that came from the number proves it; what a phone says of itself is a report.
create table device_numbers (
  claim_id       bigint generated always as identity primary key,
  client_id      int not null,
  device_id      int not null,
  phone_number   text collate "C" not null,
  -- Its digits from the last to the first, by which endings are found.
  reversed       text collate "C" not null generated always as (reverse(regexp_replace(phone_number, '[^0-9]', '', 'g'))) stored,
  slot_index     smallint not null,
  from_at        bigint not null,
  -- Null: until now.
  to_at          bigint,
  -- When the phone said so last; null: never itself.
  last_reported  bigint,
  first_verified bigint,
  last_verified  bigint,
  -- Another phone had the number meanwhile: this one said so, or has not said otherwise since.
  is_contested   boolean not null default false,
  foreign key (client_id, device_id) references devices (client_id, device_id),
  check (to_at >= from_at),
  check ((first_verified is null) = (last_verified is null))
) with (fillfactor = 80);
create index device_numbers_of_device on device_numbers (client_id, device_id, from_at);
create index device_numbers_reversed on device_numbers (client_id, reversed, device_id);
-- A number is with one phone at a time, and each phone says it once.
create unique index device_numbers_custodian on device_numbers (client_id, phone_number) where to_at is null and not is_contested;
create unique index device_numbers_open on device_numbers (client_id, device_id, phone_number) where to_at is null;

create index devices_legacy_number on devices
  (client_id, (reverse(regexp_replace(legacy_phone_number, '[^0-9]', '', 'g')) collate "C")) where legacy_phone_number is not null;

alter table device_numbers enable row level security;
alter table device_numbers force row level security;
create policy tenant on device_numbers using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update on device_numbers to custodia_app;
grant usage on all sequences in schema public to custodia_app;

-- Until now every number that a phone merely reported stood as verified. What stood so becomes a report of those times; verified is only
-- what a code is on record for. Of each slot the latest is what the phone still says. Where phones said the same number at the same time,
-- nobody can tell any more whose it was: the last one to say it has it, and the others are marked.
do $$
declare
  tenant int;
begin
  for tenant in select client_id from clients loop
    perform set_config('custodia.client_id', tenant::text, true);
    with said as (
      select d.device_id, n->>'phone_number' as phone_number, (n->>'slot_index')::smallint as slot_index,
        least((n->>'first_verified')::bigint, (n->>'last_verified')::bigint) as from_at, (n->>'last_verified')::bigint as last_at
      from devices d, jsonb_array_elements(d.phone_numbers) n where d.client_id = tenant
    ), claims as (
      select *, row_number() over (partition by device_id, slot_index order by last_at desc, phone_number) = 1 as is_current from said
    ), ranked as (
      select *, row_number() over (partition by phone_number order by is_current desc, last_at desc, device_id) = 1 as is_latest from claims
    ), proved as (
      select device_id, phone_number, min(verified_at) as first_verified, max(verified_at) as last_verified
      from phone_verifications where client_id = tenant and verified_at is not null group by device_id, phone_number
    )
    insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, to_at, last_reported, first_verified, last_verified,
      is_contested)
    select tenant, r.device_id, r.phone_number, r.slot_index, r.from_at, case when not r.is_current then r.last_at end,
      case when p.last_verified is null or r.from_at < p.first_verified then r.last_at end, p.first_verified, p.last_verified,
      not r.is_latest and exists (select from ranked o
        where o.phone_number = r.phone_number and o.device_id <> r.device_id
          and o.from_at <= case when r.is_current then 9223372036854775807 else r.last_at end
          and r.from_at <= case when o.is_current then 9223372036854775807 else o.last_at end)
    from ranked r left join proved p using (device_id, phone_number);
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;

alter table devices drop column phone_numbers;
