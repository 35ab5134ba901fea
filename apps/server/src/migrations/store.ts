import {
  MIGRATION_ERASE_DAYS,
  MIGRATION_RESULTS,
  type MigrationResult,
  type MigrationResultClass,
  type MigrationResultType,
  type MigrationRun,
  type MigrationSettings,
  type MigrationState,
} from '@custodia/contract'
import { clientColumn } from '../clients/store.ts'
import { marked } from '../http/context.ts'
import { getVersion } from '../http/etag.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'

/** SQL: result types of a class, for `in (…)`. */
export const getTypes = (wanted: MigrationResultClass): string =>
  Object.entries(MIGRATION_RESULTS)
    .flatMap(([type, of]) => (of === wanted ? [`'${type}'`] : []))
    .join(', ')

/** Actor of imports and erasures. */
export const MIGRATION = marked('migration', 'system')

/** Results by type: count and first names. */
export type ResultCounts = Partial<Record<MigrationResultType, { count: number; items: string[] }>>
/** Rows by kind. */
export type Totals = Partial<Record<'Group' | 'DeviceUser' | 'Device' | 'Payload', number>>

/** SQL: when to erase the files of run `r`; null: never. Needs the tenant. */
export const ERASE_AT = `(case when not r.is_dry_run and r.sources_erased_at is null then
  case when r.migration_state = 'Migrated' then r.migrated_at else (select k.migrated_at from migration_runs k
    where k.client_id = r.client_id and k.migration_reference = r.settled_by) end + 86400::bigint
  * coalesce((select s.erase_after_days from migration_settings s where s.client_id = r.client_id), ${MIGRATION_ERASE_DAYS}) end)`
const KEPT = `r.migration_reference, r.migration_state, r.is_dry_run, r.created_at, r.created_by, r.migrated_at, r.filename, r.error_message,
  r.retry_of, r.signed_off_at, r.signed_off_by, r.explanation, r.settled_by, ${ERASE_AT} as sources_erase_at, r.sources_erased_at,
  case when r.signed_off_at >= coalesce(r.sources_erased_at, 0) then r.signed_off_by
    when r.migrated_at is not null or r.scanned_at is not null then '${MIGRATION}' else r.created_by end as updated_by`
const COLUMNS = `${clientColumn('r.client_id')}, ${KEPT}, r.totals, r.results`

/** The counts of a run by its rows and results. */
function getCounts({ totals, results }: StoredCounts) {
  const of = (type: MigrationResultType) => results[type]?.count ?? 0
  const items = (wanted: MigrationResultClass) =>
    (Object.entries(results) as [MigrationResultType, { count: number; items: string[] }][])
      .filter(([type]) => MIGRATION_RESULTS[type] === wanted)
      .map(([result_type, { count, items }]) => ({ result_type, count, items }))
      .toSorted((a, b) => (a.result_type < b.result_type ? -1 : 1))
  const sum = (lists: readonly { count: number }[]) => lists.reduce((total, { count }) => total + count, 0)
  const [import_errors, import_warnings, imported] = [items('error'), items('warning'), items('success')]
  return {
    total_groups: totals.Group ?? 0,
    total_users: totals.DeviceUser ?? 0,
    total_devices: totals.Device ?? 0,
    total_payloads: totals.Payload ?? 0,
    new_groups: of('GroupAdded'),
    new_users: of('UserCreatedOnboarded') + of('UserCreatedOffboarded'),
    updated_users: of('UserUpdated') + of('UserOffboarded'),
    new_devices: of('DeviceCreatedActivated') + of('DeviceCreatedDeactivated'),
    updated_devices: of('DeviceUpdated'),
    new_payloads: of('PayloadCreated') + of('RecordedPayloadCreated'),
    updated_payloads: of('PayloadUpdated'),
    errors: sum(import_errors),
    warnings: sum(import_warnings),
    successes: sum(imported),
    import_errors,
    import_warnings,
    imported,
  }
}

interface StoredCounts {
  totals: Totals
  results: ResultCounts
}
type StoredRun = Omit<MigrationRun, keyof ReturnType<typeof getCounts>> & StoredCounts

const getRun = ({ totals, results, ...run }: StoredRun): MigrationRun => ({
  ...run,
  ...getCounts({ totals, results }),
})

interface RunFilter {
  migration_states?: readonly MigrationState[] | undefined
  is_dry_run?: boolean | undefined
  /** `created_at`, half-open. */
  from: number
  to: number
}

const MATCHES = `r.client_id = $1 and ($2::text[] is null or r.migration_state = any($2)) and ($3::bool is null or r.is_dry_run = $3)
  and r.created_at >= $4 and r.created_at < $5`
const matching = (q: Queryable, { migration_states, is_dry_run, from, to }: RunFilter) => [
  q.client_id,
  migration_states ?? null,
  is_dry_run ?? null,
  from,
  to,
]

/** Runs before a cursor (undefined: from the newest), newest first. */
export async function listRuns(
  q: Queryable,
  filter: RunFilter,
  before: string | undefined,
  limit: number,
): Promise<MigrationRun[]> {
  const { rows } = await q.query<StoredRun>(
    `select ${COLUMNS} from migration_runs r where ${MATCHES} and ($6::text is null or r.migration_reference < $6)
     order by r.migration_reference desc limit $7`,
    [...matching(q, filter), before ?? null, limit],
  )
  return rows.map(getRun)
}

export function countRuns(q: Queryable, filter: RunFilter): Promise<number> {
  return q.count(`select count(*)::int as total from migration_runs r where ${MATCHES}`, matching(q, filter))
}

