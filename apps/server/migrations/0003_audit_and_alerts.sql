-- Audit logs and alerts.

-- The audit log of the portal, partitioned by month. The default partition ensures that no entry is ever refused.
create table portal_activities (
  log_id            text collate "C" not null,
  client_id         int not null,
  user_reference    text not null,
  user_ip           text not null,
  activity_time     bigint not null,
  activity_end_time bigint,
  browser           text,
  duration          double precision,
  user_group        text,
  roles             text[] not null default '{}',
  action            text not null,
  is_allowed        boolean not null,
  is_client_app     boolean not null default false,
  denial_reason     text,
  parameters        text not null,
  status_code       int,
  support_reference text,
  request_id        text not null,
  -- The group by id, in addition to its name at that time: names are given again, ids are not. Entries outlive groups,
  -- so there is no foreign key. Null: no group of the client.
  group_id          int,
  -- The payload that the parameters name, for the question who opened a recording. A generated column, because entries
  -- are evidence that the application cannot change.
  payload_reference text collate "C" generated always as (substring(parameters collate "C" from '"payload_reference":"([A-Za-z0-9_-]{26,36})"')) stored,
  -- The transaction that wrote the entry: the sealed log takes entries in this order.
  xid               xid8 not null default pg_current_xact_id(),
  primary key (log_id, activity_time)
) partition by range (activity_time);
create table portal_activities_default partition of portal_activities default;
-- Lists are in the order of (activity_time, log_id). Few entries share a second, so no index contains log_id.
create index on portal_activities (client_id, activity_time);
create index on portal_activities (client_id, xid);
create index on portal_activities (client_id, user_reference, activity_time);
create index on portal_activities (client_id, support_reference, activity_time) where support_reference is not null;
create index on portal_activities (client_id, payload_reference, activity_time) where payload_reference is not null;
alter table portal_activities enable row level security;
alter table portal_activities force row level security;
create policy tenant on portal_activities using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy append on portal_activities for insert with check (true);
grant select, insert, update (activity_end_time, duration, status_code) on portal_activities to custodia_app;

create table device_activities (
  log_id                text collate "C" not null,
  client_id             int not null,
  device_ip             text not null,
  device_reference      text not null,
  device_user_reference text,
  activity_time         bigint not null,
  activity_end_time     bigint,
  duration              double precision,
  group_reference       text,
  action                text not null,
  is_allowed            boolean not null,
  denial_reason         text,
  parameters            text not null,
  status_code           int,
  request_id            text not null,
  group_id              int,
  xid                   xid8 not null default pg_current_xact_id(),
  primary key (log_id, activity_time)
) partition by range (activity_time);
create table device_activities_default partition of device_activities default;
create index on device_activities (client_id, activity_time);
create index on device_activities (client_id, xid);
create index on device_activities (client_id, device_reference, activity_time);
alter table device_activities enable row level security;
alter table device_activities force row level security;
create policy tenant on device_activities using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy append on device_activities for insert with check (true);
grant select, insert, update (activity_end_time, duration, status_code) on device_activities to custodia_app;

-- The sealed log: one Merkle tree (RFC 9162) per client. Each audit entry, payload transition, hold event and
-- other evidence gets a position once its transaction has ended. Rows are only added.
create type sealed_source as enum (
  'portal_activities', 'device_activities', 'payload_history', 'legal_hold_events', 'retention_policies', 'dual_control_versions',
  'destruction_review_versions', 'destruction_ledger', 'destruction_ends', 'destruction_certificates', 'payload_reassignments',
  'rights_versions', 'payload_write_offs', 'transfer_audit', 'capture_statements', 'transfer_reconciliations');

