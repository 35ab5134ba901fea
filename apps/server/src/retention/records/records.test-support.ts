import type { PolicyVersion } from '@custodia/domain'
import { AuditLog } from '../../http/audit.ts'
import { RETENTION } from '../../http/context.ts'
import type { Database } from '../../ports/database/pool.ts'
import { testDatabase } from '../../testing/database.ts'
import { createFixture } from '../../testing/list-fixture.ts'
import { readClock } from '../engine-store.ts'
import { destroyDueRecords } from './engine.ts'
import { RECORD_KINDS, type RecordKind } from './kind-store.ts'

const DAY = 86_400

export type RecordsFixture = Awaited<ReturnType<typeof recordsFixture>>
type Write = <Row>(sql: string, values?: unknown[]) => Promise<Row[]>

/** What each test begins without. */
const CLEARED = [
  'retention_record_positions',
  'retention_policies',
  'portal_activities',
  'legal_holds',
  'legal_hold_events',
]

/** Creates the client acme with devices and users. Nothing expires before `run`. */
export async function recordsFixture(size: number) {
  const { db, drop } = await testDatabase()
  const { client_id } = await createFixture(db, 'acme', size)
  const parts = { db, audit: new AuditLog(db) }
  /** Runs SQL as the database owner. */
  const owner: Write = async <Row>(sql: string, values: unknown[] = []) =>
    (await db.owner.query(sql, values)).rows as Row[]
  /** As `owner`, on one connection past triggers and foreign keys. */
  async function asReplica(work: (write: Write) => Promise<unknown>): Promise<void> {
    const one = await db.owner.connect()
    try {
      await one.query('begin; set local session_replication_role = replica')
      await work(
        async <Row>(sql: string, values: unknown[] = []) => (await one.query(sql, values)).rows as Row[],
      )
      await one.query('commit')
    } finally {
      one.release()
    }
  }
  return {
    db,
    client_id,
    /** Database time at the start. */
    clock: await db.read(client_id, readClock),
    owner,
    asReplica,
    /** Removes policies, holds, what retention noted, and the rows of these tables with all that belongs to them. */
    clear: (...tables: string[]) =>
      asReplica((write) => write(`truncate ${[...CLEARED, ...tables].join()} cascade`)),
    /** Sets the account's policies, oldest first. */
    async savePolicies(versions: readonly PolicyVersion[]): Promise<void> {
      for (const [i, { at, entries, applies_to_kept }] of versions.entries())
        await db.owner.query(
          `insert into retention_policies values ($1, $2, $3, '[]', $4, null, $5, 'alice')`,
          [client_id, i + 1, JSON.stringify(entries), applies_to_kept, at],
        )
    },
    /** Places holds on device users by their reference, and on portal users by any other name. */
    hold: (people: readonly string[]) =>
      asReplica((write) =>
        write(
          `with held as (
             insert into legal_holds (client_id, target_type, target, device_user_id, is_active, created_at, updated_at, updated_by)
             select $1, case when device_user_id is null then 'PortalUser' else 'DeviceUser' end, name, device_user_id, true, 1, 1, 'alice'
             from unnest($2::text[]) name left join device_users on client_id = $1 and device_user_reference = name returning *)
           insert into legal_hold_events (client_id, target_type, target, act, at, by)
           select client_id, target_type, target, 'set', 1, 'alice' from held`,
          [client_id, people],
        ),
      ),
    /** Runs retention of records once. */
    run: (with_: Parameters<typeof destroyDueRecords>[0] = parts) =>
      destroyDueRecords(with_, { client_id, client: 'acme' }, new AbortController().signal),
    /** How many records retention says in the audit log that it destroyed or deleted. */
    async noted(act: 'destroyed' | 'deleted'): Promise<number> {
      const [row] = await owner<{ n: number }>(
        `select coalesce(sum((parameters::jsonb -> 'body' ->> $2)::int), 0)::int as n from portal_activities where user_reference = $1`,
        [RETENTION, act],
      )
      return row?.n ?? 0
    },
    drop,
  }
}

/** A record in the reference implementation. */
export interface KnownRecord {
  id: string
  follows: RecordKind['follows']
  recorded_at: number
  received_at: number
  /** Subjects whose hold keeps it. */
  people: string[]
}

/** Reference of a portal user by number. */
const visitor = (n: number) => `visitor ${n}`
const VISITORS = 9

interface HoldingPeriod {
  device_id: number
  group_id: number
  device_user_id: number | null
  person: string | null
  from_at: number
  to_at: number | null
}

interface Row {
  phone: HoldingPeriod
  recorded_at: number
  received_at: number
  /** Acting portal user and a second involved one. */
  visitor: string
  other: string
  n: number
}

