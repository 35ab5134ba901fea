-- What a phone is given to join the account: for somebody, once; or for a roll-out, by as many phones as it says.
create table enrolments (
  enrolment_id        int generated always as identity,
  client_id           int not null,
  enrolment_reference text not null collate "C",
  -- Whose phone it makes; null: the account's.
  device_user_id      int,
  -- SHA-256 of its secret, which nobody can read again.
  secret_hash         bytea not null,
  description         text,
  -- Phones that may come with it; null: any number.
  max_uses            int check (max_uses > 0),
  uses                int not null default 0,
  created_at          bigint not null,
  created_by          text not null,
  expires_at          bigint not null,
  revoked_at          bigint,
  revoked_by          text,
  primary key (client_id, enrolment_id),
  unique (client_id, enrolment_reference),
  check (uses >= 0 and (max_uses is null or uses <= max_uses)),
  check (device_user_id is null or max_uses = 1),
  check ((revoked_at is null) = (revoked_by is null)),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id)
);
create index on enrolments (client_id, device_user_id, enrolment_id);

-- Which phone came with which, and when. Evidence: written once.
create table enrolment_uses (
  client_id    int not null,
  enrolment_id int not null,
  device_id    int not null,
  used_at      bigint not null,
  primary key (client_id, enrolment_id, device_id),
  foreign key (client_id, enrolment_id) references enrolments (client_id, enrolment_id),
  foreign key (client_id, device_id) references devices (client_id, device_id)
);
create index on enrolment_uses (client_id, device_id);

grant select, insert on enrolments, enrolment_uses to custodia_app;
grant update (uses, revoked_at, revoked_by) on enrolments to custodia_app;
grant usage on all sequences in schema public to custodia_app;
do $$
declare
  name text;
begin
  foreach name in array array['enrolments', 'enrolment_uses'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
    execute format(
      'create policy tenant on %I using (client_id = nullif(current_setting(''custodia.client_id'', true), '''')::int)',
      name
    );
  end loop;
end $$;
