import { fault, MIGRATION_PART, MIGRATION_POWERS, type MigrationFile } from '@custodia/contract'
import { migration } from '@custodia/domain'
import { assertPermitted } from '../access/impact.ts'
import { impactOfAnyMove } from '../access/move-impact.ts'
import type { AppContext } from '../app-context.ts'
import { lockMigrations } from '../clients/store.ts'
import { getActor, type Handlers, type PortalContext } from '../http/context.ts'
import { assertUnchanged } from '../http/etag.ts'
import { pageByName, getPage } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import { timeRange } from '../http/time-range.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { NoRoom } from '../ports/objects/port.ts'
import { addPart, completePart, dropFolder, listFolder, getReceived, removeDropped } from './folder.ts'
import { startRetry, startRun } from './start.ts'
import {
  countResults,
  countRuns,
  findRun,
  findSettings,
  listResults,
  listRuns,
  saveSettings,
} from './store.ts'
import { openRuns } from './work-store.ts'

type Rows =
  | 'readMigrationSettings'
  | 'saveMigrationSettings'
  | 'listMigrations'
  | 'createMigration'
  | 'retryMigration'
  | 'readMigration'
  | 'listMigrationResults'

/** Migration routes. */
export const migrationRoutes = (ctx: Pick<AppContext, 'cursors' | 'jobs' | 'config'>): Handlers<Rows> => ({
  readMigrationSettings: (context) =>
    context.read(async (q) => ({ client: context.caller.client, ...(await findSettings(q)) })),

  saveMigrationSettings: (context, { body }) =>
    context.write(async (tx) => {
      await lockMigrations(tx)
      const { version, erase_after_days } = await findSettings(tx)
      assertUnchanged(context, version)
      await saveSettings(
        tx,
        { erase_after_days, ...body },
        { now: context.now, by: getActor(context.caller) },
      )
      return { client: context.caller.client, ...(await findSettings(tx)) }
    }),

  listMigrations: (context, { query }) =>
    context.read(async (q) => {
      const { migration_states, is_dry_run } = query
      const filter = { migration_states, is_dry_run, ...timeRange(query) }
      if (query.type === 'total') return { total: await countRuns(q, filter) }
      return getPage(
        ctx.cursors,
        { name: 'migrations', client_id: context.caller.client_id, query },
        (from: readonly [string] | undefined, limit) => listRuns(q, filter, from?.[0], limit),
        ({ migration_reference }) => [migration_reference] as const,
      )
    }),

  createMigration: (context, { body: { is_dry_run } }) =>
    context.write(async (tx) => {
      const { client } = context.caller
      const run = { now: context.now, by: getActor(context.caller), is_dry_run }
      assertMayImport(context)
      const reference = await startRun(ctx, tx, client, run)
      if (!is_dry_run) await assertMovesPermitted(context, tx, reference)
      return getRun(tx, reference)
    }),

  retryMigration: (context, { params: { migration_reference } }) =>
    context.write(async (tx) => {
      const { client } = context.caller
      const run = { now: context.now, by: getActor(context.caller), retry_of: migration_reference }
      assertMayImport(context)
      const reference = await startRetry(ctx, tx, client, run)
      await assertMovesPermitted(context, tx, reference)
      return getRun(tx, reference)
    }),

  readMigration: (context, { params: { migration_reference } }) =>
    context.read((q) => getRun(q, migration_reference)),

  listMigrationResults: (context, { params: { migration_reference }, query }) =>
    context.read(async (q) => {
      await getRun(q, migration_reference)
      const { result_types, result_classes, kinds, search } = query
      const filter = { migration_reference, result_types, result_classes, kinds, search }
      if (query.type === 'total') return { total: await countResults(q, filter) }
      return getPage(
        ctx.cursors,
        { name: `migrations ${migration_reference}`, client_id: context.caller.client_id, query },
        (from: readonly [number] | undefined, limit) => listResults(q, filter, from?.[0] ?? 0, limit),
        ({ sequence }) => [sequence] as const,
      )
    }),
})

/** The caller needs the rights of the rows' calls in every group. Problem: not_permitted. */
function assertMayImport({ caller }: PortalContext): void {
  const lacking = MIGRATION_POWERS.find((action) => !caller.access.allowsGroupless(action))
  if (lacking) throw new Problem('not_permitted', { detail: lacking })
}

/** The moves of a run are unknown before it, so any move counts. Problem: escalation. */
const assertMovesPermitted = (context: PortalContext, tx: Tx, migration_reference: string): Promise<void> =>
  assertPermitted(context, tx, impactOfAnyMove(context.caller), {
    what: { text: 'escalated_by_migration', name: migration_reference },
    confirm_lockout: undefined,
  })

