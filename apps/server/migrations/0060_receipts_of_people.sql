-- People confirm receipts, too. Theirs are marked: only those of apps satisfy what retention waits for, and a person may be called as an app is.
alter table payload_receipts add column is_person boolean not null default false;
alter table payload_receipts drop constraint payload_receipts_pkey;
alter table payload_receipts add primary key (client_id, payload_id, client_app_user, is_person);
