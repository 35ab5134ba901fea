import { completeTags, type migration } from '@custodia/domain'
import { raiseEpoch } from '../access/store.ts'
import { insertUserWords, type NamedUser } from '../device-users/store.ts'
import { moveDevicesOf, recordHolder } from '../device-records/store.ts'
import { revokeEnrolmentsOf } from '../device-records/enrolments-store.ts'
import { insertGroup, replaceTags } from '../groups/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { findDefinitions } from '../groups/tags/store.ts'

type Act<Kind extends string> = Extract<NonNullable<migration.Planned['act']>, { kind: Kind }>
interface By {
  migration_reference: string
  now: number
  by: string
}

/** Adds groups with the default required tags, like the portal. */
export async function addGroups(tx: Tx, acts: readonly Act<'group'>[], { now, by }: By): Promise<void> {
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
export async function saveUsers(tx: Tx, acts: readonly Act<'user'>[], run: By): Promise<void> {
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
    'migration_users_save',
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
export async function saveDevices(tx: Tx, acts: readonly Act<'device'>[], run: By): Promise<void> {
  if (acts.length === 0) return
  const phones = acts.map(({ device_reference, device, row }, place) => ({
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
    [tx.client_id, run.now, run.by, JSON.stringify(phones)],
    'migration_devices_save',
  )
  await tx.query(
    `insert into device_history (client_id, device_id, from_at, device_user_id, group_id)
     select $1, device_id, from_at, device_user_id, group_id
     from jsonb_to_recordset($2) as x (device_id int, from_at bigint, device_user_id int, group_id int) on conflict do nothing`,
    [tx.client_id, JSON.stringify(rows.filter(({ is_new }) => is_new))],
    'migration_holders',
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
  { migration_reference }: By,
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
    'migration_origins',
  )
}
