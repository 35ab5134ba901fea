-- Where an account has its alerts told (Standard Webhooks): addresses of its own servers, and what is sent to each. A delivery says what
-- kind of alert it is, how severe, when, and where to read it: no number, name or content.
create table alert_webhooks (
  client_id         int not null references clients,
  webhook_reference text collate "C" not null,
  description       text not null,
  url               text not null,
  alert_scopes      text[] not null check (cardinality(alert_scopes) > 0 and alert_scopes <@ array['ops', 'sec']),
  min_severity      text not null check (min_severity in ('Low', 'Medium', 'High')),
  is_active         boolean not null,
  -- The secret with which deliveries are signed, wrapped by the key provider.
  wrapped_key       bytea not null,
  created_at        bigint not null,
  created_by        text not null,
  updated_at        bigint not null,
  updated_by        text not null,
  primary key (client_id, webhook_reference)
);

create table alert_deliveries (
  client_id          int not null references clients,
  delivery_id        bigint generated always as identity,
  -- What the receiver knows it by, in all attempts.
  delivery_reference text collate "C" not null default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  webhook_reference  text collate "C" not null,
  -- Null: a test.
  alert_reference    text collate "C",
  alert_type         text not null,
  alert_scope        text not null,
  alert_severity     text not null,
  occurred_at        bigint not null,
  delivery_state     text not null default 'waiting' check (delivery_state in ('waiting', 'delivered', 'dead')),
  attempts           int not null default 0,
  -- When it is tried next; while it is being tried, when another worker takes it over.
  next_at            bigint not null,
  last_attempt_at    bigint,
  last_error         text,
  primary key (client_id, delivery_id),
  unique (client_id, delivery_reference),
  foreign key (client_id, webhook_reference) references alert_webhooks on delete cascade
);
create index alert_deliveries_due on alert_deliveries (next_at, client_id) where delivery_state = 'waiting';
create index alert_deliveries_of on alert_deliveries (client_id, webhook_reference, delivery_id desc);
create index alert_deliveries_open on alert_deliveries (client_id, webhook_reference, delivery_state, delivery_id) where delivery_state <> 'delivered';
create index alert_deliveries_over on alert_deliveries (client_id, last_attempt_at) where delivery_state <> 'waiting';

create function severity_rank(severity text) returns int language sql immutable parallel safe
  return array_position(array['Low', 'Medium', 'High'], severity);

-- In the transaction that raises the alert, and without waiting for anybody: a webhook that is being removed is left out. Told is what is
-- triggered, afresh, or more severe than before; further occurrences of what stands already are not.
create function queue_alert_deliveries() returns trigger language plpgsql as $$
begin
  insert into alert_deliveries (client_id, webhook_reference, alert_reference, alert_type, alert_scope, alert_severity, occurred_at, next_at)
  select w.client_id, w.webhook_reference, new.alert_reference, new.alert_type, new.alert_scope, new.alert_severity, new.last_occurrence, 0
  from (
    select client_id, webhook_reference from alert_webhooks
    where client_id = new.client_id and is_active and new.alert_scope = any(alert_scopes)
      and severity_rank(new.alert_severity) >= severity_rank(min_severity)
    for key share skip locked
  ) w;
  return null;
end $$;
create trigger told_when_raised after insert on alerts for each row
  when (new.alert_target = 'client' and new.alert_state = 'Triggered') execute function queue_alert_deliveries();
create trigger told_when_risen after update of alert_state, alert_severity on alerts for each row
  when (new.alert_target = 'client' and new.alert_state = 'Triggered'
    and (old.alert_state = 'Cleared' or severity_rank(new.alert_severity) > severity_rank(old.alert_severity)))
  execute function queue_alert_deliveries();

grant select, insert, delete on alert_webhooks, alert_deliveries to custodia_app;
grant update (description, url, alert_scopes, min_severity, is_active, wrapped_key, updated_at, updated_by) on alert_webhooks to custodia_app;
grant update (delivery_state, attempts, next_at, last_attempt_at, last_error) on alert_deliveries to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['alert_webhooks', 'alert_deliveries'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
-- Whose deliveries are due, and nothing else of them.
create policy staff on alert_deliveries for select to custodia_staff using (true);
grant select (client_id, delivery_state, next_at) on alert_deliveries to custodia_staff;
