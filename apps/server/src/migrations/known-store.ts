import { completeTags, type migration } from '@custodia/domain'
import { raiseEpoch } from '../access/store.ts'
import { revokeEnrolmentsOf } from '../device-records/enrolments-store.ts'
import { moveDevicesOf, recordHolder } from '../device-records/store.ts'
import { insertUserWords, type NamedUser } from '../device-users/store.ts'
import { insertGroup, replaceTags } from '../groups/store.ts'
import { findDefinitions } from '../groups/tags/store.ts'
import { HELD_USER } from '../held-records/store.ts'
import { readLimits, readUse } from '../licenses/store.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

type KnownRecords = Pick<
  migration.KnownArchive,
  'default_group' | 'groups' | 'tag_definitions' | 'licenses' | 'users' | 'devices'
>

/** Groups, tag definitions, licences, users and devices, also deleted ones, because no import restores them. */
export async function loadKnown(q: Queryable): Promise<KnownRecords> {
  const groups = await q.query<{ group_reference: string; is_default: boolean }>(
    `select g.group_reference, g.group_id = d.group_id as is_default from groups g join account_defaults d using (client_id)
     where g.client_id = $1 and not g.is_reserved`,
    [q.client_id],
  )
  const users = await q.query<migration.KnownUser & { reference: string }>(
    `select u.device_user_reference as reference, g.group_reference as "group", u.email, u.first_name, u.surname, u.services, u.expected_device_count,
       u.is_active, u.is_legacy and u.deleted_at is null as is_legacy, ${HELD_USER} as is_held, o.updated_at as legacy_updated_at
     from device_users u join groups g using (client_id, group_id)
     left join legacy_origins o on o.client_id = u.client_id and o.kind = 'DeviceUser' and o.reference = u.device_user_reference
     where u.client_id = $1 order by u.device_user_id`,
    [q.client_id],
  )
  const devices = await q.query<migration.KnownDevice & { reference: string }>(
    `select d.device_reference as reference, u.device_user_reference, d.legacy_phone_number, d.imeis, d.model, d.os_version, d.app_version,
       not d.is_deactivated as is_active, d.unlicensed_services, d.is_legacy and d.deleted_at is null as is_legacy, o.updated_at as legacy_updated_at
     from devices d left join device_users u using (client_id, device_user_id)
     left join legacy_origins o on o.client_id = d.client_id and o.kind = 'Device' and o.reference = d.device_reference
     where d.client_id = $1 order by d.device_id`,
    [q.client_id],
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
  )
  const found = await q.query<{ device_reference: string; device_id: number }>(
    'select device_reference, device_id from devices where client_id = $1 and device_reference = any($2)',
    [q.client_id, devices],
  )
  return {
    users: new Map(people.rows.map(({ reference, ...row }) => [reference, row])),
    devices: new Map(found.rows.map(({ device_reference, device_id }) => [device_reference, device_id])),
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
  )
  const { rows } = await tx.query<{ legacy: string; payload_reference: string }>(
    `select legacy_payload_reference as legacy, payload_reference from legacy_payloads
     where client_id = $1 and legacy_payload_reference = any($2)`,
    [tx.client_id, wanted.map(({ legacy }) => legacy)],
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
  )
}

type Act<Kind extends string> = Extract<NonNullable<migration.PlannedRow['act']>, { kind: Kind }>
interface ImportStamp {
  migration_reference: string
  now: number
  by: string
}

/** Adds groups with the default required tags, like the portal. */
export async function addGroups(
  tx: Tx,
  acts: readonly Act<'group'>[],
  { now, by }: ImportStamp,
): Promise<void> {
  if (acts.length === 0) return
  // Rights are compiled from groups.
  await raiseEpoch(tx)
  const tags = completeTags([], await findDefinitions(tx))
  const change = { updated_at: now, updated_by: by }
  for (const { group_reference } of acts) {
    const group_id = await insertGroup(tx, group_reference, change)
    if (group_id !== undefined) await replaceTags(tx, [{ group_id, tags }], change)
  }
}

/** Adds or replaces imported users: their devices move along, and offboarding ends enrolments. */
export async function saveUsers(tx: Tx, acts: readonly Act<'user'>[], run: ImportStamp): Promise<void> {
  if (acts.length === 0) return
  const people = acts.map(({ device_user_reference, user, row }) => ({
    device_user_reference,
    ...user,
    onboard_date: row.onboard_date ?? null,
    offboard_date: user.is_active ? null : (row.offboard_date ?? run.now),
  }))
  const { rows } = await tx.query<NamedUser & { group_id: number; is_active: boolean }>(
    `insert into device_users as u (client_id, device_user_reference, group_id, services, expected_device_count, email, first_name, surname, is_active,
       onboard_date, offboard_date, is_legacy, updated_at, updated_by)
     select $1, x.device_user_reference, g.group_id, x.services, x.expected_device_count, x.email, x.first_name, x.surname, x.is_active,
       coalesce(x.onboard_date, case when x.is_active then $2::bigint end), x.offboard_date, true, $2::bigint, $3
     from jsonb_to_recordset($4) as x (device_user_reference text, "group" text, services text[], expected_device_count int, email text,
       first_name text, surname text, is_active boolean, onboard_date bigint, offboard_date bigint)
     join groups g on g.client_id = $1 and g.group_reference = x."group" and not g.is_reserved
     on conflict (client_id, device_user_reference) do update set group_id = excluded.group_id, services = excluded.services,
       expected_device_count = excluded.expected_device_count, email = excluded.email, first_name = excluded.first_name, surname = excluded.surname,
       is_active = excluded.is_active, onboard_date = coalesce(u.onboard_date, excluded.onboard_date), offboard_date = excluded.offboard_date,
       updated_at = excluded.updated_at, updated_by = excluded.updated_by
       where u.is_legacy and u.deleted_at is null
     returning device_user_id, device_user_reference, first_name, surname, group_id, is_active`,
    [tx.client_id, run.now, run.by, JSON.stringify(people)],
  )
  await insertUserWords(tx, rows)
  const change = { updated_at: run.now, updated_by: run.by }
  await moveDevicesOf(tx, rows, change)
  const left = rows.filter(({ is_active }) => !is_active)
  await revokeEnrolmentsOf(
    tx,
    left.map(({ device_user_id }) => device_user_id),
    change,
  )
  await noteOrigins(
    tx,
    'DeviceUser',
    acts.map(({ device_user_reference, user }) => [device_user_reference, user.legacy_updated_at]),
    run,
  )
}

