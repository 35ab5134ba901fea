-- Under which client id the phones of a client are known to its identity provider; null: its people do not sign in on phones.
alter table clients add column oidc_phone_client_id text;
grant select (oidc_phone_client_id) on clients to custodia_staff;
-- Whoever the embedded provider knows by an address that is theirs; null: it vouches for none.
alter table oidc_people add column email text;
