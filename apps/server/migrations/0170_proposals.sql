-- What waits for a second person, and what became of it (reading-the-spec: two people). Whatever the act is, it lies here with what it was
-- about when somebody proposed it: where that has changed since, nothing is done.
create table proposals (
  client_id   int not null references clients,
  proposal_id text collate "C" not null,
  kind        text collate "C" not null,
  /* what it is about: of one kind and subject one proposal waits at a time */
  subject     text collate "C" not null,
  /* as the wire tells it, without `kind` */
  act         jsonb not null,
  /* how that stood */
  basis       jsonb not null,
  state       text collate "C" not null default 'waiting'
    check (state in ('waiting', 'confirmed', 'rejected', 'withdrawn', 'superseded', 'expired')),
  proposed_at bigint not null,
  proposed_by text not null,
  reason_id   text collate "C",
  decided_at  bigint,
  decided_by  text,
  rejected_reason_id text collate "C",
  primary key (client_id, proposal_id),
  check ((state = 'waiting') = (decided_at is null)),
  check ((state in ('waiting', 'expired')) = (decided_by is null)),
  check ((state = 'rejected') = (rejected_reason_id is not null)),
  -- Nobody is their own second person.
  check (state not in ('confirmed', 'superseded', 'rejected') or decided_by <> proposed_by),
  check (state <> 'withdrawn' or decided_by = proposed_by),
  foreign key (client_id, reason_id) references legal_hold_reasons (client_id, reason_id),
  foreign key (client_id, rejected_reason_id) references legal_hold_reasons (client_id, reason_id)
);
create index proposals_listed on proposals (client_id, proposed_at desc, proposal_id desc);
create unique index proposals_waiting on proposals (client_id, kind, subject) where state = 'waiting';

-- Whether acts wait for a second person: the newest row says it, none says no. The first and the second person stand in each.
create table two_people_versions (
  client_id    int not null references clients,
  version      int not null,
  is_required  boolean not null,
  at           bigint not null,
  by           text not null,
  confirmed_by text not null check (confirmed_by <> by),
  primary key (client_id, version)
);

-- By whom an act was confirmed; null: nobody had to.
alter table legal_hold_events add column confirmed_by text check (confirmed_by <> by);
alter table legal_matters add column closed_confirmed_by text check (closed_confirmed_by <> closed_by);
alter table retention_policies add column confirmed_by text check (confirmed_by <> by);

-- Proposals are history: one that waits ends once, and nothing else of it changes.
create function keep_proposals() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'proposals' then
    if old.state = 'waiting' and new.state <> 'waiting'
      and (new.client_id, new.proposal_id, new.kind, new.subject, new.act, new.basis, new.proposed_at, new.proposed_by, new.reason_id)
      is not distinct from (old.client_id, old.proposal_id, old.kind, old.subject, old.act, old.basis, old.proposed_at, old.proposed_by, old.reason_id) then
      return new;
    end if;
  end if;
  raise exception 'proposals are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on proposals for each row execute function keep_proposals();
create trigger kept_whole before truncate on proposals for each statement execute function keep_proposals();
create trigger kept before update or delete on two_people_versions for each row execute function keep_proposals();
create trigger kept_whole before truncate on two_people_versions for each statement execute function keep_proposals();

grant select, insert, update (state, decided_at, decided_by, rejected_reason_id) on proposals to custodia_app;
grant select, insert on two_people_versions to custodia_app;
grant update (closed_confirmed_by) on legal_matters to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['proposals', 'two_people_versions'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
