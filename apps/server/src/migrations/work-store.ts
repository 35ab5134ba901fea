import type { MigrationResult, MigrationState } from '@custodia/contract'
import { MIGRATION_SAMPLE } from '@custodia/contract'
import type { migration } from '@custodia/domain'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import type { ResultCounts, Totals } from './store.ts'

/** A run with the fields that its work needs. */
export interface WorkOfRun {
  is_dry_run: boolean
  created_at: number
  switches: migration.MigrationSwitches
  scanned_at: number | null
  retry_of: string | null
  sequence: number
  totals: Totals
  results: ResultCounts
}

/** An open run, or undefined. */
export function findWork(q: Queryable, migration_reference: string): Promise<WorkOfRun | undefined> {
  return q.row<WorkOfRun>(
    `select is_dry_run, created_at, switches, scanned_at, retry_of, sequence, totals, results from migration_runs
     where client_id = $1 and migration_reference = $2 and migrated_at is null`,
    [q.client_id, migration_reference],
  )
}

export async function insertRun(
  tx: Tx,
  run: {
    migration_reference: string
    is_dry_run: boolean
    created_at: number
    created_by: string
    filename: string
    switches: migration.MigrationSwitches
    retry_of: string | null
  },
): Promise<void> {
  await tx.query(
    `insert into migration_runs (client_id, migration_reference, is_dry_run, created_at, created_by, filename, switches, retry_of)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      tx.client_id,
      run.migration_reference,
      run.is_dry_run,
      run.created_at,
      run.created_by,
      run.filename,
      JSON.stringify(run.switches),
      run.retry_of,
    ],
  )
}

/** Keeps an idle transaction alive. */
const keepAlive = async (tx: Tx): Promise<void> => void (await tx.query('select', []))

/** Milliseconds between the keepalives of a locking transaction. */
const KEEPALIVE_MS = 15_000

/** Runs long work while a transaction holds a lock; `lost` aborts when the lock is lost. */
export async function staying<T>(exclusively: Tx, work: (lost: AbortSignal) => Promise<T>): Promise<T> {
  const lost = new AbortController()
  const stays = setInterval(() => {
    keepAlive(exclusively).catch((error: unknown) => lost.abort(error))
  }, KEEPALIVE_MS)
  try {
    return await work(lost.signal)
  } finally {
    clearInterval(stays)
  }
}

/** Open runs. */
export function openRuns(q: Queryable): Promise<string[]> {
  return q.column<string>(
    'select migration_reference from migration_runs where client_id = $1 and migrated_at is null order by migration_reference',
    [q.client_id],
  )
}

export interface ScannedFile {
  filename: string
  size: number
  sha256: string
  problem: 'UnknownFile' | 'FileQuarantined' | 'FileDigestMismatch' | null
  line: number
}

export async function insertFiles(
  tx: Tx,
  migration_reference: string,
  files: readonly Omit<ScannedFile, 'line'>[],
): Promise<void> {
  await tx.query(
    `insert into migration_files (client_id, migration_reference, filename, size, sha256, problem)
     select $1, $2, filename, size, sha256, problem from jsonb_to_recordset($3) as x (filename text, size bigint, sha256 text, problem text)
     on conflict do nothing`,
    [tx.client_id, migration_reference, JSON.stringify(files)],
  )
}

/** Files of a run, by name. */
export function listScanned(q: Queryable, migration_reference: string): Promise<ScannedFile[]> {
  return q.rows<ScannedFile>(
    `select filename, size, sha256, problem, line from migration_files where client_id = $1 and migration_reference = $2 order by filename`,
    [q.client_id, migration_reference],
  )
}

export type NewResult = Omit<MigrationResult, 'sequence' | 'result_class' | 'payload_reference'> & {
  payload_id: number | null
  payload_type: string | null
  source_sha256: string | null
  /** Files below `media/` that it imported. */
  media: string[]
}

/** A result without data. */
export const NO_DATA = { payload_id: null, payload_type: null, source_sha256: null, media: [] as string[] }

/** Stores results, totals and the file position atomically. */
export async function keepResults(
  tx: Tx,
  migration_reference: string,
  run: WorkOfRun,
  {
    results,
    read,
    is_scanned,
  }: { results: readonly NewResult[]; read?: { filename: string; line: number }; is_scanned?: number },
): Promise<WorkOfRun> {
  const totals = { ...run.totals }
  const counts = structuredClone(run.results)
  for (const { kind, result_type, item } of results) {
    if (kind !== 'File') totals[kind] = (totals[kind] ?? 0) + 1
    const count = (counts[result_type] ??= { count: 0, items: [] })
    count.count++
    if (count.items.length < MIGRATION_SAMPLE) count.items.push(item)
  }
  const sequence = run.sequence + results.length
  const rows = results.map((each, i) => ({ ...each, sequence: run.sequence + i + 1 }))
  await tx.query(
    `insert into migration_results (client_id, migration_reference, sequence, result_type, kind, item, filename, line, payload_id, faults,
       payload_type, source_sha256, media)
     select $1, $2, sequence, result_type, kind, item, filename, line, payload_id, faults, payload_type, source_sha256, media
     from jsonb_to_recordset($3) as x (sequence int, result_type text, kind text, item text, filename text, line int, payload_id bigint, faults jsonb,
       payload_type text, source_sha256 text, media text[])`,
    [tx.client_id, migration_reference, JSON.stringify(rows)],
  )
  if (read)
    await tx.query(
      'update migration_files set line = $4 where client_id = $1 and migration_reference = $2 and filename = $3',
      [tx.client_id, migration_reference, read.filename, read.line],
    )
  const scanned_at = is_scanned ?? run.scanned_at
  await tx.query(
    `update migration_runs set totals = $3, results = $4, sequence = $5, scanned_at = $6 where client_id = $1 and migration_reference = $2`,
    [tx.client_id, migration_reference, JSON.stringify(totals), JSON.stringify(counts), sequence, scanned_at],
  )
  return { ...run, totals, results: counts, sequence, scanned_at }
}

/** Stores the number of rows of a completely read file. */
export async function noteRead(
  tx: Tx,
  migration_reference: string,
  filename: string,
  count: number,
): Promise<void> {
  await tx.query(
    'update migration_files set rows = $4 where client_id = $1 and migration_reference = $2 and filename = $3',
    [tx.client_id, migration_reference, filename, count],
  )
}

export async function finishRun(
  tx: Tx,
  migration_reference: string,
  end: { migration_state: Exclude<MigrationState, 'Pending'>; now: number; error_message: string | null },
): Promise<void> {
  await tx.query(
    `update migration_runs set migration_state = $3, migrated_at = $4, error_message = $5
     where client_id = $1 and migration_reference = $2 and migrated_at is null`,
    [tx.client_id, migration_reference, end.migration_state, end.now, end.error_message],
  )
}

/** Failed rows of a run, by name or position. */
export async function failedItems(
  q: Queryable,
  migration_reference: string,
  types: readonly string[],
): Promise<Set<string>> {
  const { rows } = await q.query<{ kind: string; item: string; filename: string; line: number | null }>(
    `select kind, item, filename, line from migration_results where client_id = $1 and migration_reference = $2 and result_type = any($3)`,
    [q.client_id, migration_reference, types],
  )
  return new Set(rows.map(({ kind, item, filename, line }) => failedKey(kind, item, filename, line)))
}

/** Key of a failed row. */
export const failedKey = (kind: string, item: string, filename: string, line: number | null): string =>
  item ? `${kind} ${item}` : `${filename} ${line}`
