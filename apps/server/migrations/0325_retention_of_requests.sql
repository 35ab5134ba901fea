-- Requests of people are listed by when they are due, say how much a copy left out, and end themselves: whom somebody asked about is not kept for good.
drop index data_requests_listed;
create index data_requests_listed on data_requests (
  client_id,
  (case state when 'Open' then 0 else 1 end),
  (case state when 'Open' then coalesce(due_at, received_at) else -closed_at end),
  data_request_id
);
create index data_requests_by_end on data_requests (client_id, closed_at, data_request_id) where closed_at is not null;
create index data_requests_note on data_requests (client_id, note_id) where note_id is not null;
create index data_requests_reason on data_requests (client_id, reason_id) where reason_id is not null;
alter table data_request_copies add column deleted int;

-- Until then nobody removes a request that has ended; REQUEST_KEPT_DAYS of the contract says the same.
create function requests_end_before() returns bigint language sql volatile set search_path = pg_catalog as $$
  select floor(extract(epoch from clock_timestamp()))::bigint - 1096 * 86400
$$;

create or replace function keep_data_requests() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'data_requests' then
    if old.state = 'Open' and new.state <> 'Open' and
      (new.client_id, new.data_request_id, new.kind, new.law, new.subject_type, new.subject, new.device_user_id, new.received_at, new.due_at,
        new.opened_at, new.opened_by, new.note_id)
      is not distinct from
      (old.client_id, old.data_request_id, old.kind, old.law, old.subject_type, old.subject, old.device_user_id, old.received_at, old.due_at,
        old.opened_at, old.opened_by, old.note_id) then
      return new;
    end if;
  end if;
  if tg_op = 'DELETE' and exists (
    select from data_requests r where r.client_id = old.client_id and r.data_request_id = old.data_request_id
      and r.closed_at <= requests_end_before()) then
    return old;
  end if;
  raise exception 'requests of people are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;

-- Note and reason of a request whose time has come go before it: while it is there it says that they may.
create or replace function keep_legal_holds() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and tg_table_name = 'legal_hold_reasons' then
    if exists (select from data_requests r where r.client_id = old.client_id and old.reason_id in (r.note_id, r.reason_id)
      and r.closed_at <= requests_end_before()) then
      return old;
    end if;
  end if;
  raise exception 'legal holds are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
alter table data_requests alter constraint data_requests_client_id_note_id_fkey deferrable initially immediate;
alter table data_requests alter constraint data_requests_client_id_reason_id_fkey deferrable initially immediate;

create function destroy_data_requests(keys text[]) returns int
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  client int := nullif(current_setting('custodia.client_id', true), '')::int;
  going text[];
  gone int;
begin
  select coalesce(array_agg(data_request_id), '{}') into going from data_requests
  where client_id = client and data_request_id = any(keys) and closed_at <= requests_end_before();
  set constraints data_requests_client_id_note_id_fkey, data_requests_client_id_reason_id_fkey deferred;
  delete from data_request_copies where client_id = client and data_request_id = any(going);
  delete from legal_hold_reasons t using data_requests r where r.client_id = client and r.data_request_id = any(going)
    and t.client_id = client and t.reason_id in (r.note_id, r.reason_id);
  delete from data_requests where client_id = client and data_request_id = any(going);
  get diagnostics gone = row_count;
  set constraints data_requests_client_id_note_id_fkey, data_requests_client_id_reason_id_fkey immediate;
  return gone;
end $$;
revoke execute on function destroy_data_requests(text[]) from public;
grant execute on function destroy_data_requests(text[]) to custodia_app;
