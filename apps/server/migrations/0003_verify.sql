-- Alerts of the client and of the provider are rows of their own, each with its own state; and what checks of the archive found.

alter table alerts add column alert_target text not null default 'client' check (alert_target in ('client', 'admin'));
alter table alerts drop constraint alerts_client_id_alert_scope_alert_key_key;
alter table alerts add unique (client_id, alert_target, alert_scope, alert_key);
create index on alerts (client_id, last_occurrence desc, alert_reference desc)
  where alert_target = 'admin' and alert_state = 'Triggered';

-- Until now both sides saw the same row of what concerns operation: the provider gets its own, as it stands, with its own dismissals.
do $$
declare
  tenant int;
begin
  -- Row-level security is forced on the owner as well.
  for tenant in select client_id from clients loop
    perform set_config('custodia.client_id', tenant::text, true);
    create temporary table copies on commit drop as
      -- Another letter in the random part makes another reference of the same time.
      select alert_reference as old_reference, overlay(alert_reference placing
        translate(substr(alert_reference, 14, 1), '0123456789ABCDEFGHJKMNPQRSTVWXYZ', '123456789ABCDEFGHJKMNPQRSTVWXYZ0') from 14 for 1)
        as new_reference
      from alerts where client_id = tenant and alert_scope = 'ops' and alert_type <> 'Notification';
    insert into alerts (client_id, alert_reference, alert_target, alert_scope, alert_type, alert_subject, alert_key, alert_message,
      alert_state, alert_severity, related_entities, occurrences, occurrence_count, first_occurrence, last_occurrence, alert_text,
      api_action, group_id, expires_after, cleared_reason, cleared_at, cleared_by)
    select client_id, new_reference, 'admin', alert_scope, alert_type, alert_subject, alert_key, alert_message,
      alert_state, alert_severity, related_entities, occurrences, occurrence_count, first_occurrence, last_occurrence, alert_text,
      api_action, group_id, expires_after, cleared_reason, cleared_at, cleared_by
    from alerts join copies on alert_reference = old_reference where client_id = tenant;
    update alert_dismissals set alert_reference = new_reference from copies
      where client_id = tenant and alert_reference = old_reference and portal_user like '% (provider)';
    drop table copies;
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;

-- What a check of the whole archive found: one row per run, never changed.
create table verify_runs (
  run_id      bigint generated always as identity primary key,
  started_at  bigint not null,
  ended_at    bigint not null,
  -- Null: every object was only looked for. Else the part of the objects that was opened.
  opened_part text,
  outcome     text not null check (outcome in ('clean', 'findings', 'unverified')),
  -- What was looked at, in numbers.
  checked     jsonb not null,
  -- How often each check found something, per client; no fact of a payload.
  found       jsonb not null,
  -- The findings themselves, up to a limit: not for the provider's staff.
  findings    jsonb not null,
  problem     text
);
create index on verify_runs (started_at desc);
grant select, insert on verify_runs to custodia_app;
grant select (run_id, started_at, ended_at, opened_part, outcome, checked, found) on verify_runs to custodia_staff;
