import { lockMigrations } from '../clients/store.ts'
import { fault, MIGRATION_PART, type MigrationFile } from '@custodia/contract'
import { migration } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { pageByName } from '../http/page.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { NoRoom } from '../ports/objects/port.ts'
import { addPart, completePart, dropFolder, listFolder, receivedOf, removeDropped } from './folder.ts'
import { openRuns } from './work-store.ts'

type Rows = 'listMigrationFiles' | 'uploadMigrationFile' | 'deleteMigrationFile'

/** Routes of the drop folder. */
export const migrationFileRoutes = (
  ctx: Pick<AppContext, 'cursors' | 'config' | 'space'>,
): Handlers<Rows> => {
  const folderOf = ({ caller }: PortalContext) => dropFolder(ctx.config.dataDir, caller.client)
  return {
    async listMigrationFiles(context, { query }) {
      const wanted = query.search?.toLowerCase() ?? ''
      const all = await listFolder(folderOf(context))
      const files = all.filter(({ filename }) => filename.toLowerCase().includes(wanted))
      if (query.type === 'total') return { total: files.length }
      return pageByName(
        ctx.cursors,
        { name: 'migration files', client_id: context.caller.client_id, query },
        async (after, limit) =>
          files
            .map(fileOf)
            .filter((file) => placeOf(file) > after)
            .slice(0, limit),
        placeOf,
      )
    },

    uploadMigrationFile: (context, { body: { filename, size, offset, content, sha256 } }) =>
      context.write(async (tx) => {
        await assertIdle(tx, filename)
        const folder = folderOf(context)
        const bytes = Buffer.from(content, 'base64')
        if (bytes.length > MIGRATION_PART || offset + bytes.length > size) throw new Problem('wrong_size')
        const received = offset === 0 ? 0 : await mapPathErrors(receivedOf(folder, filename))
        if (offset > received)
          throw new Problem('changed_meanwhile', { detail: `${received} bytes of the file are stored` })
        const end = offset + bytes.length
        if (end <= received && end < size) return fileOf({ filename, size: received, is_whole: false })
        const giveBack = await ctx.space.take(bytes.length).catch((error: unknown) => {
          throw error instanceof NoRoom ? new Problem('unavailable', { detail: 'the disk is full' }) : error
        })
        try {
          await mapPathErrors(addPart(folder, filename, { offset, bytes, isLast: end === size }))
        } finally {
          giveBack()
        }
        if (end < size) return fileOf({ filename, size: end, is_whole: false })
        if (!(await mapPathErrors(completePart(folder, filename, sha256))))
          throw new Problem('wrong_checksum')
        return fileOf({ filename, size, is_whole: true })
      }),

    deleteMigrationFile: (context, { query: { filename } }) =>
      context.write(async (tx) => {
        await assertIdle(tx, filename)
        if (!(await mapPathErrors(removeDropped(folderOf(context), filename)))) throw new Problem('not_found')
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
const placeOf = ({ filename, is_whole }: MigrationFile): string => `${filename}\u0000${is_whole ? 0 : 1}`

const fileOf = (file: { filename: string; size: number; is_whole: boolean }): MigrationFile => ({
  filename: file.filename,
  kind: migration.migrationFile(file.filename),
  received: file.size,
  is_whole: file.is_whole,
})
