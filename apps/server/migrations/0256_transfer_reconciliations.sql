-- What was captured, delivered and missing of each UTC day, as it was signed and sent to the target of a config. A day whose figures changed
-- since has another version; none is ever taken back.
create table transfer_reconciliations (
  client_id                 int not null references clients,
  reconciliation_reference  text collate "C" not null,
  transfer_config_reference text collate "C" not null,
  payload_date              bigint not null check (payload_date % 86400 = 0),
  version                   int not null check (version > 0),
  payload_types             text[] not null,
  captured                  int not null,
  delivered                 int not null,
  missing                   int not null,
  reasons                   jsonb not null,
  issued_at                 bigint not null,
  key_id                    text not null,
  /* of the canonical JSON that is signed */
  checksum                  text not null,
  body                      text not null,
  signature                 bytea not null,
  -- Null: it does not lie on the target yet.
  sent_at                   bigint,
  dest_path                 text,
  -- Why the last attempt to send it failed; null: it did not.
  error_message             text,
  primary key (client_id, reconciliation_reference),
  unique (client_id, transfer_config_reference, payload_date, version),
  check (captured = delivered + missing),
  check ((sent_at is null) = (dest_path is null)),
  check (sent_at is null or error_message is null)
);
create index transfer_reconciliations_listed on transfer_reconciliations (client_id, payload_date desc, transfer_config_reference desc, version desc);

-- The last UTC day on which all days before it were reconciled and sent; null: none yet.
alter table transfer_configs add column reconciled_on bigint;
grant update (reconciled_on) on transfer_configs to custodia_app;

create function keep_reconciliations() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if old.sent_at is null and to_jsonb(new) - '{sent_at,dest_path,error_message}'::text[] = to_jsonb(old) - '{sent_at,dest_path,error_message}'::text[] then
      return new;
    end if;
  end if;
  raise exception 'reconciliations are history: %', tg_op using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on transfer_reconciliations for each row execute function keep_reconciliations();
create trigger kept_whole before truncate on transfer_reconciliations for each statement execute function keep_reconciliations();

grant select, insert, update (sent_at, dest_path, error_message) on transfer_reconciliations to custodia_app;
alter table transfer_reconciliations enable row level security;
alter table transfer_reconciliations force row level security;
create policy tenant on transfer_reconciliations using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
