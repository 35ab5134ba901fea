-- Whose recordings and records nothing may delete (spec section 5, legal hold). Every setting and release is an event that is written once; the
-- row of the subject says what counts now. Times are of the database: no clock of another machine ends a hold.
create table legal_holds (
  client_id      int not null references clients,
  target_type    text collate "C" not null check (target_type in ('PortalUser', 'DeviceUser')),
  -- How a portal user is called, who need never have been here; or the reference of a device user.
  target         text collate "C" not null,
  device_user_id int,
  is_active      boolean not null,
  created_at     bigint not null,
  updated_at     bigint not null,
  updated_by     text not null,
  primary key (client_id, target_type, target),
  check ((target_type = 'DeviceUser') = (device_user_id is not null)),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id)
);
create unique index legal_holds_of_user on legal_holds (client_id, device_user_id) where device_user_id is not null;

create table legal_hold_events (
  event_id    bigint generated always as identity,
  client_id   int not null,
  target_type text collate "C" not null,
  target      text collate "C" not null,
  act         text collate "C" not null check (act in ('set', 'released')),
  at          bigint not null,
  by          text not null,
  -- Of its reason; null where nobody gave one.
  reason_id   text collate "C",
  primary key (client_id, target_type, target, event_id),
  check (act <> 'released' or reason_id is not null),
  foreign key (client_id, target_type, target) references legal_holds (client_id, target_type, target)
);

-- Why somebody is held, or no more: free text, sealed under a key of its own.
create table legal_hold_reasons (
  client_id     int not null references clients,
  reason_id     text collate "C" not null,
  sealed_reason bytea not null,
  /* wrapped by the key provider */
  wrapped_key   bytea not null,
  primary key (client_id, reason_id)
);
alter table legal_hold_events add foreign key (client_id, reason_id) references legal_hold_reasons (client_id, reason_id);

-- Periods are history: nobody, not even the owner of the tables, changes or removes one.
create function keep_legal_holds() returns trigger language plpgsql as $$
begin
  raise exception 'legal holds are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on legal_hold_events for each row execute function keep_legal_holds();
create trigger kept_whole before truncate on legal_hold_events for each statement execute function keep_legal_holds();
create trigger kept before delete on legal_hold_reasons for each row execute function keep_legal_holds();
create trigger kept_whole before truncate on legal_hold_reasons for each statement execute function keep_legal_holds();
create trigger kept before delete on legal_holds for each row execute function keep_legal_holds();
create trigger kept_whole before truncate on legal_holds for each statement execute function keep_legal_holds();

-- What a portal user left on payloads.
create index payload_comments_of on payload_comments (client_id, raised_by, payload_id);
create index payload_comment_versions_of on payload_comment_versions (client_id, updated_by, comment_id);
create index payload_receipts_of on payload_receipts (client_id, client_app_user, payload_id) where is_person;
create index payload_marks_of on payload_marks (client_id, marked_by, payload_id);
create index payload_marks_decided on payload_marks (client_id, decided_by, payload_id) where decided_by is not null;
create index legal_holds_listed on legal_holds (client_id, updated_at desc, target_type desc, target desc);

grant select, insert, update (is_active, updated_at, updated_by) on legal_holds to custodia_app;
grant select, insert on legal_hold_events to custodia_app;
-- Keys are wrapped anew when the provider's own key changes.
grant select, insert, update (wrapped_key) on legal_hold_reasons to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['legal_holds', 'legal_hold_events', 'legal_hold_reasons'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
