import { readlinkSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { mock } from 'node:test'

type Handle = { fd: number; sync(): Promise<void>; writeFile(data: unknown): Promise<void> }

/** The prototype of open files of node:fs/promises, where a test can observe and replace disk operations. */
export async function fileHandle(): Promise<Handle> {
  const handle = await open('/dev/null')
  await handle.close()
  return Object.getPrototypeOf(handle) as Handle
}

export const linux = { skip: process.platform === 'linux' ? false : 'only Linux tells which file is synced' }

/** An error as the system reports it. */
export const broken = (code: string) => Object.assign(new Error(`${code}: injected`), { code, errno: -5 })

/**
 * Intercepts every fsync until `restore`: `instead` gets the path (Linux only), and its result replaces the real one
 * unless it calls `real`.
 */
export async function watchSyncs(
  instead: (path: string, real: () => Promise<void>) => Promise<void> = (_, real) => real(),
): Promise<{ paths: string[]; restore(): void }> {
  const prototype = await fileHandle()
  const sync = prototype.sync
  const paths: string[] = []
  const mocked = mock.method(prototype, 'sync', function (this: Handle) {
    const path = process.platform === 'linux' ? readlinkSync(`/proc/self/fd/${this.fd}`) : ''
    paths.push(path)
    return instead(path, () => sync.call(this))
  })
  return { paths, restore: () => mocked.mock.restore() }
}
