import { createHash } from 'node:crypto'
import { dirname, join } from 'node:path/posix'
import { TargetProblem } from './port.ts'
import type { SftpFiles } from './sftp-files.ts'
import type { Written } from './sftp-shared.ts'
import { type Incoming, readBack, writeAll } from './sftp-stream.ts'

/** Puts files on a server, whole or not at all. */
export interface SftpPut {
  (path: string, content: Incoming): Promise<Written>
}

/** Concurrent over one connection. Rejects with TargetProblem. */
export function sftpPut(files: SftpFiles): SftpPut {
  const folders = new Map<string, Promise<void>>()

  /** Creates missing folders of a path, once per connection. */
  function ensureFolder(folder: string): Promise<void> {
    const known = folders.get(folder)
    if (known) return known
    const made = (async () => {
      if (folder === '.' || folder === '/' || (await files.isFolder(folder))) return
      await ensureFolder(dirname(folder))
      await files.mkdir(folder).catch(async (error: unknown) => {
        // Another process may have made it since.
        if (!(await files.isFolder(folder))) throw error
      })
    })()
    folders.set(folder, made)
    made.catch(() => folders.delete(folder))
    return made
  }

  return async (path, content) => {
    const folder = dirname(path)
    const temporary = temporaryName(path)
    let handle: Buffer | undefined
    try {
      await ensureFolder(folder)
      handle = await files.open(temporary, 'w+')
      const written = await writeAll(files, handle, content)
      const found = await readBack(files, handle, written.bytes)
      if (found.bytes !== written.bytes || found.sha256 !== written.sha256)
        throw new TargetProblem('target_differs', 'the bytes read back differ from the written ones')
      // A failing close happens before the rename.
      await files.close(handle)
      await files.rename(temporary, path)
      return written
    } catch (error) {
      const problem = await files.result(error, folder)
      if (handle) {
        // An open file keeps its space after deletion. Closing twice fails harmlessly.
        await files.close(handle).catch(() => undefined)
        await files.unlink(temporary).catch(() => undefined)
      }
      throw problem
    }
  }
}

/**
 * Hidden, in the folder of the file, and always the same per file: the next attempt overwrites the remains of
 * a killed worker.
 */
function temporaryName(path: string): string {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 32)
  return join(dirname(path), `.${digest}.part`)
}