-- A batch of entries: a message has six, which a row each would make twice as long.
create table sealed_batches (
  -- No foreign key: a checkpoint has one.
  client_id  int not null,
  -- The position of the first entry.
  first      bigint not null check (first >= 0),
  -- The first and last transaction: they find the batch of an entry, and lie so close together that few batches come
  -- into question.
  first_xid  bigint not null,
  last_xid   bigint not null check (last_xid between first_xid and first_xid + 4095),
  -- Of each entry its table, transaction, time and key.
  sources    sealed_source[] not null,
  xids       bigint[] not null,
  times      bigint[] not null,
  source_ids text[] collate "C" not null,
  -- SHA-256 of the salt and the fields of each entry. It stays when retention removes the entry.
  digests    bytea[] not null,
  -- Null: erased with the entry. Without its salt a digest says nothing about the fields.
  salts      bytea[] not null,
  check (cardinality(digests) between 1 and 2000 and cardinality(digests) = all (array[cardinality(sources), cardinality(xids),
    cardinality(times), cardinality(source_ids), cardinality(salts)])),
  primary key (client_id, first)
);
-- Random bytes cannot be compressed.
alter table sealed_batches alter column digests set storage external, alter column salts set storage external;
create index on sealed_batches (client_id, last_xid, first_xid);
alter table sealed_batches enable row level security;
alter table sealed_batches force row level security;
create policy tenant on sealed_batches using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on sealed_batches to custodia_app;

-- The entries one by one. Name `first` or `last_xid`, too: only they find the batches.
create view sealed_entries with (security_invoker = true) as
  select b.client_id, b.first + e.n - 1 as position, e.source, e.xid, e.at, e.source_id collate "C" as source_id, e.digest, e.salt, b.first, b.first_xid, b.last_xid
  from sealed_batches b cross join lateral unnest(b.sources, b.xids, b.times, b.source_ids, b.digests, b.salts)
    with ordinality e (source, xid, at, source_id, digest, salt, n);
grant select on sealed_entries to custodia_app;

-- Hashes of complete subtrees of 256, 65,536 … entries (level 1, 2 …), so that a proof reads few rows.
create table sealed_nodes (
  client_id int not null references clients,
  level     int not null check (level > 0),
  index     bigint not null check (index >= 0),
  hash      bytea not null check (length(hash) = 32),
  primary key (client_id, level, index)
);
alter table sealed_nodes enable row level security;
alter table sealed_nodes force row level security;
create policy tenant on sealed_nodes using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on sealed_nodes to custodia_app;

-- Signed heads of the log, one per batch of entries.
create table sealed_checkpoints (
  client_id  int not null references clients,
  size       bigint not null check (size > 0),
  signed_at  bigint not null,
  algorithm  text not null check (algorithm = 'Ed25519'),
  key_id     text collate "C" not null,
  -- A signed note (C2SP tlog-checkpoint) with size and root hash.
  checkpoint text not null,
  -- Entries of earlier transactions have a position.
  until_xid  xid8 not null,
  primary key (client_id, size)
);
alter table sealed_checkpoints enable row level security;
alter table sealed_checkpoints force row level security;
create policy tenant on sealed_checkpoints using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on sealed_checkpoints to custodia_app;

-- The newest checkpoint that each holder has: the data folder, and others outside of this installation.
create table sealed_holders (
  client_id  int not null references clients,
  -- Kind and name.
  holder     text collate "C" not null,
  size       bigint not null,
  checkpoint text not null,
  -- What the holder answered: a time stamp.
  receipt    bytea,
  held_at    bigint not null,
  primary key (client_id, holder)
);
alter table sealed_holders enable row level security;
alter table sealed_holders force row level security;
create policy tenant on sealed_holders using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (size, checkpoint, receipt, held_at) on sealed_holders to custodia_app;

-- Checkpoints of holders that the log does not continue. Until the operator has resolved all, nothing is destroyed.
create table sealed_contradictions (
  client_id   int not null references clients,
  holder      text collate "C" not null,
  size        bigint not null,
  fault       text not null check (fault in ('not_ours', 'cut_off', 'changed', 'faulty')),
  found_at    bigint not null,
  resolved_at bigint,
  -- Why the operator accepts it.
  reason      text,
  primary key (client_id, holder, size),
  check ((resolved_at is null) = (reason is null))
);
alter table sealed_contradictions enable row level security;
alter table sealed_contradictions force row level security;
create policy tenant on sealed_contradictions using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (resolved_at, reason) on sealed_contradictions to custodia_app;

