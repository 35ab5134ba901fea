-- Whom people ask who may do nothing yet: a name, an address, a number; in the account's own words.
alter table account_defaults add column contact text check (length(contact) between 1 and 255);
