import { lockMigrations } from '../../clients/store.ts'
import { HELD_THEN } from '../../held-records/store.ts'
import { STATE_CODES } from '../../payload-records/codes.ts'
import type { DependentRows } from './dependent-rows.ts'
import type { RecordKind } from './kind-store.ts'

/** SQL: owners of payloads `y` and the holders at recording time. */
const ownersOf = (payloads: string) =>
  `select 'DeviceUser' as target_type, u.device_user_reference as target from (${payloads}) y
     join payloads p on p.client_id = y.client_id and p.payload_id = y.payload_id
     join device_users u on u.client_id = p.client_id and u.device_user_id in (select p.device_user_id union select d.device_user_id
       from device_history d where d.client_id = p.client_id and d.device_id = p.device_id and ${HELD_THEN})`

/** Locks against a retry of a run or an import during the deletion. */
const WITH_MIGRATIONS: DependentRows = {
  columns: 'null::int as device_id, null::bigint as key_id',
  before: (tx) => lockMigrations(tx),
  after: async () => undefined,
}

/** Finished runs with their dependent rows. */
export const RUN_KINDS: readonly RecordKind[] = [
  {
    table: 'transfer_runs',
    follows: 'Transfer',
    time: 'created_at',
    received: 'completed_at',
    key: 'transfer_id',
    key_type: 'text',
    // Delivery items stay while their payload exists, so that it is not sent again. The last window of a config stays.
    only: `completed_at is not null and not exists (
        select from transfer_items i join payloads y on y.client_id = i.client_id and y.payload_id = i.payload_id
        where i.client_id = transfer_runs.client_id and i.transfer_id = transfer_runs.transfer_id and y.state <> ${STATE_CODES.Destroyed})
      and (exists (select from transfer_runs n where n.client_id = transfer_runs.client_id
          and n.transfer_config_reference = transfer_runs.transfer_config_reference and n.transfer_id > transfer_runs.transfer_id)
        or not exists (select from transfer_configs c where c.client_id = transfer_runs.client_id
          and c.transfer_config_reference = transfer_runs.transfer_config_reference))`,
    destroyed_by: `destroy_runs('Transfer', $1)`,
    action: 'retention:destroy_transfers',
    locked_by: 'transfer_id',
    batch: 20,
    facts: 'transfer_id, updated_by',
    subjects: `select 'PortalUser' as target_type, n.person as target from (
        select p.updated_by as person union select a.attempted_by from transfer_attempts a
        where a.client_id = p.client_id and a.transfer_id = p.transfer_id) n
      union ${ownersOf(`select i.client_id, i.payload_id from transfer_items i
        where i.client_id = p.client_id and i.transfer_id = p.transfer_id and i.payload_id is not null`)}`,
  },
  {
    table: 'migration_runs',
    follows: 'Migration',
    time: 'created_at',
    received: 'greatest(migrated_at, signed_off_at, sources_erased_at)',
    key: 'migration_reference',
    key_type: 'text',
    // Excludes runs that wait for sign-off, for erasure of their files, or for a retry.
    only: `migrated_at is not null and (is_dry_run or (signed_off_at is not null and sources_erased_at is not null))
      and not exists (select from migration_runs n where n.client_id = migration_runs.client_id
        and n.retry_of = migration_runs.migration_reference and n.migrated_at is null)`,
    destroyed_by: `destroy_runs('Migration', $1)`,
    action: 'retention:destroy_migrations',
    locked_by: 'migration_reference',
    batch: 20,
    facts: 'migration_reference, created_by, signed_off_by',
    subjects: `select 'PortalUser' as target_type, n.person as target from (values (p.created_by), (p.signed_off_by)) n (person)
        where n.person is not null
      union select 'DeviceUser', r.item from migration_results r
        where r.client_id = p.client_id and r.migration_reference = p.migration_reference and r.kind = 'DeviceUser'
      union ${ownersOf(`select r.client_id, r.payload_id from migration_results r
        where r.client_id = p.client_id and r.migration_reference = p.migration_reference and r.payload_id is not null`)}`,
    with: WITH_MIGRATIONS,
  },
]