create function erase_salts() returns trigger language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update sealed_batches b set salts = array(
      select case when r.log_id is null then e.salt end
      from unnest(b.salts, b.xids, b.sources, b.source_ids) with ordinality e (salt, xid, source, source_id, n)
      left join removed r on r.client_id = b.client_id and r.xid::text::bigint = e.xid and e.source = tg_argv[0]::sealed_source
        and r.log_id = e.source_id
      order by e.n)
    from (
      select distinct s.client_id, s.first
      from (select distinct client_id, xid::text::bigint as xid from removed) r
      join sealed_batches s on s.client_id = r.client_id and s.last_xid between r.xid and r.xid + 4095 and s.first_xid <= r.xid
      where r.xid = any(s.xids)) f
    where b.client_id = f.client_id and b.first = f.first;
  return null;
end $$;
create trigger salts_erased after delete on portal_activities
  referencing old table as removed for each statement execute function erase_salts('portal_activities');
create trigger salts_erased after delete on device_activities
  referencing old table as removed for each statement execute function erase_salts('device_activities');

-- How many recordings a person opened or took on a day (UTC, its first second), each recording once. Alerts read this
-- instead of the audit log.
create table access_days (
  client_id   int not null references clients,
  person      text collate "C" not null,
  act         text collate "C" not null,
  day         bigint not null,
  count       bigint not null,
  -- Whether an alert reported this day.
  is_reported boolean not null default false,
  primary key (client_id, person, act, day)
) with (fillfactor = 70);
alter table access_days enable row level security;
alter table access_days force row level security;
create policy tenant on access_days using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (count, is_reported), delete on access_days to custodia_app;

-- Alerts: one row per target, scope and key.
create table alerts (
  client_id        int not null references clients,
  alert_reference  text collate "C" not null,
  alert_scope      text not null check (alert_scope in ('ops', 'sec')),
  alert_type       text not null,
  alert_subject    text not null,
  alert_key        text collate "C" not null,
  alert_message    text not null,
  alert_state      text not null default 'Triggered' check (alert_state in ('Triggered', 'Cleared')),
  alert_severity   text not null check (alert_severity in ('Low', 'Medium', 'High')),
  related_entities jsonb not null default '[]',
  occurrences      jsonb not null default '[]',
  occurrence_count bigint not null default 1,
  first_occurrence bigint not null,
  last_occurrence  bigint not null,
  -- The text in the catalogue and its values. Null: subject and message are the text.
  alert_text       jsonb,
  -- Action of the call that raised it. Null: the server raised it by itself.
  api_action       text,
  -- The group it concerns. Null: the whole account.
  group_id         int,
  expires_after    bigint,
  cleared_reason   text,
  cleared_at       bigint,
  cleared_by       text,
  alert_target     text not null default 'client' check (alert_target in ('client', 'admin')),
  -- Only sessions of this issuer clear the alert. Null: all sessions do.
  only_issuer      text,
  -- The first occurrence since it was last cleared.
  triggered_at     bigint not null default extract(epoch from now()),
  -- Open alerts of one scope and kind are one incident. Each notice of the provider, and each subject that devices
  -- report, is a kind of its own.
  incident_kind    text collate "C" not null generated always as (
    regexp_replace(coalesce(alert_text ->> 'code', 'other'), '^(capture|escalated)_.*', '\1')
    || case coalesce(alert_text ->> 'code', 'other')
      when 'notification' then '-' || left(md5(alert_key), 12)
      when 'device_reports' then '-' || left(md5(alert_subject), 12)
      when 'other' then '-' || left(md5(alert_subject), 12)
      else '' end) stored,
  primary key (client_id, alert_reference),
  unique (client_id, alert_target, alert_scope, alert_key)
);
create index on alerts (client_id, last_occurrence, alert_reference);
create index on alerts (client_id, first_occurrence, alert_reference);
-- Open alerts: the counts at the bell, and the list as it opens.
create index on alerts (client_id, last_occurrence, alert_reference) where alert_state = 'Triggered';
create index on alerts (client_id, last_occurrence, alert_reference)
  where alert_target = 'admin' and alert_state = 'Triggered';