/** SQL insert of each table. */
const INSERT: Record<string, string> = {
  device_logs: `insert into device_logs (client_id, device_id, log_id, log_datetime, group_id, device_user_id, log_class, log_level, local_timezone, log_message, received_at)
    select $1, device_id, 'log ' || n, recorded_at, group_id, device_user_id, 'Test', 'INFO', 'UTC', 'said', received_at from given order by n`,
  gps_points: `, keys as (
      insert into gps_keys (client_id, device_id, day, wrapped_key, created_at)
      select distinct $1::int, device_id, (recorded_at / 86400)::int, '\\x00'::bytea, 1 from given returning *)
    insert into gps_points (client_id, device_id, gps_reference, timestamp, group_id, device_user_id, key_id, sealed, received_at)
    select $1, g.device_id, 'point ' || n, recorded_at, group_id, device_user_id, key_id, '', received_at
    from given g join keys k on k.device_id = g.device_id and k.day = (recorded_at / 86400)::int order by n`,
  telemetry: `insert into telemetry (client_id, device_id, telemetry_id, telemetry_time, group_id, device_user_id, facts_id, has_applications,
      report_key_id, iv, sealed_meta, checksum, received_at)
    select $1, device_id, 'report ' || n, recorded_at, group_id, device_user_id, 0, false, 1, '', '', '', received_at from given order by n`,
  device_commands: `insert into device_commands (client_id, command_reference, device_id, group_id, command, params, state, raised_by, sent_at, completed_at)
    select $1, 'command ' || lpad(n::text, 8, '0'), device_id, group_id, 'sync', '{}', 'Completed', visitor, recorded_at, received_at from given order by n`,
  device_activities: `insert into device_activities (client_id, log_id, device_ip, device_reference, device_user_reference, activity_time, activity_end_time,
      action, is_allowed, parameters, request_id)
    select $1, 'entry ' || lpad(n::text, 8, '0'), '', device_reference, person, recorded_at, received_at, 'sync', true, '{}', ''
    from given join devices d on d.client_id = $1 and d.device_id = given.device_id order by n`,
  portal_activities: `insert into portal_activities (client_id, log_id, user_reference, user_ip, activity_time, activity_end_time, action, is_allowed, parameters,
      request_id)
    select $1, 'entry ' || lpad(n::text, 8, '0'), visitor, '', recorded_at, received_at, 'payloads:list', true, '{}', '' from given order by n`,
  portal_sessions: `insert into portal_sessions (client_id, session_id, user_reference, roles, refresh_hash, rotated_at, checked_at, created_at, expires_at, ended_at)
    select $1, 'session ' || lpad(n::text, 8, '0'), visitor, '{}', n::text::bytea, recorded_at, recorded_at, recorded_at, received_at + 7200, received_at
    from given order by given.n`,
  terms_acceptances: `insert into terms_acceptances (client_id, user_reference, version, accepted_at)
    select $1, visitor || ' of old', n::text, recorded_at from given order by given.n`,
  support_access: `insert into support_access (client_id, request_reference, role, request_description, requested_expiry, requested_by, requested_at,
      approval_state, approved_by, approval_expiry, updated_at, updated_by)
    select $1, 'request ' || lpad(n::text, 8, '0'), 'Auditor', '', received_at + 9999, visitor, recorded_at, 'approved', other, received_at,
      least(recorded_at, received_at), visitor from given order by n`,
}

/** Kinds whose time precedes their end. */
const IN_ORDER = [
  'device_commands',
  'device_activities',
  'portal_activities',
  'portal_sessions',
  'support_access',
]
/** Subjects of rows that belong to no device user. */
const OTHERWISE: Record<string, (row: Row, hands: readonly HoldingPeriod[]) => string[]> = {
  device_commands: (row, hands) => [row.visitor, ...getHolders(row, hands)],
  portal_activities: (row) => [row.visitor],
  portal_sessions: (row) => [row.visitor],
  terms_acceptances: (row) => [`${row.visitor} of old`],
  support_access: (row) => [row.visitor, row.other],
}

