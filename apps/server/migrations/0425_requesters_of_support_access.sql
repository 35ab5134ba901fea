-- Who asked for support access, as their identity provider knows them. A person of the client with the same name is another person. Null: not known.
alter table support_access
  add column requested_issuer text,
  add column requested_subject text,
  add check ((requested_issuer is null) = (requested_subject is null));