alter table alerts enable row level security;
alter table alerts force row level security;
create policy tenant on alerts using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy staff on alerts for select to custodia_staff using (true);
grant select, insert, update, delete on alerts to custodia_app;
grant select on alerts to custodia_staff;

create table alert_dismissals (
  client_id       int not null,
  alert_reference text collate "C" not null,
  portal_user     text not null,
  dismissed_at    bigint not null,
  primary key (client_id, alert_reference, portal_user),
  foreign key (client_id, alert_reference) references alerts (client_id, alert_reference) on delete cascade
);
alter table alert_dismissals enable row level security;
alter table alert_dismissals force row level security;
create policy tenant on alert_dismissals using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy staff on alert_dismissals for select to custodia_staff using (true);
grant select, insert, update, delete on alert_dismissals to custodia_app;
grant select on alert_dismissals to custodia_staff;

-- Servers of an account that receive its alerts (Standard Webhooks). A delivery names kind, severity, time and address
-- of an alert, and no number, name or content.
create table alert_webhooks (
  client_id         int not null references clients,
  webhook_reference text collate "C" not null,
  description       text not null,
  url               text not null,
  alert_scopes      text[] not null check (cardinality(alert_scopes) > 0 and alert_scopes <@ array['ops', 'sec']),
  min_severity      text not null check (min_severity in ('Low', 'Medium', 'High')),
  is_active         boolean not null,
  -- The key that signs deliveries, wrapped by the key provider.
  wrapped_key       bytea not null,
  created_at        bigint not null,
  created_by        text not null,
  updated_at        bigint not null,
  updated_by        text not null,
  primary key (client_id, webhook_reference)
);
alter table alert_webhooks enable row level security;
alter table alert_webhooks force row level security;
create policy tenant on alert_webhooks using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (description, url, alert_scopes, min_severity, is_active, wrapped_key, updated_at,
  updated_by), delete on alert_webhooks to custodia_app;

-- Alerts by e-mail. A person chooses per severity: at once, once a day, or never. The address is the one that the
-- identity provider verified, or one that the person confirmed. A mail names severity, kind and address of an alert,
-- and no number, name or content. Rights are checked when the mail is sent, as of the last sign-in.
create table alert_subscriptions (
  client_id         int not null references clients,
  subscription_id   text collate "C" not null,
  user_reference    text not null,
  language          text not null check (language in ('en-GB', 'pt-BR')),
  low               text not null check (low in ('never', 'daily', 'at_once')),
  medium            text not null check (medium in ('never', 'daily', 'at_once')),
  high              text not null check (high in ('never', 'daily', 'at_once')),
  -- Hour (UTC) of the daily mail.
  digest_hour       int not null check (digest_hour between 0 and 23),
  address_source    text not null default 'claimed' check (address_source in ('claimed', 'confirmed')),
  confirmed_address text,
  updated_at        bigint not null,
  primary key (client_id, subscription_id),
  unique (client_id, user_reference),
  check (address_source = 'claimed' or confirmed_address is not null)
);
alter table alert_subscriptions enable row level security;
alter table alert_subscriptions force row level security;
create policy tenant on alert_subscriptions using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert, update (language, low, medium, high, digest_hour, address_source, confirmed_address,
  updated_at), delete on alert_subscriptions to custodia_app;

