-- A phone is known by a key of its own, pinned when it came with it first. What it only says waits for somebody's confirmation.
alter table devices
  -- SPKI in base64, in its one spelling.
  add column device_key text collate "C",
  add column key_pinned_at bigint,
  add column waiting_since bigint,
  add column waiting_reason text check (waiting_reason in ('other_key', 'without_key', 'holder', 'beyond_expected')),
  -- Whom it says it belongs to; null: nobody, or nobody known.
  add column requested_user_id int,
  -- Whose it was before it asked for another holder, and where it goes back to when that is refused; null: it is new.
  add column group_before int,
  add column user_before int,
  -- The device whose hardware it says it is, under another key or none.
  add column same_hardware_as int,
  add check ((waiting_since is null) = (waiting_reason is null)),
  add foreign key (client_id, requested_user_id) references device_users (client_id, device_user_id),
  add foreign key (client_id, same_hardware_as) references devices (client_id, device_id);
create unique index devices_key on devices (client_id, device_key) where device_key is not null;
create index devices_waiting on devices (client_id, waiting_since) where waiting_since is not null;
create index devices_same_hardware on devices (client_id, same_hardware_as) where same_hardware_as is not null;
