-- Alerts by e-mail. A person subscribes themselves: per severity at once, once a day, or not at all, to the address with which the identity
-- provider vouched at the last sign-in or to one that they confirmed. A mail says how severe an alert is, of which kind, and where to read
-- it: no number, name or content. Who may be told what is judged when it is sent, by the rights of the last sign-in.
create table alert_subscriptions (
  client_id       int not null references clients,
  subscription_id text collate "C" not null,
  user_reference  text not null,
  language        text not null check (language in ('en-GB', 'pt-BR')),
  low             text not null check (low in ('never', 'daily', 'at_once')),
  medium          text not null check (medium in ('never', 'daily', 'at_once')),
  high            text not null check (high in ('never', 'daily', 'at_once')),
  -- Hour (UTC) of the daily mail.
  digest_hour     int not null check (digest_hour between 0 and 23),
  address_source  text not null default 'claimed' check (address_source in ('claimed', 'confirmed')),
  confirmed_address text,
  updated_at      bigint not null,
  primary key (client_id, subscription_id),
  unique (client_id, user_reference),
  check (address_source = 'claimed' or confirmed_address is not null)
);

-- Addresses that somebody says are theirs. The code that is mailed there is made when it is mailed, and kept as a digest only.
create table alert_address_checks (
  client_id       int not null references clients,
  check_id        text collate "C" not null,
  subscription_id text collate "C" not null,
  address         text not null,
  asked_at        bigint not null,
  check_state     text not null default 'waiting' check (check_state in ('waiting', 'sent', 'confirmed', 'failed')),
  attempts        int not null default 0,
  next_at         bigint not null,
  last_error      text,
  code_hash       bytea,
  -- How often a wrong code was given.
  tries           int not null default 0,
  primary key (client_id, check_id),
  foreign key (client_id, subscription_id) references alert_subscriptions on delete cascade
);
create index alert_address_checks_of on alert_address_checks (client_id, subscription_id, check_id desc);
create index alert_address_checks_due on alert_address_checks (next_at, client_id) where check_state = 'waiting';

-- A delivery goes to a webhook or to a subscription. Withheld: its person may no longer be told, or the alert is over.
alter table alert_deliveries
  alter column webhook_reference drop not null,
  add column subscription_id text collate "C",
  add foreign key (client_id, subscription_id) references alert_subscriptions on delete cascade,
  add check (num_nonnulls(webhook_reference, subscription_id) = 1),
  drop constraint alert_deliveries_delivery_state_check,
  add check (delivery_state in ('waiting', 'delivered', 'dead') or (delivery_state = 'withheld' and subscription_id is not null));
create index alert_deliveries_of_subscription on alert_deliveries (client_id, subscription_id, delivery_state, delivery_id)
  where subscription_id is not null;

-- From which address somebody signed in: roles and accounts hold in some networks only. Null: before this was kept.
alter table portal_sessions add column ip text;

-- As before, and for each subscription that wants this severity: at once, or with the next daily mail. Nobody is waited for here either.
create or replace function queue_alert_deliveries() returns trigger language plpgsql as $$
begin
  insert into alert_deliveries (client_id, webhook_reference, alert_reference, alert_type, alert_scope, alert_severity, occurred_at, next_at)
  select w.client_id, w.webhook_reference, new.alert_reference, new.alert_type, new.alert_scope, new.alert_severity, new.last_occurrence, 0
  from (
    select client_id, webhook_reference from alert_webhooks
    where client_id = new.client_id and is_active and new.alert_scope = any(alert_scopes)
      and severity_rank(new.alert_severity) >= severity_rank(min_severity)
    for key share skip locked
  ) w;
  insert into alert_deliveries (client_id, subscription_id, alert_reference, alert_type, alert_scope, alert_severity, occurred_at, next_at)
  select s.client_id, s.subscription_id, new.alert_reference, new.alert_type, new.alert_scope, new.alert_severity, new.last_occurrence,
    -- The first such hour after the alert: whole days since 1970, and the hour.
    case s.pace when 'daily' then ((new.last_occurrence - s.digest_hour * 3600) / 86400 + 1) * 86400 + s.digest_hour * 3600 else 0 end
  from (
    select client_id, subscription_id, digest_hour, case new.alert_severity when 'High' then high when 'Medium' then medium else low end as pace
    from alert_subscriptions where client_id = new.client_id
    for key share skip locked
  ) s
  where s.pace <> 'never';
  return null;
end $$;

grant select, insert, delete on alert_subscriptions, alert_address_checks to custodia_app;
grant update (language, low, medium, high, digest_hour, address_source, confirmed_address, updated_at) on alert_subscriptions to custodia_app;
grant update (check_state, attempts, next_at, last_error, code_hash, tries) on alert_address_checks to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['alert_subscriptions', 'alert_address_checks'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
-- Whose codes are due, and nothing else of them.
create policy staff on alert_address_checks for select to custodia_staff using (true);
grant select (client_id, check_state, next_at) on alert_address_checks to custodia_staff;