-- E-mail addresses that people claim. The code is made when it is mailed, and kept as a digest only. A row outlives its
-- subscription for a day, without the address, so that codes are counted per person.
create table alert_address_checks (
  client_id       int not null references clients,
  check_id        text collate "C" not null,
  subscription_id text collate "C",
  address         text not null,
  asked_at        bigint not null,
  check_state     text not null default 'waiting' check (check_state in ('waiting', 'sent', 'confirmed', 'failed')),
  attempts        int not null default 0,
  next_at         bigint not null,
  last_error      text,
  code_hash       bytea,
  -- How many wrong codes were entered.
  tries           int not null default 0,
  user_reference  text not null,
  primary key (client_id, check_id),
  foreign key (client_id, subscription_id) references alert_subscriptions on delete set null (subscription_id)
);
create index alert_address_checks_of on alert_address_checks (client_id, subscription_id, check_id);
create index alert_address_checks_due on alert_address_checks (next_at, client_id) where check_state = 'waiting';
create index alert_address_checks_of_person on alert_address_checks (client_id, user_reference, asked_at);
alter table alert_address_checks enable row level security;
alter table alert_address_checks force row level security;
create policy tenant on alert_address_checks using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy staff on alert_address_checks for select to custodia_staff using (true);
grant select, insert, update (address, check_state, attempts, next_at, last_error, code_hash, tries), delete on
  alert_address_checks to custodia_app;
grant select (client_id, check_state, next_at) on alert_address_checks to custodia_staff;

create table alert_deliveries (
  client_id          int not null references clients,
  delivery_id        bigint generated always as identity,
  -- The receiver knows the delivery by this, in all attempts.
  delivery_reference text collate "C" not null default 'msg_' || replace(gen_random_uuid()::text, '-', ''),
  webhook_reference  text collate "C",
  -- Null: a test.
  alert_reference    text collate "C",
  alert_type         text not null,
  alert_scope        text not null,
  alert_severity     text not null,
  occurred_at        bigint not null,
  delivery_state     text not null default 'waiting',
  attempts           int not null default 0,
  -- Time of the next attempt. During an attempt: when another worker takes it over.
  next_at            bigint not null,
  last_attempt_at    bigint,
  last_error         text,
  subscription_id    text collate "C",
  primary key (client_id, delivery_id),
  unique (client_id, delivery_reference),
  foreign key (client_id, webhook_reference) references alert_webhooks on delete cascade,
  foreign key (client_id, subscription_id) references alert_subscriptions on delete cascade,
  check (num_nonnulls(webhook_reference, subscription_id) = 1),
  check (delivery_state in ('waiting', 'delivered', 'dead') or (delivery_state = 'withheld' and subscription_id is not null))
);
create index alert_deliveries_due on alert_deliveries (next_at, client_id) where delivery_state = 'waiting';
create index alert_deliveries_of on alert_deliveries (client_id, webhook_reference, delivery_id);
create index alert_deliveries_open on alert_deliveries (client_id, webhook_reference, delivery_state, delivery_id) where delivery_state <> 'delivered';
create index alert_deliveries_over on alert_deliveries (client_id, last_attempt_at) where delivery_state <> 'waiting';
create index alert_deliveries_of_subscription on alert_deliveries (client_id, subscription_id, delivery_state, delivery_id)
  where subscription_id is not null;
alter table alert_deliveries enable row level security;
alter table alert_deliveries force row level security;
create policy tenant on alert_deliveries using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
create policy staff on alert_deliveries for select to custodia_staff using (true);
grant select, insert, update (delivery_state, attempts, next_at, last_attempt_at, last_error), delete on
  alert_deliveries to custodia_app;
grant select (client_id, delivery_state, next_at) on alert_deliveries to custodia_staff;

create function severity_rank(severity text) returns int language sql immutable parallel safe
  return array_position(array['Low', 'Medium', 'High'], severity);

-- Queues deliveries in the transaction that raises the alert, without waiting: a webhook or subscription that is being
-- removed is skipped. New alerts, alerts that are triggered again and alerts of a higher severity are delivered;
-- further occurrences are not.
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
create trigger queued_when_raised after insert on alerts for each row
  when (new.alert_target = 'client' and new.alert_state = 'Triggered') execute function queue_alert_deliveries();
create trigger queued_when_escalated after update of alert_state, alert_severity on alerts for each row
  when (new.alert_target = 'client' and new.alert_state = 'Triggered'
    and (old.alert_state = 'Cleared' or severity_rank(new.alert_severity) > severity_rank(old.alert_severity)))
  execute function queue_alert_deliveries();
