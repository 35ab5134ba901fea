-- A suspended client of which nothing is kept is deleted by two people of the provider. The row stays: its reference is never given again,
-- and the audit log and certificates belong to it.
alter table clients
  add column deletion_proposed_at bigint,
  add column deletion_proposed_by text,
  add column deleted_at bigint,
  add column deleted_by text,
  -- The signed certificate as a file (docs/operations.md).
  add column deletion_certificate text,
  add check ((deletion_proposed_at is null) = (deletion_proposed_by is null)),
  add check (num_nulls(deleted_at, deleted_by, deletion_certificate) in (0, 3)),
  add check (deletion_proposed_at is null or suspended_at is not null),
  add check (deleted_at is null or (deletion_proposed_at is not null and deleted_by <> deletion_proposed_by and not is_provider));
grant select (deletion_proposed_at, deletion_proposed_by, deleted_at) on clients to custodia_staff;

create function keep_deleted_clients() returns trigger language plpgsql as $$
begin
  if (new.client, new.suspended_at, new.deletion_proposed_at, new.deletion_proposed_by, new.deleted_at, new.deleted_by, new.deletion_certificate)
    is distinct from (old.client, old.suspended_at, old.deletion_proposed_at, old.deletion_proposed_by, old.deleted_at, old.deleted_by, old.deletion_certificate) then
    raise exception 'client % is deleted', old.client using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger kept_deleted before update on clients for each row when (old.deleted_at is not null) execute function keep_deleted_clients();

-- The lock waits for a deletion that is under way: a device whose call had begun before is refused, and keeps its copy.
create function refuse_payload_of_deleted_client() returns trigger language plpgsql as $$
begin
  perform from clients where client_id = new.client_id and deleted_at is null for key share;
  if not found then
    raise exception 'the client is deleted' using errcode = 'insufficient_privilege';
  end if;
  return new;
end $$;
create trigger refused_when_deleted before insert on payloads for each row execute function refuse_payload_of_deleted_client();
