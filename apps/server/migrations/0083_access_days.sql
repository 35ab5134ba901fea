-- What somebody was handed on a day (UTC, its first second), each recording once: what is unusual is seen without reading the audit.
create table access_days (
  client_id int not null references clients,
  person    text collate "C" not null,
  act       text collate "C" not null,
  day       bigint not null,
  count     bigint not null,
  -- Whether an alert told of that day.
  is_told   boolean not null default false,
  primary key (client_id, person, act, day)
) with (fillfactor = 70);
alter table access_days enable row level security;
alter table access_days force row level security;
create policy tenant on access_days using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
grant select, insert on access_days to custodia_app;
grant update (count, is_told) on access_days to custodia_app;

-- From how many a day on security staff is told, and whether the account asks why data is taken away: in which words, where it keeps some.
alter table account_defaults
  add column play_limit int not null default 1000 check (play_limit > 0),
  add column download_limit int not null default 100 check (download_limit > 0),
  add column export_limit int not null default 20 check (export_limit > 0),
  add column asks_reason boolean not null default false,
  add column reasons text[] not null default '{}';
alter table data_addresses add column reason text;
