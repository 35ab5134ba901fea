-- Whether it stands told that phones of somebody who was offboarded still hold recordings.
alter table device_users add column told_queue boolean not null default false;
