-- One group of each client is reserved: there lies what waits for somebody's confirmation. No condition of any permission matches it.
alter table groups add column is_reserved boolean not null default false;
create unique index groups_reserved on groups (client_id) where is_reserved;

-- Makes the tenant's reserved group, unless it has one. A name that a group of the account has already stays that group's.
create function reserve_group(client int, at bigint, by_whom text) returns void language plpgsql as $$
declare
  name text := 'Waiting for confirmation';
  number int := 1;
begin
  if exists (select from groups where client_id = client and is_reserved) then
    return;
  end if;
  while exists (select from groups where client_id = client and group_reference = name) loop
    number := number + 1;
    name := 'Waiting for confirmation ' || number;
  end loop;
  insert into groups (client_id, group_reference, is_reserved, updated_at, updated_by) values (client, name, true, at, by_whom);
end $$;

do $$
declare
  tenant int;
begin
  for tenant in select client_id from clients loop
    -- Row-level security is forced on the owner as well.
    perform set_config('custodia.client_id', tenant::text, true);
    perform reserve_group(tenant, extract(epoch from now())::bigint, 'upgrade');
    update clients set access_epoch = access_epoch + 1 where client_id = tenant;
  end loop;
  perform set_config('custodia.client_id', '', true);
end $$;
