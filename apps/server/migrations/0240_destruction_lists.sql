-- Whether destructions wait until somebody has released the list of them: the newest row says it, none says no. Switching it on takes one person,
-- switching it off two.
create table destruction_review_versions (
  client_id    int not null references clients,
  version      int not null,
  is_required  boolean not null,
  at           bigint not null,
  by           text not null,
  confirmed_by text check (confirmed_by <> by),
  primary key (client_id, version),
  check (is_required or confirmed_by is not null)
);

-- What is due for destruction and waits, or waited.
create table destruction_lists (
  client_id   int not null references clients,
  destruction_reference text collate "C" not null,
  state       text collate "C" not null default 'gathering' check (state in ('gathering', 'waiting', 'released', 'lapsed')),
  began_at    bigint not null,
  gathered_at bigint,
  released_at bigint,
  released_by text,
  /* how often something was taken out or put back: who releases it says what they saw */
  changes     int not null default 0,
  primary key (client_id, destruction_reference),
  check ((state = 'released') = (released_by is not null)),
  check ((released_by is null) = (released_at is null)),
  check (state = 'gathering' or gathered_at is not null)
);
create unique index destruction_lists_gathering on destruction_lists (client_id) where state = 'gathering';

create table destruction_list_items (
  client_id   int not null,
  destruction_reference text collate "C" not null,
  payload_id  bigint not null,
  /* by which it was due when it came into the list */
  policy_version int not null,
  state       text collate "C" not null default 'listed' check (state in ('listed', 'taken_out', 'put_back', 'destroyed', 'kept')),
  at          bigint,
  by          text,
  reason_id   text collate "C",
  primary key (client_id, destruction_reference, payload_id),
  check ((at is null) = (by is null)),
  check (state = 'listed' or by is not null),
  check (state not in ('taken_out', 'put_back') or reason_id is not null),
  foreign key (client_id, destruction_reference) references destruction_lists (client_id, destruction_reference),
  foreign key (client_id, payload_id) references payloads (client_id, payload_id),
  foreign key (client_id, reason_id) references legal_hold_reasons (client_id, reason_id)
);
-- A payload waits in one list at a time.
create unique index destruction_list_items_open on destruction_list_items (client_id, payload_id) where state in ('listed', 'taken_out');

-- Whatever the server believes: nothing comes into the ledger that somebody took out, or that nobody released where the account asks for it. What
-- was destroyed in the database that this one replaces is gone already.
create function keep_what_nobody_released() returns trigger language plpgsql as $$
begin
  if new.replayed_at is not null then
    return new;
  end if;
  if exists (select from destruction_list_items i where i.client_id = new.client_id and i.payload_id = new.payload_id and i.state = 'taken_out') then
    raise exception 'payload % was taken out of a list of destructions', new.payload_id using errcode = 'check_violation';
  end if;
  if (select v.is_required from destruction_review_versions v where v.client_id = new.client_id order by v.version desc limit 1)
    and not exists (select from destruction_list_items i join destruction_lists l using (client_id, destruction_reference)
      where i.client_id = new.client_id and i.payload_id = new.payload_id and i.state = 'listed' and l.state = 'released') then
    raise exception 'payload % waits until somebody has released its destruction', new.payload_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger reviewed before insert on destruction_ledger for each row execute function keep_what_nobody_released();

-- Lists and what is in them are history: they end once, and who released what is never changed.
create function keep_destruction_lists() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and tg_table_name = 'destruction_lists' then
    if old.state in ('gathering', 'waiting') or (old.state = new.state and old.released_by is not distinct from new.released_by
      and old.released_at is not distinct from new.released_at and old.began_at = new.began_at) then
      return new;
    end if;
  elsif tg_op = 'UPDATE' and tg_table_name = 'destruction_list_items' then
    if old.state in ('listed', 'taken_out') and old.policy_version = new.policy_version then
      return new;
    end if;
  end if;
  raise exception 'lists of destructions are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
do $$
declare
  name text;
begin
  foreach name in array array['destruction_lists', 'destruction_list_items', 'destruction_review_versions'] loop
    execute format('create trigger kept before update or delete on %I for each row execute function keep_destruction_lists()', name);
    execute format('create trigger kept_whole before truncate on %I for each statement execute function keep_destruction_lists()', name);
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
grant select, insert on destruction_review_versions to custodia_app;
grant select, insert, update (state, gathered_at, released_at, released_by, changes) on destruction_lists to custodia_app;
grant select, insert, update (state, at, by, reason_id) on destruction_list_items to custodia_app;
