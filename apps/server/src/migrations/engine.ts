import {
  type Fault,
  MIGRATION_KINDS,
  MIGRATION_RESULTS,
  type MigrationState,
  PAYLOAD_TYPES,
} from '@custodia/contract'
import { migration } from '@custodia/domain'
import { raiseAlert, settleAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { watchWork, WorkTooSlow } from '../jobs/watch-work.ts'
import type { Tx } from '../ports/database/lease.ts'
import { dropFolder, SourceChanged } from './folder.ts'
import { Importer } from './import-rows.ts'
import { loadKnown } from './known-store.ts'
import { type Progress, getProgress } from './progress.ts'
import { type FileRow, fileRows, unreadable } from './read-rows.ts'
import { fileResults, scanFolder } from './scan.ts'
import { drawSample } from './sign-off-store.ts'
import { failedBefore as failedRunsBefore, findSettings, MIGRATION, settleRuns } from './store.ts'
import {
  failedItems,
  failedKey,
  findWork,
  finishRun,
  insertFiles,
  keepResults,
  listScanned,
  type NewResult,
  NO_DATA,
  noteRead,
  type ScannedFile,
  type WorkOfRun,
} from './work-store.ts'

/** Rows per transaction; payloads are sealed and stored before it. */
const ROWS = { Group: 200, DeviceUser: 200, Device: 200, Payload: 32 } as const
/** Characters of the cells of a batch after which it ends early: rows may be long. */
const BATCH_LENGTH = 1 << 20

/** Results of files per statement. */
const FILE_RESULTS = 5000

type Parts = Pick<AppContext, 'db' | 'keys' | 'objects' | 'scanner' | 'jobs' | 'now' | 'config'>
export interface RunInput {
  client_id: number
  client: string
  migration_reference: string
}

/**
 * Runs or resumes a migration: scans the files, then imports rows in batches. Each batch commits with its results and
 * position, so that a killed process loses and doubles nothing. One process at a time.
 */
export async function carryOutMigration(ctx: Parts, input: RunInput, signal: AbortSignal): Promise<void> {
  const { client_id, migration_reference } = input
  const isMine = await ctx.db.locked(`migration:${client_id}:${migration_reference}`, async (lost) => {
    const work = await ctx.db.read(client_id, (q) => findWork(q, migration_reference))
    if (work) await runWithinLimits(ctx, input, work, AbortSignal.any([signal, lost]))
  })
  if (!isMine) throw new Error('another process executes the run')
}

/** Fails a run after its last attempt. */
export const failMigration = (ctx: Pick<AppContext, 'db' | 'now'>, input: RunInput): Promise<void> =>
  end(ctx, input, { error_message: 'it could not be carried out' })

/** Runs within limits: a slow or stopped run ends with its reason. */
async function runWithinLimits(
  ctx: Parts,
  input: RunInput,
  begun: WorkOfRun,
  signal: AbortSignal,
): Promise<void> {
  const check = () => assertOpen(ctx, input, begun)
  const work = watchWork({ limits: ctx.config.migrations, signal, check })
  try {
    await carryOut(ctx, input, begun, getProgress(work))
  } catch (error) {
    const why: unknown = work.signal.aborted ? work.signal.reason : error
    const isEnd = [SourceChanged, RunStopped, WorkTooSlow].some((kind) => why instanceof kind)
    if (signal.aborted || !isEnd) throw why
    await end(ctx, input, { error_message: (why as Error).message })
  } finally {
    work.stop()
  }
}

/** The account stopped the run. */
class RunStopped extends Error {}

/** Throws RunStopped when the run ended or the account's settings exclude its rows. */
async function assertOpen(
  { db }: Pick<AppContext, 'db'>,
  { client_id, migration_reference }: RunInput,
  { switches }: WorkOfRun,
): Promise<void> {
  const { settings, isOpen } = await db.read(client_id, async (q) => ({
    settings: await findSettings(q),
    isOpen: (await findWork(q, migration_reference)) !== undefined,
  }))
  if (!isOpen) throw new RunStopped('the run was ended')
  const shut = (Object.keys(switches) as (keyof migration.MigrationSwitches)[]).filter(
    (name) => settings[name] && !switches[name],
  )
  if (shut.length > 0) throw new RunStopped(`the account switched on ${shut.join(', ')}`)
}

async function carryOut(ctx: Parts, input: RunInput, begun: WorkOfRun, progress: Progress): Promise<void> {
  const { client_id, migration_reference, client } = input
  const folder = dropFolder(ctx.config.dataDir, client)
  let work = begun.scanned_at === null ? await scanAll(ctx, input, begun, folder, progress) : begun
  const files = await ctx.db.read(client_id, (q) => listScanned(q, migration_reference))
  if (files.some(({ problem }) => problem === 'FileQuarantined'))
    return end(ctx, input, { isQuarantined: true })
  const rows = MIGRATION_KINDS.flatMap((kind) =>
    files.filter(({ filename, problem }) => problem === null && migration.migrationFile(filename) === kind),
  )
  if (rows.length === 0) return end(ctx, input, { error_message: 'no file contains rows' })
  const media = new Map(
    files.flatMap(({ filename, problem, ...file }) =>
      problem === null && filename.startsWith(migration.MEDIA_FOLDER)
        ? [[filename.slice(migration.MEDIA_FOLDER.length), file] as const]
        : [],
    ),
  )
  const known = await ctx.db.read(client_id, loadKnown)
  const plan = new migration.MigrationPlan({
    ...known,
    switches: work.switches,
    media: (name) => media.get(name),
    now: work.created_at,
  })
  const only = await failedBefore(ctx, input, work)
  const options = { plan, folder, media, isDry: work.is_dry_run, by: MIGRATION, progress }
  const importer = new Importer(ctx, input, options)
  for (const file of rows)
    work = await importFile(input.migration_reference, { work, file, importer, only, progress, folder })
  return end(ctx, input, {})
}

async function scanAll(
  ctx: Parts,
  { client_id, migration_reference }: RunInput,
  work: WorkOfRun,
  folder: string,
  progress: Progress,
): Promise<WorkOfRun> {
  const scanned = () => ctx.db.read(client_id, (q) => listScanned(q, migration_reference))
  const known = new Set((await scanned()).map(({ filename }) => filename))
  await scanFolder(
    ctx,
    folder,
    known,
    (files) => ctx.db.write(client_id, (tx) => insertFiles(tx, migration_reference, files)),
    progress,
  )
  const results = await fileResults(folder, await scanned())
  const is_scanned = ctx.now()
  return ctx.db.write(client_id, async (tx) => {
    let kept = work
    // A manifest may name a million missing files, and a statement has a time limit.
    do {
      const part = results.splice(0, FILE_RESULTS)
      kept = await keepResults(tx, migration_reference, kept, { results: part, is_scanned })
    } while (results.length > 0)
    return kept
  })
}

/** Rows that a retry repeats; undefined: all. */
async function failedBefore(
  { db }: Pick<AppContext, 'db'>,
  { client_id }: RunInput,
  { retry_of }: WorkOfRun,
): Promise<Set<string> | undefined> {
  if (retry_of === null) return undefined
  const errors = Object.entries(MIGRATION_RESULTS).flatMap(([type, of]) => (of === 'error' ? [type] : []))
  return db.read(client_id, (q) => failedItems(q, retry_of, errors))
}

interface FileScope {
  work: WorkOfRun
  file: ScannedFile
  folder: string
  importer: Importer
  only: ReadonlySet<string> | undefined
  progress: Progress
}

/** Rows before the position are decided again, without storing, because later rows depend on them. */
async function importFile(migration_reference: string, scope: FileScope): Promise<WorkOfRun> {
  const { file, importer, only, progress, folder } = scope
  const kind = migration.migrationFile(file.filename) as migration.MigrationKind
  let { work } = scope
  let batch: FileRow[] = []
  let length = 0
  const flush = async (): Promise<void> => {
    const rows = batch
    batch = []
    length = 0
    const last = rows.at(-1)
    if (!last) return
    const planned = await importer.decide(
      kind,
      rows.map(({ cells }) => cells),
    )
    progress.noteItems(rows.length)
    if (last.line <= file.line) return
    const getResult = ({ line }: FileRow, i: number): NewResult => {
      const { result_type, item, faults } = planned[i] ?? {
        result_type: 'Error',
        item: '',
        faults: rows[i]?.faults ?? unreadable(),
      }
      const payload_type = kind === 'Payload' ? typeOfRow(rows[i]?.cells) : null
      return {
        ...NO_DATA,
        result_type,
        kind,
        ...truncateResult(item, faults),
        filename: file.filename,
        line,
        payload_type,
      }
    }
    const result = rows.flatMap((row, i) => {
      const result = getResult(row, i)
      const act = planned[i]?.act
      const isWanted =
        !only ||
        act ||
        // A row that is new or changed.
        MIGRATION_RESULTS[result.result_type] === 'error' ||
        only.has(failedKey(kind, result.item, file.filename, row.line)) ||
        row.line <= file.line
      return isWanted && row.line > file.line ? [{ result, act }] : []
    })
    work = await importer.carryOut(result, (tx, results) =>
      keepResults(tx, migration_reference, work, {
        results,
        read: { filename: file.filename, line: last.line },
      }),
    )
  }
  let count = 0
  for await (const row of fileRows(folder, file, progress.noteRead)) {
    count++
    // No batch spans the resume position.
    const isFull = batch.length === ROWS[kind] || length > BATCH_LENGTH
    if (batch.length > 0 && (isFull || batch.at(-1)?.line === file.line)) await flush()
    batch.push(row)
    for (const cell of Object.values(row.cells ?? {}))
      length += [cell].flat().reduce((sum, text) => sum + text.length, 0)
  }
  await flush()
  await importer.write((tx) => noteRead(tx, migration_reference, file.filename, count))
  return work
}

/** Ends an open run and stores its totals. */
async function end(
  ctx: Pick<AppContext, 'db' | 'now'>,
  input: RunInput,
  { error_message = null, isQuarantined = false }: { error_message?: string | null; isQuarantined?: boolean },
): Promise<void> {
  const work = await ctx.db.read(input.client_id, (q) => findWork(q, input.migration_reference))
  if (!work) return
  const { results, is_dry_run, retry_of } = work
  const counted = (wanted: string) =>
    Object.entries(results).reduce(
      (sum, [type, { count }]) =>
        sum + (MIGRATION_RESULTS[type as keyof typeof results] === wanted ? count : 0),
      0,
    )
  const [errors, others] = [counted('error'), counted('success') + counted('warning')]
  const migration_state = isQuarantined
    ? 'Quarantined'
    : error_message !== null || (errors > 0 && others === 0)
      ? others > 0
        ? 'PartialFail'
        : 'Failed'
      : errors > 0
        ? 'PartialFail'
        : 'Migrated'
  const now = ctx.now()
  await ctx.db.write(input.client_id, async (tx) => {
    await finishRun(tx, input.migration_reference, { migration_state, now, error_message })
    if (is_dry_run) return
    await drawSample(tx, input.migration_reference)
    await alertOnRun(tx, input.migration_reference, { migration_state, errors, retry_of, now })
  })
}

/** Type in a row, for the counts. */
function typeOfRow(cells: migration.Cells | undefined): string | null {
  const stated = cells?.[migration.columnName('PayloadType')]
  return typeof stated === 'string' ? (TYPES.get(stated.trim().toLowerCase()) ?? null) : null
}
const TYPES = new Map(PAYLOAD_TYPES.map((type) => [type.toLowerCase(), type]))

/** Maximum characters of a row's name and of each reported value. */
const KEPT = 255
/** Maximum faults per row: a list may have a million parts. */
const FAULTS = 20
const short = (text: string) => (text.length > KEPT ? text.slice(0, KEPT).toWellFormed() : text)

/** Truncates names and values: a cell may have megabytes. */
const truncateResult = (item: string, faults: readonly Fault[]): Pick<NewResult, 'item' | 'faults'> => ({
  item: short(item),
  faults: faults.slice(0, FAULTS).map((each) => {
    const values = Object.fromEntries(
      Object.entries(each.values ?? {}).map(([name, value]) => [
        name,
        typeof value === 'string' ? short(value) : value,
      ]),
    )
    return { ...each, message: short(each.message), ...(each.values && { values }) } as Fault
  }),
})

/** Raises an alert on a failed or partial run; a successful run clears the earlier alerts. */
async function alertOnRun(
  tx: Tx,
  migration_reference: string,
  {
    migration_state,
    errors,
    retry_of,
    now,
  }: { migration_state: MigrationState; errors: number; retry_of: string | null; now: number },
): Promise<void> {
  if (migration_state === 'Migrated') {
    const over = await failedRunsBefore(tx, retry_of)
    await settleRuns(tx, over, migration_reference)
    for (const reference of over)
      await settleAlert(tx, {
        alert_scopes: ['ops', 'sec'],
        alert_key: `migration ${reference}`,
        now,
      })
    return
  }
  const isInfected = migration_state === 'Quarantined'
  await raiseAlert(tx, {
    alert_scopes: isInfected ? ['ops', 'sec'] : ['ops'],
    alert_type: 'MigrationAlert',
    alert_key: `migration ${migration_reference}`,
    text: isInfected ? 'migration_quarantined' : 'migration_failed',
    alert_severity: 'High',
    values: isInfected ? {} : { errors: String(errors) },
    related_entities: [{ entity_id: migration_reference, entity_type: 'Migration' }],
    now,
  })
}
