-- What an account transfers to storage of its own: what, where to, in which form and when.
create table transfer_configs (
  client_id                 int not null references clients,
  transfer_config_reference text collate "C" not null,
  transfer_type             text not null check (transfer_type in ('Payload', 'Report')),
  payload_types             text[] not null check (cardinality(payload_types) > 0
    and payload_types <@ array['Call', 'Interview', 'Photo', 'MMS', 'RCS', 'SMS', 'Video']),
  schedule                  text,
  pgp_key                   text,
  transfer_file_format      text not null check (transfer_file_format in ('Uncompressed', 'Zipped', 'ZippedWithPassword', 'PGP')),
  params                    jsonb not null check (params ->> 'target_type' in ('S3', 'SFTP')),
  is_active                 boolean not null,
  -- The key of its secrets, wrapped by the key provider, and each secret under it. Nothing opens one without the key.
  wrapped_key               bytea,
  zip_password              bytea,
  sftp_password             bytea,
  sftp_private_key          bytea,
  updated_at                bigint not null,
  updated_by                text not null,
  primary key (client_id, transfer_config_reference),
  check (wrapped_key is not null or num_nonnulls(zip_password, sftp_password, sftp_private_key) = 0)
);

grant select, insert, delete on transfer_configs to custodia_app;
grant update (transfer_type, payload_types, schedule, pgp_key, transfer_file_format, params, is_active, wrapped_key, zip_password, sftp_password,
  sftp_private_key, updated_at, updated_by) on transfer_configs to custodia_app;
alter table transfer_configs enable row level security;
alter table transfer_configs force row level security;
create policy tenant on transfer_configs using (client_id = nullif(current_setting('custodia.client_id', true), '')::int);
