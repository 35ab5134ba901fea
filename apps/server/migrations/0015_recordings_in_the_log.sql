-- "Who listened to this call?" is asked of the log. The recording that an entry names is taken out of its parameters, of those that
-- stand there already as well: entries are evidence, so this follows from what they say and can be neither written nor changed.
alter table portal_activities add column payload_reference text collate "C" generated always as
  (substring(parameters collate "C" from '"payload_reference":"([A-Za-z0-9_-]{26,36})"')) stored;
create index on portal_activities (client_id, payload_reference, activity_time desc, log_id desc) where payload_reference is not null;
