import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { gpsKeyContext, reportKeyContext } from '../ports/keys/contexts.ts'
import type { IngestFixture } from '../testing/ingest-fixture.ts'
import { damage, force, OF_ACME, type SharedDamage } from './damage.test-support.ts'

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
         insert into telemetry_facts (client_id, facts_id, month, facts) values (${client_id}, 5, 0, '{}');
         insert into telemetry (client_id, device_id, telemetry_id, telemetry_time, group_id, device_user_id, facts_id, has_applications, report_key_id,
             iv, sealed_meta, checksum, received_at)
           select client_id, device_id, 'flipped', 1, group_id, device_user_id, 5, false, -5, substr(${flipped}::bytea, 1, 12), ${flipped}, '', 1
           from devices where device_id = ${device_id}`,
      )
      return [
        ['report_wrong', 'position flipped'],
        ['report_wrong', 'telemetry flipped'],
      ]
    },
  },
  damage(
    'a device user that is missing from the device history',
    `update device_history set to_at = from_at where to_at is null and device_id = (select min(device_id) from devices)`,
    [['holder_wrong', /^[0-9A-Z]{26}$/]],
  ),
  damage(
    'overlapping periods of one phone number',
    `insert into device_numbers (client_id, device_id, phone_number, slot_index, from_at, to_at)
         select client_id, device_id, '+441', 0, 10, 30 from devices where device_id = (select min(device_id) from devices)
         union all select client_id, device_id, '+441', 0, 20, 40 from devices where device_id = (select min(device_id) from devices)`,
    [['number_doubled', /^[0-9A-Z]{26}$/]],
  ),
  damage(
    'a command that ended before it was sent',
    `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, state, raised_by, sent_at, completed_at)
         select client_id, '01J000000000000000000000C1', device_id, group_id, 'sync_data', '{}', 'Completed', 'x', 5, 4
         from (select * from devices order by device_id limit 1) d`,
    [['report_wrong', 'command 01J000000000000000000000C1']],
  ),
  damage(
    'an enrolment that counts more devices than were enrolled',
    `insert into enrolments (client_id, enrolment_reference, secret_hash, uses, created_at, created_by, expires_at)
         select client_id, 'counted wrongly', '', 1, 0, 'test', 1 from clients where client = 'acme'`,
    [['enrolment_wrong', 'counted wrongly']],
  ),
  damage(
    'capture gaps that overlap',
    `insert into capture_gaps (client_id, gap_id, device_user_id, group_id, service, reason, from_at, to_at) overriding system value
         select client_id, n, device_user_id, group_id, 'calls', 'no_device', n, case n when 901 then 950 end
         from (select * from device_users where ${OF_ACME} order by device_user_id limit 1) u, generate_series(901, 902) n`,
    [['capture_wrong', 'gap 902']],
  ),
  damage(
    'logs of an unknown device, group or device user',
    `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, device_user_id, log_class, log_level, local_timezone, log_message, received_at)
         select client_id, case n when 1 then 0 else device_id end, 'lost ' || n, 1, case n when 2 then 0 else group_id end,
           case n when 3 then 0 end, 'x', 'INFO', 'UTC', 'x', 1
         from (select * from devices order by device_id limit 1) d, generate_series(1, 4) n`,
    [1, 2, 3].map((n) => ['report_wrong', `log lost ${n}`] as const),
  ),
  damage(
    'positions of unknown devices or under foreign keys, and a wrong last position',
    `with key as (insert into gps_keys (client_id, device_id, day, created_at)
           select client_id, device_id, 0, 1 from devices order by device_id limit 1 returning *)
         insert into gps_points (client_id, device_id, gps_reference, timestamp, group_id, device_user_id, key_id, sealed, received_at)
         select client_id, case n when 1 then 0 else device_id end, 'lost ' || n, case n when 4 then 86400 else 1 end,
           case n when 2 then 0 else d.group_id end, case n when 3 then 0 end, case n when 5 then 0 else key_id end, '', 1
         from key join devices d using (client_id, device_id), generate_series(1, 6) n;
         insert into gps_latest (client_id, device_id, group_id, timestamp, row_id)
         select client_id, device_id, group_id, 7, 0 from devices order by device_id limit 1`,
    [
      ...[1, 2, 3, 4, 5].map((n) => ['report_wrong', `position lost ${n}`] as const),
      ['report_wrong', /^last position of device \d+$/] as const,
    ],
  ),
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
        `insert into telemetry_facts (client_id, facts_id, month, facts) select client_id, 7, 0, '{}' from clients where client = 'acme'`,
      )
      await force(
        fixture,
        `insert into telemetry (client_id, row_id, device_id, telemetry_id, telemetry_time, group_id, device_user_id, facts_id, has_applications,
           report_key_id, iv, sealed_meta, checksum, received_at)
         select client_id, n, case n when 1 then 0 else device_id end, 'lost ' || n, n, case n when 2 then 0 else group_id end,
           case n when 3 then 0 end, case n when 7 then 0 else 7 end, false, case n when 6 then 0 else -7 end, '', '', '', n
         from (select * from devices where ${OF_ACME} order by device_id limit 1) d, generate_series(1, 7) n`,
      )
      await force(
        fixture,
        `insert into telemetry_latest (client_id, device_id, at, row_id, telemetry_id, telemetry_time, group_id, facts, received_at)
         select client_id, d.device_id * k, 4, 4, said, 4, group_id, '{}', 4 from (select * from devices where ${OF_ACME} order by device_id limit 1) d,
           (values (1, 'lost 4'), (0, 'gone')) v (k, said)`,
      )
      return [
        // The fourth and the fifth have no sealed data.
        ...[1, 2, 3, 4, 5, 6, 7].map((n) => ['report_wrong', `telemetry lost ${n}`] as const),
        ['key_refused', 'report key -7'],
        ['report_wrong', 'newest telemetry lost 4'],
        ['report_wrong', 'newest telemetry gone'],
      ]
    },
  },
]

/** Damages of exports, transfers and migrations. */
export const DAMAGED_RUNS: readonly SharedDamage[] = [
  {
    name: 'exports that contradict their parts, name unknown payloads, or are past their expiry',
    plant: async (fixture) => {
      const now = fixture.ctx.now()
      // The first is sound.
      const exports = [
        [1, now - 100, 0],
        [2, now - 100_000, 0],
        [3, now - 100, 2],
        [4, now - 100, 0],
        [5, now - 100, 0],
        [6, now - 100, 1],
        [7, now - 100, 0],
      ] as const
      await force(
        fixture,
        `insert into data_exports (client_id, export_id, made_by, reason, created_at, expires_at, refused, is_cut, contents, locale)
         select client_id, 'wrong ' || n, 'unknown', null, made, made + 86400, refused, false, '{originals}', 'en-GB'
         from clients, (values ${exports.map((row) => `(${row.join()})`).join()}) v (n, made, refused) where client = 'acme';
         insert into data_export_parts (client_id, export_id, part, payload_references, size, fetched_at)
         select client_id, 'wrong ' || n, case n when 4 then 2 else 1 end,
           case n when 5 then '{nothing}' else array[payload_reference] end, 7, case n when 7 then ${now - 200} end
         from (select * from payloads where ${OF_ACME} limit 1) p, generate_series(1, 7) n`,
      )
      return [
        ...[2, 3, 4, 5, 6, 7].map((n) => ['export_wrong', `export wrong ${n}`] as const),
        ['audit_entry_wrong', /^export wrong \d$/],
      ]
    },
  },
  {
    name: 'transfers that contradict their items, and items without an attempt',
    plant: async (fixture) => {
      // Wrong states: succeeded, failed, partly failed, succeeded, and succeeded with fewer payloads than its count.
      await force(
        fixture,
        `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, transfer_state, created_at, completed_at, report_to,
           payload_count, updated_by)
         select client_id, 'wrong ' || n, 'wrong', case n when 5 then 'Payload' else 'Report' end, state, 1, extract(epoch from now()), 1, 1, 'unknown'
         from clients, (values (1, 'Succeeded'), (2, 'Failed'), (3, 'PartialFail'), (4, 'Succeeded'), (5, 'Succeeded')) v (n, state) where client = 'acme';
         insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, transfer_state, dest_path, transferred_at, encrypted_checksum,
           decrypted_checksum)
         select client_id, 'wrong ' || n, 'item', 'wrong', state, '/', 7, '', '' from clients,
           (values (1, 'Failed'), (2, 'Succeeded'), (3, 'Pending'), (4, 'Succeeded')) v (n, state) where client = 'acme';
         insert into transfer_attempts (client_id, transfer_id, item, attempted_at, attempted_by, transfer_state)
         select client_id, transfer_id, item, 7, 'unknown', transfer_state from transfer_items where transfer_id in ('wrong 1', 'wrong 2');
         update transfer_items set transferred_at = null where transfer_id in ('wrong 1', 'wrong 3')`,
      )
      return [
        ...[1, 2, 3, 5].map((n) => ['transfer_wrong', `transfer wrong ${n}`] as const),
        ['transfer_wrong', 'transfer wrong 4 item item'] as const,
      ]
    },
  },
  {
    name: 'deliveries without an audit entry under their day, and entries without a matching item',
    plant: async (fixture) => {
      // Without an entry, entered and never delivered, for another transfer, at another time, under another day, and with another checksum.
      await force(
        fixture,
        `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, transfer_state, created_at, report_to, updated_by)
         select client_id, 'entered ' || n, 'entered ' || n, 'Payload', 'InProgress', 1, 1, 'unknown' from clients, generate_series(1, 6) n
         where client = 'acme';
         insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, payload_id, transfer_state, dest_path, transferred_at,
           encrypted_checksum, decrypted_checksum)
         select client_id, 'entered ' || n, payload_reference, 'entered ' || n, payload_id, 'Pending', '/', case n when 2 then null else 7 end, '', ''
         from (select * from payloads where ${OF_ACME} order by payload_id limit 1) p, generate_series(1, 6) n;
         insert into transfer_attempts (client_id, transfer_id, item, attempted_at, attempted_by, transfer_state)
         select client_id, transfer_id, item, 7, 'unknown', 'Succeeded' from transfer_items where transfer_id like 'entered %';
         insert into payload_audit (client_id, payload_id, log_id, at, portal_user, action)
         select client_id, payload_id, transfer_id, 7, 'unknown', 'transfers:deliver' from transfer_items where transfer_id like 'entered %';
         insert into portal_activities (log_id, client_id, user_reference, user_ip, activity_time, action, is_allowed, parameters, request_id)
         select transfer_id, client_id, 'unknown', '', 7, 'transfers:deliver', true, '{}', '' from transfer_items where transfer_id like 'entered %';
         insert into transfer_audit (client_id, transfer_config_reference, payload_date, payload_id, transfer_id, transferred_at,
           encrypted_checksum, decrypted_checksum)
         select client_id, transfer_config_reference, payload_time - payload_time % 86400 + case n when 5 then 86400 else 0 end, payload_id,
           case n when 3 then 'entered 1' else transfer_id end, case n when 4 then 8 else 7 end, '', case n when 6 then 'other' else '' end
         from transfer_items join payloads using (client_id, payload_id), lateral (select right(transfer_id, 1)::int as n) x
         where transfer_id like 'entered %' and n > 1`,
      )
      const [payload] = await fixture.sql<{ payload_reference: string }>(
        `select payload_reference from payloads where ${OF_ACME} order by payload_id limit 1`,
      )
      // All of them lie at `/`, where no payload does.
      return [1, 2, 3, 4, 5, 6].flatMap((n) => [
        ['transfer_wrong', `delivery of ${payload?.payload_reference} to entered ${n}`] as const,
        ...(n === 2
          ? []
          : [['transfer_wrong', `transfer entered ${n} item ${payload?.payload_reference}`] as const]),
      ])
    },
  },
  {
    name: 'migrations that contradict their results, and imports that differ from their sources',
    plant: async (fixture) => {
      // Wrong count, wrong type, migrated with errors, a dry run that imported, a foreign sample, a correct run, and
      // one settled by an unknown run.
      await force(
        fixture,
        `insert into migration_runs (client_id, migration_reference, migration_state, is_dry_run, created_at, created_by, migrated_at, filename, results, sequence, settled_by)
         select client_id, 'wrong ' || n, 'Migrated', n = 4, 1, 'unknown', extract(epoch from now()), 'x.csv', results::jsonb, sequence, case n when 7 then 'nothing' end
         from clients, (values (1, '{"PayloadCreated": {"count": 1}}', 2), (2, '{"GroupAdded": {"count": 1}}', 1), (3, '{"Error": {"count": 1}}', 1),
           (4, '{"PayloadCreated": {"count": 1}}', 1), (5, '{}', 0), (6, '{"PayloadCreated": {"count": 1}}', 1), (7, '{}', 0)) v (n, results, sequence)
         where client = 'acme';
         insert into migration_results (client_id, migration_reference, sequence, result_type, kind, item, filename, payload_id, source_sha256)
         select p.client_id, 'wrong ' || n, 1, result, 'Payload', 'x', 'x.csv', case when n in (4, 6) then p.payload_id end, case n when 6 then 'another' end
         from (select p.* from payloads p join payload_objects o using (client_id, payload_id) where ${OF_ACME} and o.kind = 'original'
             and o.checksum is not null order by p.payload_id limit 1) p,
           (values (1, 'PayloadCreated'), (2, 'PayloadCreated'), (3, 'Error'), (4, 'PayloadCreated'), (6, 'PayloadCreated')) v (n, result);
         insert into migration_samples (client_id, migration_reference, position, payload_id)
         select client_id, 'wrong 5', 1, payload_id from (select * from payloads where ${OF_ACME} limit 1) p;
         update payloads set is_legacy = true where payload_id in (select payload_id from migration_results where migration_reference = 'wrong 6')`,
      )
      const [payload] = await fixture.sql<{ payload_reference: string }>(
        `select payload_reference from payloads where payload_id in (select payload_id from migration_results where migration_reference = 'wrong 6')`,
      )
      return [
        ...[1, 2, 3, 4, 5, 7].map((n) => ['migration_wrong', `migration wrong ${n}`] as const),
        ['migration_wrong', `payload ${payload?.payload_reference}`] as const,
      ]
    },
  },
]