/** Finds a run, or undefined. */
export async function findRun(q: Queryable, migration_reference: string): Promise<MigrationRun | undefined> {
  const { rows } = await q.query<StoredRun>(
    `select ${COLUMNS} from migration_runs r where r.client_id = $1 and r.migration_reference = $2`,
    [q.client_id, migration_reference],
  )
  return rows[0] && getRun(rows[0])
}

interface ResultFilter {
  migration_reference: string
  result_types?: readonly MigrationResultType[] | undefined
  result_classes?: readonly MigrationResultClass[] | undefined
  kinds?: readonly string[] | undefined
  search?: string | undefined
}

const RESULT_MATCHES = `r.client_id = $1 and r.migration_reference = $2 and ($3::text[] is null or r.result_type = any($3))
  and ($4::text[] is null or r.kind = any($4)) and ($5::text is null or strpos(lower(r.item), lower($5)) > 0)`
function matchingResults(q: Queryable, filter: ResultFilter) {
  const { result_types, result_classes, kinds, search } = filter
  const types =
    result_classes === undefined
      ? result_types
      : (Object.keys(MIGRATION_RESULTS) as MigrationResultType[]).filter(
          (type) =>
            result_classes.includes(MIGRATION_RESULTS[type]) && (result_types?.includes(type) ?? true),
        )
  return [q.client_id, filter.migration_reference, types ?? null, kinds ?? null, search ?? null]
}

/** Results of a run after a cursor, in order. */
export async function listResults(
  q: Queryable,
  filter: ResultFilter,
  after: number,
  limit: number,
): Promise<MigrationResult[]> {
  const { rows } = await q.query<Omit<MigrationResult, 'result_class'>>(
    `select r.sequence, r.result_type, r.kind, r.item, r.filename, r.line, p.payload_reference, r.faults
     from migration_results r left join payloads p using (client_id, payload_id)
     where ${RESULT_MATCHES} and r.sequence > $6 order by r.sequence limit $7`,
    [...matchingResults(q, filter), after, limit],
  )
  return rows.map((row) => ({ ...row, result_class: MIGRATION_RESULTS[row.result_type] }))
}

export function countResults(q: Queryable, filter: ResultFilter): Promise<number> {
  return q.count(
    `select count(*)::int as total from migration_results r where ${RESULT_MATCHES}`,
    matchingResults(q, filter),
  )
}

/** Runs that a run without errors settles: the chain that it retries, or, for a full run, all earlier failures. */
export function failedBefore(q: Queryable, retry_of: string | null): Promise<string[]> {
  return q.column<string>(
    retry_of === null
      ? `select migration_reference from migration_runs where client_id = $1 and $2::text is null and not is_dry_run
           and migration_state in ('PartialFail', 'Failed', 'Quarantined')`
      : `with recursive before as (
           select migration_reference, retry_of from migration_runs where client_id = $1 and migration_reference = $2
           union select r.migration_reference, r.retry_of from migration_runs r join before b on r.client_id = $1 and r.migration_reference = b.retry_of)
         select migration_reference from before`,
    [q.client_id, retry_of],
  )
}

/**
 * Stores the run that settled others: runs whose failed files it read without errors. Missing files leave a run
 * unsettled.
 */
export async function settleRuns(tx: Tx, references: readonly string[], settled_by: string): Promise<void> {
  await tx.query(
    `update migration_runs r set settled_by = $3
     where r.client_id = $1 and r.migration_reference = any($2) and r.settled_by is null and not r.is_dry_run
       and r.migration_state in ('PartialFail', 'Failed', 'Quarantined') and not exists (
         select from migration_files f where f.client_id = r.client_id and f.migration_reference = r.migration_reference and f.problem is null
           and f.filename not like 'media/%' and f.filename <> 'manifest.json'
           and (f.rows is null or exists (select from migration_results m where m.client_id = f.client_id and m.filename = f.filename
             and m.migration_reference = f.migration_reference and m.result_type in (${getTypes('error')})))
           and not exists (select from migration_files k where k.client_id = f.client_id and k.migration_reference = $3
             and k.filename = f.filename and k.rows is not null))`,
    [tx.client_id, references, settled_by],
  )
}

const NO_SETTINGS = {
  disable_onboarding: false,
  disable_offboarding: false,
  disable_payloads: false,
  erase_after_days: MIGRATION_ERASE_DAYS,
  updated_at: null,
  updated_by: null,
}

/** Migration settings; by default everything is imported. */
export async function findSettings(q: Queryable): Promise<Omit<MigrationSettings, 'client'>> {
  const { rows } = await q.query<Omit<MigrationSettings, 'version' | 'client'>>(
    `select disable_onboarding, disable_offboarding, disable_payloads, erase_after_days, updated_at, updated_by
     from migration_settings where client_id = $1`,
    [q.client_id],
  )
  const settings = rows[0] ?? NO_SETTINGS
  return { ...settings, version: getVersion(settings) }
}

export async function saveSettings(
  tx: Tx,
  settings: Omit<MigrationSettings, 'client' | 'version' | 'updated_at' | 'updated_by'>,
  { now, by }: { now: number; by: string },
): Promise<void> {
  await tx.query(
    `insert into migration_settings values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (client_id) do update set disable_onboarding = $2, disable_offboarding = $3, disable_payloads = $4, erase_after_days = $5,
       updated_at = $6, updated_by = $7`,
    [
      tx.client_id,
      settings.disable_onboarding,
      settings.disable_offboarding,
      settings.disable_payloads,
      settings.erase_after_days,
      now,
      by,
    ],
  )
}
