-- The key of a proposal's secrets is wrapped anew when keys are rotated; the secrets, and everything else of one that waits, stay as they are.
create or replace function keep_proposals() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'proposals' then
    if old.state = 'waiting' and new.state <> 'waiting'
      and (new.client_id, new.proposal_id, new.kind, new.subject, new.act, new.basis, new.proposed_at, new.proposed_by, new.reason_id)
      is not distinct from (old.client_id, old.proposal_id, old.kind, old.subject, old.act, old.basis, old.proposed_at, old.proposed_by, old.reason_id) then
      return new;
    end if;
    if old.state = 'waiting' and old.sealed ->> 'wrapped_key' is not null and new.sealed ->> 'wrapped_key' is not null
      and to_jsonb(new) #- '{sealed,wrapped_key}' = to_jsonb(old) #- '{sealed,wrapped_key}' then
      return new;
    end if;
  end if;
  raise exception 'proposals are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
