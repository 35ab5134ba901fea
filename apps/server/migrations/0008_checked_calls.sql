-- Calls that were not recorded bring metadata alone. They rest as NotRecorded only once that was checked, and as Failed when it cannot be
-- used: until now they were NotRecorded, and a phone freed its copy, before anybody had looked.
insert into payload_transitions values (4, 1);

-- For the repair below and for this transaction only.
insert into payload_transitions values (1, 7), (1, 3);
do $$
declare
  tenant int;
  at bigint := extract(epoch from now())::bigint;
begin
  -- Row-level security is forced on the owner as well.
  for tenant in select client_id from clients loop
    perform set_config('custodia.client_id', tenant::text, true);
    -- What was found wrong is found under Failed; what nobody looked at yet goes the new way.
    with moved as (
      update payloads p set state = case when p.failure is null then 3 else 7 end, updated_at = at,
        uploaded_at = coalesce(p.uploaded_at, p.announced_at)
      where p.client_id = tenant and p.state = 1 and p.type in (2, 3) and (p.failure is not null or exists (
        select from payload_work w where w.client_id = tenant and w.payload_id = p.payload_id))
      returning p.payload_id, p.state, p.failure
    ), change as (
      update payload_changes c set updated_at = at from moved m where c.payload_id = m.payload_id
    )
    insert into payload_history (client_id, payload_id, at, from_state, to_state, reason, by)
    select tenant, payload_id, at, 1, state, failure, 'upgrade' from moved;
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;
delete from payload_transitions where (from_state, to_state) in ((1, 7), (1, 3));
