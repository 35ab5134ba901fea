import { link, mkdir, open, unlink, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { checkContent, consume } from './content-check.ts'
import { errorCode, onDisk, syncFolders, unless } from './disk.ts'
import { ObjectExists, type ExpectedContent } from './port.ts'
import { readHandle } from './read-handle.ts'

/** The folder of a store, and its sync function. */
export interface Root {
  root: string
  sync: (folder: string) => Promise<void>
}

/** Writes and syncs a part: bytes under a temporary name, which `publish` makes an object. */
export async function writePart(part: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await onDisk(() => openNew(part))
  try {
    for await (const chunk of chunks) await onDisk(() => handle.writeFile(chunk))
    await onDisk(() => handle.sync())
  } finally {
    await onDisk(() => handle.close())
  }
}

/**
 * Links a synced part under the name of its object; `settle` makes the name durable. Throws ObjectExists when
 * the name is taken: link() decides between writers, also of other processes. The link is never removed,
 * because another writer may have confirmed the object to its device.
 */
export async function publish(
  part: string,
  path: string,
  settle: (folder: string) => Promise<void>,
  key: string,
): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    try {
      await link(part, path)
      break
    } catch (error) {
      if (errorCode(error) === 'EEXIST') throw new ObjectExists(key)
      // A concurrent delete of the folder's last object has removed the folder.
      if (errorCode(error) !== 'ENOENT' || attempt === 5) throw error
    }
  }
  await settle(dirname(path))
}

/**
 * Makes the object at `path` durable: its content and every folder up to the root, through descriptors of our
 * own. Content was synced before its link, so only names can still be unsynced here.
 */
export async function ensureDurableFile(
  path: string,
  { root, sync }: Root,
  expect: ExpectedContent | undefined,
): Promise<{ size: number } | undefined> {
  const handle = await onDisk(() => unless(['ENOENT', 'ENOTDIR'], () => open(path, mayBeSynced)))
  if (!handle) return undefined
  try {
    const { size } = await onDisk(() => handle.stat())
    if (expect) await consume(checkContent(readHandle(handle, { start: 0, end: Infinity }), expect).chunks)
    await onDisk(() => handle.sync())
    await onDisk(() => syncFolders(dirname(path), root, sync))
    return { size }
  } finally {
    await onDisk(() => handle.close())
  }
}

// Windows syncs only writable files.
const mayBeSynced = process.platform === 'win32' ? 'r+' : 'r'

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'wx', 0o600)
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    return open(path, 'wx', 0o600)
  }
}

/** Tries to remove a part; the sweep removes the rest. */
export const dropPart = (part: string): Promise<void> => unlink(part).catch(() => undefined)
