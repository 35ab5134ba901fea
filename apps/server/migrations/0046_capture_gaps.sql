-- Times in which a service that is ordered of somebody is not recorded on one of their phones, each with its reason: kept for good. Of a person
-- and service one is open at a time.
create table capture_gaps (
  gap_id         bigint generated always as identity,
  client_id      int not null,
  device_user_id int not null,
  -- The group that the person was in.
  group_id       int not null,
  service        text not null,
  reason         text not null check (reason in
    ('no_phone', 'unlicensed', 'silent', 'service_off', 'not_allowed', 'no_device_admin', 'no_sim', 'brings_nothing')),
  -- The phone that does not record it; null: there is none.
  device_id      int,
  from_at        bigint not null,
  to_at          bigint check (to_at >= from_at),
  primary key (client_id, gap_id),
  foreign key (client_id, device_user_id) references device_users (client_id, device_user_id),
  foreign key (client_id, group_id) references groups (client_id, group_id),
  foreign key (client_id, device_id) references devices (client_id, device_id),
  check ((reason = 'no_phone') = (device_id is null))
);
create unique index capture_gaps_open on capture_gaps (client_id, device_user_id, service) where to_at is null;
create index capture_gaps_of_service on capture_gaps (client_id, device_user_id, service, to_at);
create index capture_gaps_time on capture_gaps (client_id, from_at desc, gap_id desc);
create index capture_gaps_group on capture_gaps (client_id, group_id, from_at desc, gap_id desc);
create index capture_gaps_user on capture_gaps (client_id, device_user_id, from_at desc, gap_id desc);
alter table capture_gaps enable row level security;
alter table capture_gaps force row level security;
create policy tenant on capture_gaps using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on capture_gaps to custodia_app;
grant update (to_at) on capture_gaps to custodia_app;