/** Fills all tables with records of devices that changed holders, with correct, slow and fast clocks. */
export async function fillRecords(
  db: Database,
  client_id: number,
  { clock, random, count }: { clock: number; random: () => number; count: number },
): Promise<KnownRecord[]> {
  await shuffleHands(db, client_id, clock)
  const { rows: hands } = await db.owner.query<HoldingPeriod>(
    `select h.device_id, h.group_id, h.device_user_id, u.device_user_reference as person, h.from_at, h.to_at
     from device_history h left join device_users u using (client_id, device_user_id) where h.client_id = $1 order by h.device_id, h.from_at`,
    [client_id],
  )
  await db.owner.query('delete from gps_keys; delete from gps_latest; delete from telemetry_latest')
  const records: KnownRecord[] = []
  for (const kind of RECORD_KINDS) {
    const rows: Row[] = Array.from({ length: count }, (_, n) => {
      const phone = hands[Math.floor(random() * hands.length)] as HoldingPeriod
      const received_at = clock - Math.floor(random() * 300 * DAY) - 3600
      const ago = Math.floor((random() < 0.1 ? 900 : random() * 3 - 0.5) * DAY)
      const recorded_at = Math.min(
        received_at - (IN_ORDER.includes(kind.table) ? Math.abs(ago) : ago),
        clock - 3600,
      )
      const [one, another] = [
        visitor(Math.floor(random() * VISITORS)),
        visitor(Math.floor(random() * VISITORS)),
      ]
      const isAtOnce = kind.table === 'terms_acceptances'
      return {
        phone,
        recorded_at,
        received_at: isAtOnce ? recorded_at : received_at,
        visitor: one,
        other: another,
        n,
      }
    })
    await db.owner.query(`delete from ${kind.table}`)
    const { rows: written } = await db.owner.query<{ id: string; recorded_at: number }>(
      `with given as (select * from jsonb_to_recordset($2) as g (n int, device_id int, group_id int, device_user_id int, person text, visitor text, other text,
         recorded_at bigint, received_at bigint))
       ${INSERT[kind.table]} returning '${kind.table}:' || ${kind.key} as id, ${kind.time} as recorded_at`,
      [client_id, JSON.stringify(rows.map(({ phone, ...times }) => ({ ...phone, ...times })))],
    )
    for (const [i, row] of rows.entries())
      records.push({
        id: written[i]?.id ?? '',
        follows: kind.follows,
        recorded_at: row.recorded_at,
        received_at: row.received_at,
        people: OTHERWISE[kind.table]?.(row, hands) ?? [...getOwn(row), ...getHolders(row, hands)],
      })
  }
  await fillDependentRows(db)
  return records
}

const getOwn = ({ phone }: Row) => (phone.person === null ? [] : [phone.person])

/** Holders between time and arrival; before the first period, its holder. */
function getHolders({ phone, recorded_at, received_at }: Row, hands: readonly HoldingPeriod[]): string[] {
  const [from, until] = [Math.min(recorded_at, received_at), Math.max(recorded_at, received_at)]
  const ofPhone = hands.filter(({ device_id }) => device_id === phone.device_id)
  const had = ofPhone.filter(
    (hand, i) => (i === 0 || hand.from_at <= until) && (hand.to_at === null || hand.to_at >= from),
  )
  return had.flatMap(({ person }) => person ?? [])
}

/** Each device changes its holder twice a year. */
const shuffleHands = (db: Database, client_id: number, clock: number) =>
  db.owner.query(
    `begin; set local session_replication_role = replica;
     delete from device_history where client_id = ${client_id};
     insert into device_history (client_id, device_id, group_id, device_user_id, from_at, to_at)
     select d.client_id, d.device_id, d.group_id, u.device_user_id, ${clock} - (300 - n * 100) * ${DAY},
       case when n < 2 then ${clock} - (200 - n * 100) * ${DAY} end
     from devices d cross join generate_series(0, 2) n
     left join device_users u on u.client_id = d.client_id and u.device_user_reference = 'person ' || ((d.device_id + n * 5) % 13)
     where d.client_id = ${client_id};
     commit`,
  )

/** Expected last positions and newest reports. */
const LAST = `
  select distinct on (device_id, group_id) client_id, device_id, group_id, device_user_id, row_id, timestamp as at
    from gps_points order by device_id, group_id, timestamp desc, row_id desc`
const NEWEST = `
  select distinct on (device_id) client_id, device_id, least(telemetry_time, received_at) as at, row_id, telemetry_id, telemetry_time, group_id,
    device_user_id, '{}'::jsonb as facts, received_at from telemetry order by device_id, least(telemetry_time, received_at) desc, row_id desc`

/** Fills dependent rows. */
const fillDependentRows = (db: Database) =>
  db.owner.query(
    `insert into gps_latest (client_id, device_id, group_id, device_user_id, timestamp, row_id)
     select client_id, device_id, group_id, device_user_id, at, row_id from (${LAST}) c;
     insert into telemetry_latest (client_id, device_id, at, row_id, telemetry_id, telemetry_time, group_id, device_user_id, facts, received_at)
     ${NEWEST}`,
  )

/** Returns dependent rows that do not match the records: last positions, newest reports, day keys. */
export async function wrongDependentRows(db: Database): Promise<string[]> {
  const { rows } = await db.owner.query<{ wrong: string }>(
    `select 'last position of ' || device_id as wrong from gps_latest l full join (${LAST}) c using (client_id, device_id, group_id, row_id)
       where l.timestamp is distinct from c.at
     union all select 'newest report of ' || device_id from telemetry_latest l full join (${NEWEST}) n using (client_id, device_id, row_id)
       where l.at is distinct from n.at
     union all select 'key ' || key_id from gps_keys k
       where (wrapped_key is null) = exists (select from gps_points p where p.client_id = k.client_id and p.key_id = k.key_id)`,
  )
  return rows.map(({ wrong }) => wrong)
}
