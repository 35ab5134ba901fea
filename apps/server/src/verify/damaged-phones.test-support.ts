import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { gpsKeyContext, reportKeyContext } from '../ports/keys/contexts.ts'
import type { IngestFixture } from '../testing/ingest-fixture.ts'
import { force, OF_ACME, type SharedDamage } from './damage.test-support.ts'

/** Damages of phones, their holders and what they report. */
export const DAMAGED_PHONES: readonly SharedDamage[] = [
  {
    name: 'a position and telemetry that do not open under their keys',
    plant: async (fixture) => {
      const [device] = await fixture.sql<{ client_id: number; device_id: number; device_reference: string }>(
        `select client_id, device_id, device_reference from devices order by device_id limit 1`,
      )
      assert.ok(device)
      const { client_id, device_id, device_reference } = device
      const hex = async (context: Parameters<IngestFixture['ctx']['keys']['wrap']>[1]) =>
        `'\\x${(await fixture.ctx.keys.wrap(randomBytes(32), context)).toString('hex')}'`
      const flipped = `'\\x${randomBytes(60).toString('hex')}'`
      await force(
        fixture,
        `insert into gps_keys (client_id, key_id, device_id, day, wrapped_key, created_at)
           values (${client_id}, -5, ${device_id}, 9, ${await hex(gpsKeyContext('acme', device_reference, 9))}, 1);
         insert into gps_points (client_id, device_id, gps_reference, timestamp, group_id, device_user_id, key_id, sealed, received_at)
           select client_id, device_id, 'flipped', 9 * 86400, group_id, device_user_id, -5, ${flipped}, 1 from devices where device_id = ${device_id};
         insert into report_keys (client_id, report_key_id, device_id, digest, wrapped_key, made_at)
           values (${client_id}, -5, ${device_id}, 'flipped', ${await hex(reportKeyContext('acme', device_reference))}, 1);
         insert into telemetry (client_id, device_id, telemetry_id, telemetry_time, group_id, device_user_id, facts, has_applications, report_key_id,
             iv, sealed_meta, checksum, received_at)
           select client_id, device_id, 'flipped', 1, group_id, device_user_id, '{}', false, -5, substr(${flipped}::bytea, 1, 12), ${flipped}, '', 1
           from devices where device_id = ${device_id}`,
      )
      return [
        ['report_wrong', 'position flipped'],
        ['report_wrong', 'telemetry flipped'],
      ]
    },
  },
  {
    name: 'a device user that is missing from the device history',
    plant: async (fixture) => {
      await force(
        fixture,
        `update device_history set to_at = from_at where to_at is null and device_id = (select min(device_id) from devices)`,
      )
      return [['holder_wrong', /^[0-9A-Z]{26}$/]]
    },
  },
  {
    name: 'overlapping periods of one phone number',
    plant: async (fixture) => {
      await force(
        fixture,
        `insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, to_at)
         select client_id, device_id, '+441', 0, 10, 30 from devices where device_id = (select min(device_id) from devices)
         union all select client_id, device_id, '+441', 0, 20, 40 from devices where device_id = (select min(device_id) from devices)`,
      )
      return [['number_doubled', /^[0-9A-Z]{26}$/]]
    },
  },
  {
    name: 'commands to an unknown device or group, and one that ended before it was sent',
    plant: async (fixture) => {
      await force(
        fixture,
        `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, state, raised_by, sent_at, completed_at)
         select client_id, '01J000000000000000000000C' || n, case n when 1 then 0 else device_id end, case n when 2 then 0 else group_id end,
           'sync_data', '{}', 'Completed', 'x', 5, case n when 3 then 4 else 6 end
         from (select * from devices order by device_id limit 1) d, generate_series(1, 3) n`,
      )
      return [1, 2, 3].map((n) => ['report_wrong', `command 01J000000000000000000000C${n}`] as const)
    },
  },
  {
    name: 'an enrolment that counts more devices than were enrolled',
    plant: async (fixture) => {
      await force(
        fixture,
        `insert into enrolments (client_id, enrolment_reference, secret_hash, uses, created_at, created_by, expires_at)
         select client_id, 'counted wrongly', '', 1, 0, 'test', 1 from clients where client = 'acme'`,
      )
      return [['enrolment_wrong', 'counted wrongly']]
    },
  },
  {
    name: 'capture gaps that overlap, and one that ended before it began',
    plant: async (fixture) => {
      await force(
        fixture,
        `alter table capture_gaps drop constraint capture_gaps_check;
         insert into capture_gaps (client_id, gap_id, device_user_id, group_id, service, reason, from_at, to_at) overriding system value
         select client_id, n, device_user_id, group_id, case n when 903 then 'sms' else 'calls' end, 'no_phone', n, case n when 903 then 5 when 901 then 950 end
         from (select * from device_users where client_id = (select client_id from clients where client = 'acme') order by device_user_id limit 1) u,
           generate_series(901, 903) n`,
      )
      return [902, 903].map((n) => ['capture_wrong', `gap ${n}`] as const)
    },
  },
  {
    name: 'logs of an unknown device, group or device user',
    plant: async (fixture) => {
      await force(
        fixture,
        `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, device_user_id, log_class, log_level, local_timezone, log_message, received_at)
         select client_id, case n when 1 then 0 else device_id end, 'lost ' || n, 1, case n when 2 then 0 else group_id end,
           case n when 3 then 0 end, 'x', 'INFO', 'UTC', 'x', 1
         from (select * from devices order by device_id limit 1) d, generate_series(1, 4) n`,
      )
      return [1, 2, 3].map((n) => ['report_wrong', `log lost ${n}`] as const)
    },
  },
  {
    name: 'positions of unknown devices or under foreign keys, and a wrong last position',
    plant: async (fixture) => {
      await force(
        fixture,
        `with key as (insert into gps_keys (client_id, device_id, day, created_at)
           select client_id, device_id, 0, 1 from devices order by device_id limit 1 returning *)
         insert into gps_points (client_id, device_id, gps_reference, timestamp, group_id, device_user_id, key_id, sealed, received_at)
         select client_id, case n when 1 then 0 else device_id end, 'lost ' || n, case n when 4 then 86400 else 1 end,
           case n when 2 then 0 else d.group_id end, case n when 3 then 0 end, case n when 5 then 0 else key_id end, '', 1
         from key join devices d using (client_id, device_id), generate_series(1, 6) n;
         insert into gps_latest (client_id, device_id, group_id, timestamp, row_id)
         select client_id, device_id, group_id, 7, 0 from devices order by device_id limit 1`,
      )
      return [
        ...[1, 2, 3, 4, 5].map((n) => ['report_wrong', `position lost ${n}`] as const),
        ['report_wrong', /^last position of device \d+$/] as const,
      ]
    },
  },
  {
    name: 'telemetry of unknown devices, and wrong newest reports',
    plant: async (fixture) => {
      await force(
        fixture,
        `insert into report_keys (client_id, report_key_id, device_id, digest, wrapped_key, made_at)
         select client_id, -7, device_id, '', o.wrapped_dek, 1 from (select * from devices where ${OF_ACME} order by device_id limit 1) d
         cross join (select wrapped_dek from payload_objects where wrapped_dek is not null limit 1) o`,
      )
      await force(
        fixture,
        `insert into telemetry (client_id, row_id, device_id, telemetry_id, telemetry_time, group_id, device_user_id, facts, has_applications,
           report_key_id, iv, sealed_meta, checksum, received_at)
         select client_id, n, case n when 1 then 0 else device_id end, 'lost ' || n, n, case n when 2 then 0 else group_id end,
           case n when 3 then 0 end, '{}', false, case n when 6 then 0 else -7 end, '', '', '', n
         from (select * from devices where ${OF_ACME} order by device_id limit 1) d, generate_series(1, 6) n`,
      )
      await force(
        fixture,
        `insert into telemetry_latest (client_id, device_id, at, row_id, telemetry_id, telemetry_time, group_id, facts, received_at)
         select client_id, d.device_id * k, 4, 4, said, 4, group_id, '{}', 4 from (select * from devices where ${OF_ACME} order by device_id limit 1) d,
           (values (1, 'lost 4'), (0, 'gone')) v (k, said)`,
      )
      return [
        // The fourth and the fifth have no sealed data.
        ...[1, 2, 3, 4, 5, 6].map((n) => ['report_wrong', `telemetry lost ${n}`] as const),
        ['key_refused', 'report key -7'],
        ['report_wrong', 'newest telemetry lost 4'],
        ['report_wrong', 'newest telemetry gone'],
      ]
    },
  },
]
