import { mkdir, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, syncFoldersAbove } from '../../sync-folder.ts'
import { KeysUnavailable } from '../port.ts'
import { FORGOTTEN, SLOT } from './layout.ts'

export const SEGMENT_FILE = /^([0-9a-f]{16})\.slots$/

/** An open file of slots. */
export type Segment = Awaited<ReturnType<typeof openSegment>>

/** The segments of a folder. */
export async function listSegments(folder: string): Promise<string[]> {
  const names = await namesIn(folder)
  return names.flatMap((name) => SEGMENT_FILE.exec(name)?.[1] ?? []).toSorted()
}

/** Makes an empty segment with a durable name. */
export async function makeSegment(folder: string, segment: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = await open(pathOf(folder, segment), 'wx', 0o600)
  await file.close()
  await syncFolder(folder)
  await syncFoldersAbove(folder)
}

/** Opens a segment; undefined when there is none. The caller closes it. */
export async function openSegment(folder: string, segment: string, flags: 'r' | 'r+') {
  const file = await open(pathOf(folder, segment), flags).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!file) return undefined
  return {
    /** Whole slots from a place on, at most `count`. */
    async read(index: number, count = 1): Promise<Buffer[]> {
      const buffer = Buffer.alloc(count * SLOT)
      let size = 0
      for (;;) {
        const { bytesRead } = await file.read(buffer, size, buffer.length - size, index * SLOT + size)
        size += bytesRead
        if (bytesRead === 0 || size === buffer.length) break
      }
      return Array.from({ length: Math.floor(size / SLOT) }, (_, i) =>
        buffer.subarray(i * SLOT, (i + 1) * SLOT),
      )
    },
    /** Writes bytes into a slot, all of them or an error. Durable after `sync`. */
    async write(index: number, bytes: Buffer, at = 0): Promise<void> {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await file.write(bytes, done, bytes.length - done, index * SLOT + at + done)
        if (bytesWritten === 0) throw new KeysUnavailable('a slot could not be written')
        done += bytesWritten
      }
    },
    sync: () => file.datasync(),
    close: () => file.close(),
  }
}

/** Attempts to wipe a slot that another process seals again at the same moment. */
const ATTEMPTS = 5

/**
 * Wipes existing slots durably and reads them back. Resolves to their number; throws when one cannot be
 * wiped.
 */
export async function wipe(segment: Segment & object, indexes: readonly number[]): Promise<number> {
  let left = []
  for (const index of indexes) if ((await segment.read(index)).length > 0) left.push(index)
  const count = left.length
  for (let attempt = 1; left.length > 0; attempt++) {
    if (attempt > ATTEMPTS) throw new KeysUnavailable('a slot holds something after it was wiped')
    for (const index of left) await segment.write(index, FORGOTTEN)
    await segment.sync()
    const still = []
    for (const index of left) if (!(await segment.read(index))[0]?.equals(FORGOTTEN)) still.push(index)
    left = still
  }
  return count
}

/** Names in a folder; none when there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

const pathOf = (folder: string, segment: string) => join(folder, `${segment}.slots`)
