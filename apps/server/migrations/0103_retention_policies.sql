-- After how long things are to be deleted and destroyed (spec section 3, retention policy): every policy that an account had, the last one
-- counts. What a policy says of payloads that were kept before it, the domain works out of all of them; so none is changed or removed.
create table retention_policies (
  client_id       int not null references clients,
  policy_version  int not null check (policy_version > 0),
  entries         jsonb not null,
  /* what the law asks for per payload type, with its basis; it rises from version to version */
  minimums        jsonb not null,
  applies_to_kept boolean not null,
  note            text,
  at              bigint not null,
  by              text not null,
  primary key (client_id, policy_version)
);

create function keep_retention_policies() returns trigger language plpgsql as $$
begin
  raise exception 'retention policies are history: % of %', tg_op, tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger kept before update or delete on retention_policies for each row execute function keep_retention_policies();
create trigger kept_whole before truncate on retention_policies for each statement execute function keep_retention_policies();

grant select, insert on retention_policies to custodia_app;
alter table retention_policies enable row level security;
alter table retention_policies force row level security;
create policy tenant on retention_policies using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
