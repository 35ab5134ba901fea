-- Who a portal user is: issuer and subject of their identity provider. A name belongs to one of them for good: "alice" of another provider is
-- another person, with another name here.
create table portal_people (
  client_id      int not null references clients,
  user_reference text not null,
  issuer         text not null,
  subject        text not null,
  created_at     bigint not null,
  primary key (client_id, user_reference),
  unique (client_id, issuer, subject)
);
grant select, insert on portal_people to custodia_app;

-- The identity provider through which the person signed in. Null: unknown, and equal to no provider.
alter table portal_sessions add column issuer text;
-- Only sessions of this issuer clear the alert; null: all sessions do.
alter table alerts add column only_issuer text;

-- Changes of a client's identity provider that the provider's staff proposed. Each is a proposal of the client too; this is what the staff see
-- of it, and who of them seconded it because the client cannot sign in.
create table identity_changes (
  client_id       int not null references clients,
  proposal_id     text collate "C" not null,
  /* null: the provider of the installation */
  issuer          text,
  oidc_client_id  text,
  proposed_at     bigint not null,
  proposed_by     text not null,
  expires_at      bigint not null,
  seconded_at     bigint,
  seconded_by     text check (seconded_by <> proposed_by),
  takes_effect_at bigint,
  ended_at        bigint,
  primary key (client_id, proposal_id),
  foreign key (client_id, proposal_id) references proposals,
  check ((seconded_at is null) = (seconded_by is null) and (seconded_at is null) = (takes_effect_at is null))
);
create unique index identity_changes_waiting on identity_changes (client_id) where ended_at is null;
grant select, insert, update (seconded_at, seconded_by, takes_effect_at, ended_at) on identity_changes to custodia_app;
grant select on identity_changes to custodia_staff;

do $$
declare
  name text;
begin
  foreach name in array array['portal_people', 'identity_changes'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
create policy staff on identity_changes for select to custodia_staff using (true);

-- It is seconded once and ends once; nothing else of it changes.
create function keep_identity_changes() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.ended_at is null and (old.seconded_at is null
      or (new.seconded_at, new.seconded_by, new.takes_effect_at) is not distinct from (old.seconded_at, old.seconded_by, old.takes_effect_at))
    and (new.client_id, new.proposal_id, new.issuer, new.oidc_client_id, new.proposed_at, new.proposed_by, new.expires_at)
      is not distinct from (old.client_id, old.proposal_id, old.issuer, old.oidc_client_id, old.proposed_at, old.proposed_by, old.expires_at) then
    return new;
  end if;
  raise exception 'changes of identity providers are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on identity_changes for each row execute function keep_identity_changes();
create trigger kept_whole before truncate on identity_changes for each statement execute function keep_identity_changes();

-- However its proposal ends, the change ends with it.
create function end_identity_change() returns trigger language plpgsql as $$
begin
  update identity_changes set ended_at = new.decided_at
  where client_id = new.client_id and proposal_id = new.proposal_id and ended_at is null;
  return new;
end $$;
create trigger ends_identity_change after update of state on proposals for each row
  when (new.kind = 'ChangeIdentityProvider' and new.state <> 'waiting') execute function end_identity_change();