async function getRun(q: Queryable, migration_reference: string) {
  const run = await findRun(q, migration_reference)
  if (!run) throw new Problem('not_found', { detail: 'no such migration' })
  return run
}

type FileRoutesRows = 'listMigrationFiles' | 'uploadMigrationFile' | 'deleteMigrationFile'

/** Routes of the drop folder. */
export const migrationFileRoutes = (
  ctx: Pick<AppContext, 'cursors' | 'config' | 'space'>,
): Handlers<FileRoutesRows> => {
  const getFolder = ({ caller }: PortalContext) => dropFolder(ctx.config.dataDir, caller.client)
  return {
    async listMigrationFiles(context, { query }) {
      const wanted = query.search?.toLowerCase() ?? ''
      const all = await listFolder(getFolder(context))
      const files = all.filter(({ filename }) => filename.toLowerCase().includes(wanted))
      if (query.type === 'total') return { total: files.length }
      return pageByName(
        ctx.cursors,
        { name: 'migration files', client_id: context.caller.client_id, query },
        async (after, limit) =>
          files
            .map(getFile)
            .filter((file) => getPlace(file) > after)
            .slice(0, limit),
        getPlace,
      )
    },

    uploadMigrationFile: (context, { body: { filename, size, offset, content, sha256 } }) =>
      context.write(async (tx) => {
        await assertIdle(tx, filename)
        const folder = getFolder(context)
        const bytes = Buffer.from(content, 'base64')
        if (bytes.length > MIGRATION_PART || offset + bytes.length > size) throw new Problem('wrong_size')
        const received = offset === 0 ? 0 : await mapPathErrors(getReceived(folder, filename))
        if (offset > received)
          throw new Problem('changed_meanwhile', { detail: `${received} bytes of the file are stored` })
        const end = offset + bytes.length
        if (end <= received && end < size) return getFile({ filename, size: received, is_whole: false })
        const giveBack = await ctx.space.take(bytes.length).catch((error: unknown) => {
          throw error instanceof NoRoom ? new Problem('unavailable', { detail: 'the disk is full' }) : error
        })
        try {
          await mapPathErrors(addPart(folder, filename, { offset, bytes, isLast: end === size }))
        } finally {
          giveBack()
        }
        if (end < size) return getFile({ filename, size: end, is_whole: false })
        if (!(await mapPathErrors(completePart(folder, filename, sha256))))
          throw new Problem('wrong_checksum')
        return getFile({ filename, size, is_whole: true })
      }),

    deleteMigrationFile: (context, { query: { filename } }) =>
      context.write(async (tx) => {
        await assertIdle(tx, filename)
        if (!(await mapPathErrors(removeDropped(getFolder(context), filename))))
          throw new Problem('not_found')
        return { filename }
      }),
  }
}

const invalidName = () => new Problem('invalid_input', { faults: [fault('filename', 'invalid')] })

/** Whether the name is allowed: `media` is the folder of recordings, and file systems limit each part. */
const isAllowedName = (filename: string): boolean =>
  filename !== migration.MEDIA_FOLDER.slice(0, -1) &&
  filename.split('/').every((part) => Buffer.byteLength(part) <= PART_BYTES)
/** Bytes per path part: 255 minus the suffix of an incomplete upload. */
const PART_BYTES = 250

/** Maps path conflicts between files and folders to an input error. */
async function mapPathErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw ['EISDIR', 'ENOTDIR', 'EEXIST', 'ERR_FS_EISDIR'].includes(code) ? invalidName() : error
  }
}

/** Serialises changes of the folder and refuses them during a run. Problems: invalid_input, wrong_state. */
async function assertIdle(tx: Tx, filename: string): Promise<void> {
  if (
    !migration.isMigrationPath(filename) ||
    filename.toLowerCase().endsWith('.part') ||
    !isAllowedName(filename)
  )
    throw invalidName()
  await lockMigrations(tx)
  if ((await openRuns(tx)).length > 0) throw new Problem('wrong_state', { detail: 'a run is in progress' })
}

/** A file and its replacement may coexist. */
const getPlace = ({ filename, is_whole }: MigrationFile): string => `${filename}\u0000${is_whole ? 0 : 1}`

const getFile = (file: { filename: string; size: number; is_whole: boolean }): MigrationFile => ({
  filename: file.filename,
  kind: migration.migrationFile(file.filename),
  received: file.size,
  is_whole: file.is_whole,
})