/** Adds or replaces imported devices with their holder periods. */
export async function saveDevices(tx: Tx, acts: readonly Act<'device'>[], run: ImportStamp): Promise<void> {
  if (acts.length === 0) return
  const devices = acts.map(({ device_reference, device, row }, place) => ({
    place,
    device_reference,
    ...device,
    activated_at: row.activated_at ?? row.from_date ?? row.last_seen ?? run.now,
    last_seen: row.last_seen ?? null,
    deactivation_date: device.is_active ? null : (row.deactivation_date ?? run.now),
    from_at: row.from_date ?? row.activated_at ?? row.last_seen ?? run.now,
  }))
  const { rows } = await tx.query<{
    device_id: number
    device_user_id: number | null
    group_id: number
    is_new: boolean
    from_at: number
  }>(
    `with x as (
       select * from jsonb_to_recordset($4) as x (place int, device_reference text, device_user_reference text, legacy_phone_number text, imeis text[], model text,
         os_version text, app_version text, is_active boolean, activated_at bigint, last_seen bigint, deactivation_date bigint, from_at bigint, unlicensed_services text[])
     ), saved as (
       insert into devices as d (client_id, device_reference, device_user_id, group_id, imeis, legacy_phone_number, model, os_version, app_version,
         activated_at, last_seen, is_deactivated, deactivation_date, unlicensed_services, is_legacy, updated_at, updated_by)
       select $1, x.device_reference, u.device_user_id, coalesce(u.group_id, a.group_id), x.imeis, x.legacy_phone_number, x.model, x.os_version,
         x.app_version, x.activated_at, x.last_seen, not x.is_active, x.deactivation_date, x.unlicensed_services, true, $2::bigint, $3
       from x join account_defaults a on a.client_id = $1
       left join device_users u on u.client_id = $1 and u.device_user_reference = x.device_user_reference
       order by x.place
       on conflict (client_id, device_reference) do update set device_user_id = excluded.device_user_id, group_id = excluded.group_id,
         imeis = excluded.imeis, legacy_phone_number = excluded.legacy_phone_number, model = excluded.model, os_version = excluded.os_version,
         app_version = excluded.app_version, last_seen = coalesce(excluded.last_seen, d.last_seen), is_deactivated = excluded.is_deactivated,
         deactivation_date = excluded.deactivation_date, unlicensed_services = excluded.unlicensed_services,
         updated_at = excluded.updated_at, updated_by = excluded.updated_by
         where d.is_legacy and d.deleted_at is null
       returning d.device_id, d.device_reference, d.device_user_id, d.group_id, d.xmax = 0 as is_new
     )
     select s.device_id, s.device_user_id, s.group_id, s.is_new, x.from_at from saved s join x using (device_reference)`,
    [tx.client_id, run.now, run.by, JSON.stringify(devices)],
  )
  await tx.query(
    `insert into device_history (client_id, device_id, from_at, device_user_id, group_id)
     select $1, device_id, from_at, device_user_id, group_id
     from jsonb_to_recordset($2) as x (device_id int, from_at bigint, device_user_id int, group_id int) on conflict do nothing`,
    [tx.client_id, JSON.stringify(rows.filter(({ is_new }) => is_new))],
  )
  for (const { device_id, is_new, ...holder } of rows)
    if (!is_new) await recordHolder(tx, device_id, holder, run.now)
  await noteOrigins(
    tx,
    'Device',
    acts.map(({ device_reference, device }) => [device_reference, device.legacy_updated_at]),
    run,
  )
}

async function noteOrigins(
  tx: Tx,
  kind: 'DeviceUser' | 'Device',
  origins: readonly (readonly [string, number | null])[],
  { migration_reference }: ImportStamp,
): Promise<void> {
  await tx.query(
    `insert into legacy_origins (client_id, kind, reference, migration_reference, updated_at)
     select $1, $2, reference, $3, at from unnest($4::text[], $5::bigint[]) as x (reference, at)
     on conflict (client_id, kind, reference) do update set migration_reference = $3, updated_at = excluded.updated_at`,
    [
      tx.client_id,
      kind,
      migration_reference,
      origins.map(([reference]) => reference),
      origins.map(([, at]) => at),
    ],
  )
}
