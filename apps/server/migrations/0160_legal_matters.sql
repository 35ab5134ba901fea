-- Many people held for one reason, and released as one. A matter that is open holds each of its people; whoever is held by themselves as well
-- stays held when it closes.
alter table legal_holds
  /* somebody holds them by themselves; else matters do */
  add column is_own boolean not null default true;
grant update (is_own) on legal_holds to custodia_app;

create table legal_matters (
  client_id  int not null references clients,
  matter_id  text collate "C" not null,
  name       text not null,
  opened_at  bigint not null,
  opened_by  text not null,
  updated_at bigint not null,
  updated_by text not null,
  /* of its opening; null where nobody gave one */
  opened_reason_id text collate "C",
  closed_at  bigint,
  closed_by  text,
  closed_reason_id text collate "C",
  primary key (client_id, matter_id),
  check ((closed_at is null) = (closed_by is null) and (closed_at is null) = (closed_reason_id is null)),
  foreign key (client_id, opened_reason_id) references legal_hold_reasons (client_id, reason_id),
  foreign key (client_id, closed_reason_id) references legal_hold_reasons (client_id, reason_id)
);
create index legal_matters_listed on legal_matters (client_id, opened_at desc, matter_id desc);

create table legal_matter_people (
  member_id   bigint generated always as identity,
  client_id   int not null,
  matter_id   text collate "C" not null,
  target_type text collate "C" not null,
  target      text collate "C" not null,
  added_at    bigint not null,
  added_by    text not null,
  /* taken out, or released with the matter */
  removed_at  bigint,
  removed_by  text,
  primary key (client_id, matter_id, member_id),
  check ((removed_at is null) = (removed_by is null)),
  foreign key (client_id, matter_id) references legal_matters (client_id, matter_id),
  foreign key (client_id, target_type, target) references legal_holds (client_id, target_type, target)
);
-- Whom open matters hold.
create unique index legal_matter_people_held on legal_matter_people (client_id, target_type, target, matter_id) where removed_at is null;
create index legal_matter_people_listed on legal_matter_people (client_id, matter_id, target_type, target, member_id);

-- By which matter somebody was held or released; null: by themselves.
alter table legal_hold_events add column matter_id text collate "C",
  add foreign key (client_id, matter_id) references legal_matters (client_id, matter_id);

-- What a matter was, and who belonged to it, is history: a matter is closed and a person taken out once, and nothing else of them changes.
create function keep_legal_matters() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'legal_matters' then
    if old.closed_at is null and (new.client_id, new.matter_id, new.name, new.opened_at, new.opened_by, new.opened_reason_id)
      is not distinct from (old.client_id, old.matter_id, old.name, old.opened_at, old.opened_by, old.opened_reason_id) then
      return new;
    end if;
  end if;
  if tg_op = 'UPDATE' and tg_table_name = 'legal_matter_people' then
    if old.removed_at is null and (new.client_id, new.matter_id, new.member_id, new.target_type, new.target, new.added_at, new.added_by)
      = (old.client_id, old.matter_id, old.member_id, old.target_type, old.target, old.added_at, old.added_by) then
      return new;
    end if;
  end if;
  raise exception 'legal matters are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on legal_matters for each row execute function keep_legal_matters();
create trigger kept_whole before truncate on legal_matters for each statement execute function keep_legal_matters();
create trigger kept before update or delete on legal_matter_people for each row execute function keep_legal_matters();
create trigger kept_whole before truncate on legal_matter_people for each statement execute function keep_legal_matters();

grant select, insert, update (updated_at, updated_by, closed_at, closed_by, closed_reason_id) on legal_matters to custodia_app;
grant select, insert, update (removed_at, removed_by) on legal_matter_people to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['legal_matters', 'legal_matter_people'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
