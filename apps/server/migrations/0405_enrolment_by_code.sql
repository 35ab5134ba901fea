-- A device always proves a key of its own, and is filed with a person only by a code, a sign-in or an administrator's confirmation.
alter table devices drop constraint devices_waiting_reason_check;
update devices set waiting_reason = 'unconfirmed' where waiting_reason = 'without_key';
alter table devices add constraint devices_waiting_reason_check
  check (waiting_reason in ('unconfirmed', 'other_key', 'holder', 'beyond_expected'));

alter table account_defaults drop column keys_required;

-- Whether the e-mail address that a device claims decides whose it is; only for a roll-out, by its maker's choice.
alter table enrolments
  add column matches_email boolean not null default false,
  add check (device_user_id is null or not matches_email);
