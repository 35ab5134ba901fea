-- A destruction is noted in the ledger beside the keys before it commits: an intent says in which file, always.
update destruction_intents set file = '' where file is null;

create function destruction_is_noted() returns trigger language plpgsql as $$
begin
  if exists (select from destruction_intents where client_id = new.client_id and payload_id = new.payload_id and file is null) then
    raise exception 'a destruction is not noted beside the keys';
  end if;
  return null;
end $$;
create constraint trigger destruction_is_noted after insert or update on destruction_intents
  deferrable initially deferred for each row execute function destruction_is_noted();

-- The installation's metrics count unfinished destructions.
grant select (client_id, since) on destruction_intents to custodia_staff;
create policy staff on destruction_intents for select to custodia_staff using (true);
