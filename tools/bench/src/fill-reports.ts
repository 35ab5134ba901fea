import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DAY, DEVICE_SERVICES, type DeviceFacts } from '@custodia/contract'
import { type SealedPosition, sealFix } from '../../../apps/server/src/devices/reports/gps-keys.ts'
import { factsSql } from '../../../apps/server/src/devices/reports/store.ts'
import { splitFacts } from '../../../apps/server/src/devices/reports/telemetry-store.ts'
import { gpsKeyContext } from '../../../apps/server/src/ports/keys/contexts.ts'
import { localFileKeys } from '../../../apps/server/src/ports/keys/local-file.ts'
import { type Archive, CLIENT } from './fill.ts'

/** The amounts of device reports. */
export interface Reports {
  devices: number
  groups: number
  positions: number
  logs: number
  commands: number
  gaps: number
  activities: number
  /** Seconds between two telemetry reports of a device. */
  telemetry_every: number
  /** Epoch seconds of the newest. */
  until: number
  /** The places of the positions; all over a country if absent. */
  fixes?: Iterator<Pick<SealedPosition, 'latitude' | 'longitude'>>
}

const MONTH = 30 * DAY
/** Positions that are stored by one statement. */
const TOGETHER = 10_000

/** Adds a month of logs, commands, gaps and activities, and one day of positions and telemetry, to a filled archive. */
export async function fillReports(archive: Archive, reports: Reports): Promise<void> {
  const { owner, client_id } = archive
  const { devices, groups, logs, commands, gaps, activities, telemetry_every, until } = reports
  const ofDevice = `1 + (i - 1) % ${groups}`
  const partitioned = {
    device_logs: 'log_datetime',
    gps_points: 'timestamp',
    telemetry: 'telemetry_time',
    device_activities: 'activity_time',
  }
  for (const [table, time] of Object.entries(partitioned))
    await owner.query('select make_month_partitions($1, $2, to_timestamp($3), 1)', [
      table,
      time,
      until - MONTH,
    ])
  /** Of some row: any of them. */
  const device = `1 + abs(hashint8(n) % ${devices})`
  const { shared, values } = splitFacts(FACTS, until)
  /** As SQL. */
  const changing = Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      Array.isArray(value) ? `'{${value}}'::smallint[]` : String(value),
    ]),
  )
  const statements = [
    `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, device_user_id, log_class, log_level, local_timezone,
       log_message, received_at)
     select ${client_id}, i, lpad(to_hex(n), 40, '0'), ${until} - ${MONTH} + n * ${MONTH} / ${logs}, ${ofDevice}, i,
       (array['Uploader', 'Recorder', 'Network', 'Battery', 'Sync'])[1 + n % 5],
       case when n % 100 = 0 then 'ERROR' when n % 100 < 5 then 'WARN' when n % 3 = 0 then 'DEBUG' else 'INFO' end, 'Europe/London',
       'upload of 01JD5X3V8Q2M4N6P7R9S0T1V2W ended after ' || n || ' ms', ${until} - ${MONTH} + n * ${MONTH} / ${logs} + 60
     from generate_series(0::bigint, ${logs - 1}) n cross join lateral (select ${device} as i) d`,
    `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, state, raised_by, sent_at, acknowledged_at,
       completed_at, failure)
     select ${client_id}, lpad(upper(to_hex(n)), 26, '0'), i, ${ofDevice}, 'sync_data', '{}', s.state, 'administrator', at, at + 2,
       case when s.state in ('Completed', 'Failed') then at + 9 end, case s.state when 'Failed' then 'reported' end
     from generate_series(0::bigint, ${commands - 1}) n cross join lateral (select ${device} as i, ${until} - ${MONTH} + n * ${MONTH} / ${commands} as at) d
     cross join lateral (select case when n % 50 = 0 then 'Failed' when n % 50 = 1 then 'Sent' when n % 50 = 2 then 'Acknowledged' else 'Completed' end as state) s`,
    `insert into capture_gaps (client_id, device_user_id, group_id, service, reason, device_id, from_at, to_at)
     select ${client_id}, i, ${ofDevice}, (array[${DEVICE_SERVICES.map((each) => `'${each}'`).join(', ')}])[1 + n / ${devices} % ${DEVICE_SERVICES.length}],
       'silent', i, at, case when n % 49 > 0 then at + 3600 end
     from generate_series(0::bigint, ${gaps - 1}) n cross join lateral (select 1 + n::int % ${devices} as i, ${until} - ${MONTH} + n * ${MONTH} / ${gaps} as at) d`,
    `insert into device_activities (log_id, client_id, device_ip, device_reference, device_user_reference, activity_time, activity_end_time, duration,
       group_reference, group_id, action, is_allowed, parameters, status_code, request_id)
     select lpad(upper(to_hex(n)), 26, '0'), ${client_id}, '192.0.2.1', 'device-' || i, 'person-' || i, at, at, 0.02, 'Group', ${ofDevice},
       (array['device.payloads:announce', 'device.logs:upload', 'device.telemetry:upload', 'device.gps:upload'])[1 + n % 4], true, '{}', 200, n::text
     from generate_series(0::bigint, ${activities - 1}) n cross join lateral (select ${device} as i, ${until} - ${MONTH} + n * ${MONTH} / ${activities} as at) d`,
    `insert into report_keys (client_id, report_key_id, device_id, digest, wrapped_key, made_at)
     select ${client_id}, i, i, decode(lpad(to_hex(i), 64, '0'), 'hex'), ''::bytea, ${until - DAY} from generate_series(1, ${devices}) i`,
    `insert into telemetry_facts (client_id, facts_id, month, facts)
     values (${client_id}, ${shared.facts_id}, ${shared.month}, '${JSON.stringify(shared.facts)}')`,
    `insert into telemetry (client_id, device_id, telemetry_id, telemetry_time, group_id, device_user_id, ${Object.keys(changing)},
       battery_percentage, storage_available, has_applications, report_key_id, iv, sealed_meta, checksum, received_at)
     select ${client_id}, i, lpad(to_hex(n * 100000 + i), 40, '0'), at, ${ofDevice}, i, ${Object.values(changing)},
       (n + i) % 101, 1000000000 + i, n = 0, i, '\\x5a5a5a5a5a5a5a5a5a5a5a5a', decode(repeat('5a', 200), 'hex'), decode(repeat('5a', 16), 'hex'), at + 2
     from generate_series(0::bigint, ${DAY / telemetry_every - 1}) n cross join generate_series(1, ${devices}) i
     cross join lateral (select ${until - DAY} + n * ${telemetry_every} + i % ${telemetry_every} as at) t`,
    `insert into telemetry_latest (client_id, device_id, at, row_id, telemetry_id, telemetry_time, group_id, device_user_id, facts, received_at)
     select distinct on (device_id) client_id, device_id, telemetry_time, row_id, telemetry_id, telemetry_time, group_id, device_user_id,
       ${factsSql('t')}, received_at from telemetry t order by device_id, telemetry_time desc`,
  ]
  for (const statement of statements) await owner.query(statement)
  await fillPositions(archive, reports)
  await owner.query(`select setval('report_key_rows', ${devices}), setval('gps_key_ids', ${devices})`)
  await owner.query('vacuum analyze')
  await owner.query('checkpoint')
}

