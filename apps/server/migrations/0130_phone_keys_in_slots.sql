-- The data key as a phone wrapped it is sealed before it comes into a row: the row names the slot of what opens it. Null: it is of before, and stands
-- in encrypted_dek as it was announced, until the keys are rotated.
alter table payload_envelopes add column dek_key bytea;

-- Envelopes are evidence that the application does not change. This alone it may: seal one that is not, once. Resolves to the slots that are named now.
create function seal_phone_deks(ids bigint[], sealed text[], slots bytea[]) returns setof bytea
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
  update payload_envelopes e set encrypted_dek = c.sealed, dek_key = c.slot from unnest(ids, sealed, slots) c (payload_id, sealed, slot)
  where e.client_id = nullif(current_setting('custodia.client_id', true), '')::int and e.payload_id = c.payload_id
    and e.dek_key is null and e.encrypted_dek <> '' and c.slot is not null
  returning e.dek_key
$$;
revoke execute on function seal_phone_deks(bigint[], text[], bytea[]) from public;
grant execute on function seal_phone_deks(bigint[], text[], bytea[]) to custodia_app;

-- Destruction erases the name as well; all else of it stays as it is.
do $$
declare
  former text := pg_get_functiondef('forget_payloads(bigint[])'::regprocedure);
  changed text := replace(former, 'set encrypted_dek = '''',', 'set encrypted_dek = '''', dek_key = null,');
begin
  if changed = former then raise exception 'forget_payloads is not as it was'; end if;
  execute changed;
end $$;
