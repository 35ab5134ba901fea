import { createHash, randomUUID } from 'node:crypto'
import { dirname, join } from 'node:path/posix'
import type { Egress } from '../egress/port.ts'
import { wrapped } from './formats/wrap.ts'
import {
  type Delivered,
  type DeliveryItem,
  type SftpTarget,
  type TargetSession,
  TargetProblem,
} from './port.ts'
import { connectSftp, PATIENCE } from './sftp-connect.ts'
import { SftpFiles } from './sftp-files.ts'
import { readBack, writeAll } from './sftp-stream.ts'

/** Signs in and keeps the connection for as many items as are to be delivered. Throws TargetProblem. */
export async function sftpSession(
  target: SftpTarget,
  egress: Egress,
  patience: { connect: number; silence: number } = PATIENCE,
): Promise<TargetSession> {
  const connection = await connectSftp(target, egress, patience)
  const files = new SftpFiles(connection, patience.silence)
  const folders = new Map<string, Promise<void>>()

  /** Creates what is missing of a folder's path, once per connection. */
  function ensureFolder(folder: string): Promise<void> {
    const known = folders.get(folder)
    if (known) return known
    const made = (async () => {
      if (folder === '.' || folder === '/' || (await files.isFolder(folder))) return
      await ensureFolder(dirname(folder))
      await files.mkdir(folder).catch(async (error: unknown) => {
        // Somebody else may have made it since.
        if (!(await files.isFolder(folder))) throw error
      })
    })()
    folders.set(folder, made)
    made.catch(() => folders.delete(folder))
    return made
  }

  async function put(
    path: string,
    content: AsyncIterable<Uint8Array>,
  ): Promise<{ bytes: number; sha256: string }> {
    const folder = dirname(path)
    const temporary = temporaryName(path)
    let handle: Buffer | undefined
    try {
      await ensureFolder(folder)
      handle = await files.open(temporary, 'w')
      const written = await writeAll(files, handle, content)
      await files.sync(handle)
      await files.close(handle)
      const found = await readBack(files, temporary)
      if (found.bytes !== written.bytes || found.sha256 !== written.sha256)
        throw new TargetProblem('target_differs', 'what was read back is not what was written')
      await files.rename(temporary, path)
      return written
    } catch (error) {
      const problem = await files.told(error, folder)
      if (handle) {
        // An open file holds its space also without a name. Closing twice is refused and harmless.
        await files.close(handle).catch(() => undefined)
        await files.unlink(temporary).catch(() => undefined)
      }
      throw problem
    }
  }

  return {
    async deliver(item: DeliveryItem): Promise<Delivered> {
      const { bytes, sha256 } = await put(item.path, wrapped(item))
      return { dest_path: item.path, bytes, checksums: { decrypted: item.sha256, encrypted: sha256 } }
    },

    async prove(folder) {
      const probe = join(folder, `custodia-test-${randomUUID()}.txt`)
      await put(
        probe,
        (async function* () {
          yield Buffer.from('Custodia tests whether it may write here.\n')
        })(),
      )
      await files.unlink(probe).catch(async (error: unknown) => {
        throw await files.told(error, folder)
      })
    },

    async close() {
      connection.cut()
    },
  }
}

/**
 * Hidden, in the folder of the file, and always the same for one file: what a killed worker left behind is written over by the next attempt
 * and then gone.
 */
function temporaryName(path: string): string {
  const digest = createHash('sha256').update(path).digest('hex').slice(0, 32)
  return join(dirname(path), `.${digest}.part`)
}
