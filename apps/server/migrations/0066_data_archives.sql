-- The address of an archive of several payloads: it is that of the first of them, and says what was asked for and what is refused.
alter table data_addresses add column archive jsonb;