/** Positions that open: under the keys of the server that will be started in the archive's folder. */
async function fillPositions(
  { owner, folder, client_id }: Archive,
  { devices, groups, positions, until, fixes }: Reports,
): Promise<void> {
  const keys = localFileKeys({ folder: join(folder, 'data', 'keys') })
  await keys.health()
  const begins = until - DAY
  const day = begins / DAY
  const plain = Array.from({ length: devices }, () => randomBytes(32))
  const wrapped = await Promise.all(
    plain.map((key, i) => keys.wrap(key, gpsKeyContext(CLIENT, `device-${i + 1}`, day))),
  )
  await owner.query(
    `insert into gps_keys (client_id, key_id, device_id, day, wrapped_key, created_at)
     select $1, i, i, $2, key, $3 from unnest($4::bytea[]) with ordinality k (key, i)`,
    [client_id, day, begins, wrapped],
  )
  for (let first = 0; first < positions; first += TOGETHER) {
    const rows = Array.from({ length: Math.min(TOGETHER, positions - first) }, (_, i) => {
      const n = first + i
      const device_id = 1 + (n % devices)
      const gps_reference = n.toString(16).toUpperCase().padStart(26, '0')
      const timestamp = begins + Math.floor((n * DAY) / positions)
      const usual = { latitude: 51 + (n % 1000) / 1000, longitude: (device_id % 1000) / 1000 }
      const fix = { ...FIX, ...(fixes?.next().value ?? usual) }
      const key = plain[device_id - 1] as Buffer
      return {
        device_id,
        gps_reference,
        timestamp,
        sealed: sealFix(key, { client: CLIENT, gps_reference, timestamp }, fix),
      }
    })
    await owner.query(
      `insert into gps_points (client_id, device_id, gps_reference, timestamp, group_id, device_user_id, key_id, sealed, received_at)
       select $1, i, gps_reference, timestamp, 1 + (i - 1) % $2::int, i, i, sealed, timestamp + 2
       from unnest($3::int[], $4::text[], $5::bigint[], $6::bytea[]) p (i, gps_reference, timestamp, sealed)`,
      [
        client_id,
        groups,
        rows.map((row) => row.device_id),
        rows.map((row) => row.gps_reference),
        rows.map((row) => row.timestamp),
        rows.map((row) => row.sealed),
      ],
    )
  }
  await owner.query(
    `insert into gps_latest (client_id, device_id, group_id, device_user_id, timestamp, row_id)
     select distinct on (device_id) client_id, device_id, group_id, device_user_id, timestamp, row_id
     from gps_points order by device_id, timestamp desc`,
  )
}

const FIX = { accuracy: 12.5, altitude: null, timezone: 'Europe/London', provider: 'fused' }

/** The facts in a telemetry report. */
export const FACTS: DeviceFacts = {
  os: 'Android',
  os_version: '16',
  security_patch: '2026-09-05',
  manufacturer: 'Google',
  model: 'Google Pixel 10',
  app_version: '4.12.0',
  sims: [
    {
      slot_index: 0,
      sim_state: 'ready',
      operator_name: 'EE',
      operator_code: '23430',
      country: 'gb',
      network_type: 'NR',
      signal_strength: -91,
      is_roaming: false,
    },
  ],
  is_gps_enabled: true,
  gps_satellites: 21,
  is_wifi_enabled: true,
  is_wifi_connected: true,
  wifi_signal_strength: -61,
  is_charging: false,
  memory_total: 12_000_000_000,
  memory_available: 5_000_000_000,
  storage_total: 256_000_000_000,
  services: Object.fromEntries(DEVICE_SERVICES.map((service) => [service, true])),
  is_whitelisted: true,
  is_device_admin: true,
  queue_payloads: 0,
  queue_size: 0,
}
