import type { Statistics } from '@custodia/contract'

/** Entities whose rows are counted, and the table of each. People of the portal live at identity providers: those with a session count. */
export const ENTITY_TABLES = {
  Alert: 'alerts',
  AlertSubscription: 'alert_subscriptions',
  AlertWebhook: 'alert_webhooks',
  CaptureGap: 'capture_gaps',
  ClientApp: 'client_apps',
  DataRequest: 'data_requests',
  Destruction: 'destruction_lists',
  Device: 'devices',
  DeviceUser: 'device_users',
  Enrolment: 'enrolments',
  GpsPoint: 'gps_points',
  Group: 'groups',
  LegalHold: 'legal_holds',
  LegalMatter: 'legal_matters',
  Migration: 'migration_runs',
  Payload: 'payloads',
  Proposal: 'proposals',
  RetentionPolicy: 'retention_policies',
  Role: 'roles',
  SupportAccessRequest: 'support_access',
  Tag: 'tag_definitions',
  TransferConfig: 'transfer_configs',
} as const

/** The audit logs. */
export const LOG_TABLES = ['portal_activities', 'device_activities'] as const

/** A table as the catalogue of the database describes it, all partitions together. */
export interface TableFacts {
  name: string
  bytes: number
  /** Rows as the database last estimated them. */
  estimate: number
  /** Rows of tenants, seen only by themselves. */
  is_tenant: boolean
  /** Whether requests may read it. */
  is_readable: boolean
}

/** Growth in a month, which begins at `start` (UTC). */
export interface Month {
  start: number
  recordings: number
  bytes: number
}

/** Rows by table of one client, and what lies in the object store for it. */
export interface ClientFigures {
  client: string
  rows: Readonly<Record<string, number>>
  objects: { count: number; bytes: number }
  /** The last months, oldest first: recordings made, and bytes that arrived and are still stored. */
  months: readonly Month[]
  portal_users: number
  /** Epoch seconds of the count. */
  updated_at: number
}

/** Everything that a statistics document is made from. */
export interface StatisticsSource {
  tables: readonly TableFacts[]
  /** Exact rows of tables that belong to no tenant. */
  common: Readonly<Record<string, number>>
  clients: readonly ClientFigures[]
  bucket: string
  now: number
}

type Figure = Statistics['tables'][number]

const megabytes = (bytes: number): number => Math.round(bytes / 1000) / 1000
const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0)

/** The document that the provider reads. A figure is as old as the oldest count in it. */
export function getStatistics({ tables, common, bucket, now, ...gathered }: StatisticsSource): Statistics {
  const clients = gathered.clients.toSorted((a, b) => (a.client < b.client ? -1 : 1))
  const updated_at = Math.min(now, ...clients.map((each) => each.updated_at))
  const getBytes = (name: string) => tables.find((table) => table.name === name)?.bytes ?? 0
  const perClient = (getCount: (client: ClientFigures) => number): Figure['clients'] =>
    clients
      .map((each) => ({ client: each.client, count: getCount(each), size_mb: null }))
      .filter(({ count }) => count > 0)
  const counted = (getCount: (client: ClientFigures) => number, bytes: number) => ({
    count: sum(clients.map(getCount)),
    size_mb: megabytes(bytes),
    clients: perClient(getCount),
    updated_at,
  })
  const rows = (table: string) => (client: ClientFigures) => client.rows[table] ?? 0
  return {
    log_groups: LOG_TABLES.map((name) => ({ name, ...counted(rows(name), getBytes(name)) })),
    tables: tables.map((table) => ({
      name: table.name,
      count: common[table.name] ?? (isSummed(table) ? sum(clients.map(rows(table.name))) : table.estimate),
      size_mb: megabytes(table.bytes),
      clients: [],
      updated_at,
    })),
    buckets: [
      {
        name: bucket,
        count: sum(clients.map(({ objects }) => objects.count)),
        size_mb: megabytes(sum(clients.map(({ objects }) => objects.bytes))),
        clients: clients
          .filter(({ objects }) => objects.count > 0)
          .map(({ client, objects: { count, bytes } }) => ({ client, count, size_mb: megabytes(bytes) })),
        updated_at,
      },
    ],
    growth: clients
      .filter(({ months = [] }) => months.length > 0)
      .map(({ client, months }) => ({
        client,
        months: months.map(({ start, recordings, bytes }) => ({
          start,
          recordings,
          size_mb: megabytes(bytes),
        })),
      })),
    entities: [
      ...Object.entries(ENTITY_TABLES).map(([entity, table]) => ({
        entity,
        ...counted(rows(table), getBytes(table)),
      })),
      { entity: 'PortalUser', ...counted((client) => client.portal_users, getBytes('portal_sessions')) },
    ].sort((a, b) => (a.entity < b.entity ? -1 : 1)),
  }
}

/** Rows above which the database's own estimate is enough. */
const LARGE = 100_000

/** Whether the clients' counts add up to the table's. */
const isSummed = (table: TableFacts): boolean => table.is_tenant && table.is_readable && !isLarge(table)

/** Whether counting the table exactly would cost more than it tells. */
export const isLarge = ({ estimate }: TableFacts): boolean => estimate >= LARGE
