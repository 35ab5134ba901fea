import type { migration } from '@custodia/domain'
import { HELD_USER } from '../held-records/store.ts'
import { readLimits, readUse } from '../licenses/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { findDefinitions } from '../groups/tags/store.ts'

type Known = Pick<
  migration.MigrationFixture,
  'default_group' | 'groups' | 'tag_definitions' | 'licenses' | 'users' | 'devices'
>

/** Groups, tag definitions, licences, users and devices, also deleted ones, because no import restores them. */
export async function loadKnown(q: Queryable): Promise<Known> {
  const groups = await q.query<{ group_reference: string; is_default: boolean }>(
    `select g.group_reference, g.group_id = d.group_id as is_default from groups g join account_defaults d using (client_id)
     where g.client_id = $1 and not g.is_reserved`,
    [q.client_id],
    'migration_groups',
  )
  const users = await q.query<migration.KnownUser & { reference: string }>(
    `select u.device_user_reference as reference, g.group_reference as "group", u.email, u.first_name, u.surname, u.services, u.expected_device_count,
       u.is_active, u.is_legacy and u.deleted_at is null as is_legacy, ${HELD_USER} as is_held, o.updated_at as legacy_updated_at
     from device_users u join groups g using (client_id, group_id)
     left join legacy_origins o on o.client_id = u.client_id and o.kind = 'DeviceUser' and o.reference = u.device_user_reference
     where u.client_id = $1 order by u.device_user_id`,
    [q.client_id],
    'migration_users',
  )
  const devices = await q.query<migration.KnownDevice & { reference: string }>(
    `select d.device_reference as reference, u.device_user_reference, d.legacy_phone_number, d.imeis, d.model, d.os_version, d.app_version,
       not d.is_deactivated as is_active, d.unlicensed_services, d.is_legacy and d.deleted_at is null as is_legacy, o.updated_at as legacy_updated_at
     from devices d left join device_users u using (client_id, device_user_id)
     left join legacy_origins o on o.client_id = d.client_id and o.kind = 'Device' and o.reference = d.device_reference
     where d.client_id = $1 order by d.device_id`,
    [q.client_id],
    'migration_devices',
  )
  const named = <T extends { reference: string }>({ rows }: { rows: T[] }) =>
    rows.map(({ reference, ...known }) => [reference, known] as const)
  return {
    default_group: groups.rows.find(({ is_default }) => is_default)?.group_reference ?? '',
    groups: groups.rows.map(({ group_reference }) => group_reference),
    tag_definitions: await findDefinitions(q),
    licenses: { limits: (await readLimits(q)).limits, used: await readUse(q) },
    users: named(users),
    devices: named(devices),
  }
}

/** Known legacy payloads by legacy name. */
export async function findLoaded(
  q: Queryable,
  references: readonly string[],
): Promise<Map<string, { payload_id: number; is_awaited: boolean }>> {
  const { rows } = await q.query<{ legacy: string; payload_id: number; is_awaited: boolean }>(
    `select legacy_payload_reference as legacy, payload_id, is_awaited from legacy_payloads
     where client_id = $1 and legacy_payload_reference = any($2) and payload_id is not null`,
    [q.client_id, references],
    'migration_loaded',
  )
  return new Map(rows.map(({ legacy, ...row }) => [legacy, row]))
}

/** Groups of users, and devices, by reference. */
export async function findOwners(
  q: Queryable,
  users: readonly string[],
  devices: readonly string[],
): Promise<{
  users: Map<string, { device_user_id: number; group_id: number }>
  devices: Map<string, number>
}> {
  const people = await q.query<{ reference: string; device_user_id: number; group_id: number }>(
    `select device_user_reference as reference, device_user_id, group_id from device_users
     where client_id = $1 and device_user_reference = any($2)`,
    [q.client_id, users],
    'migration_owners',
  )
  const phones = await q.query<{ device_reference: string; device_id: number }>(
    'select device_reference, device_id from devices where client_id = $1 and device_reference = any($2)',
    [q.client_id, devices],
    'migration_phones',
  )
  return {
    users: new Map(people.rows.map(({ reference, ...row }) => [reference, row])),
    devices: new Map(phones.rows.map(({ device_reference, device_id }) => [device_reference, device_id])),
  }
}

/** Reserves references for these payloads; reservations of an interrupted attempt are kept. */
export async function reserve(
  tx: Tx,
  migration_reference: string,
  wanted: readonly { legacy: string; payload_reference: string; legacy_processed_time: number | null }[],
): Promise<Map<string, { payload_reference: string; is_new: boolean }>> {
  await tx.query(
    `insert into legacy_payloads (client_id, legacy_payload_reference, migration_reference, payload_reference, legacy_processed_time)
     select $1, legacy, $2, payload_reference, legacy_processed_time
     from jsonb_to_recordset($3) as x (legacy text, payload_reference text, legacy_processed_time bigint)
     on conflict (client_id, legacy_payload_reference) do update set migration_reference = $2 where legacy_payloads.payload_id is null`,
    [tx.client_id, migration_reference, JSON.stringify(wanted)],
    'migration_reserve',
  )
  const { rows } = await tx.query<{ legacy: string; payload_reference: string }>(
    `select legacy_payload_reference as legacy, payload_reference from legacy_payloads
     where client_id = $1 and legacy_payload_reference = any($2)`,
    [tx.client_id, wanted.map(({ legacy }) => legacy)],
    'migration_reserved',
  )
  const asked = new Map(wanted.map((each) => [each.legacy, each.payload_reference]))
  return new Map(
    rows.map(({ legacy, payload_reference }) => [
      legacy,
      { payload_reference, is_new: asked.get(legacy) === payload_reference },
    ]),
  )
}

/** Assigns the reserved references to stored payloads. */
export async function noteLoaded(
  tx: Tx,
  loaded: readonly { legacy: string; payload_id: number; is_awaited: boolean }[],
): Promise<void> {
  await tx.query(
    `update legacy_payloads l set payload_id = x.payload_id, is_awaited = x.is_awaited
     from jsonb_to_recordset($2) as x (legacy text, payload_id bigint, is_awaited boolean)
     where l.client_id = $1 and l.legacy_payload_reference = x.legacy`,
    [tx.client_id, JSON.stringify(loaded)],
    'migration_loaded_note',
  )
}
