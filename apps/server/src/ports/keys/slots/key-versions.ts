import { randomBytes } from 'node:crypto'
import { access, mkdir, open, readdir, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, syncFoldersAbove } from '../../sync-folder.ts'
import { type KeyContext, KeysUnavailable, KeyUnknown } from '../port.ts'
import { publishFile, readDurably, readIfThere, replaceFile } from '../signing.ts'
import { FORGOTTEN, SLOT } from './layout.ts'

const SEGMENT_FILE = /^([0-9a-f]{16})\.slots$/

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
  const file = await open(getPath(folder, segment), 'wx', 0o600)
  await file.close()
  await syncFolder(folder)
  await syncFoldersAbove(folder)
}

/** Opens a segment; undefined when there is none. The caller closes it. */
export async function openSegment(folder: string, segment: string, flags: 'r' | 'r+') {
  const file = await open(getPath(folder, segment), flags).catch((error: NodeJS.ErrnoException) => {
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
async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

const getPath = (folder: string, segment: string) => join(folder, `${segment}.slots`)

const EPOCH_FILE = /^epoch-(\d{6})\.key$/
/** Milliseconds after which a process checks which key versions exist. */
const LOOK_EVERY = 10_000
const HOUR = 3600

/** The master keys, which seal small secrets. */
interface SecretSealer {
  seal(plaintext: Buffer, context: KeyContext): Promise<Buffer>
  open(blob: Buffer, context: KeyContext): Promise<Buffer>
  /** The blob under the newest master key; undefined when it is current. */
  reseal(blob: Buffer, context: KeyContext): Promise<Buffer | undefined>
}

type EpochFile = { made_at: number; sealed: string }

export type KeyVersions = ReturnType<typeof versionedKeys>

/** The files of key versions: `epoch-<number>.key`, each sealed under the master key. */
function epochFiles(folder: string, sealing: SecretSealer, now: () => number) {
  const path = (epoch: number) => join(folder, `epoch-${String(epoch).padStart(6, '0')}.key`)
  const read = async (epoch: number) => parse(await readIfThere(path(epoch)))

  async function list(): Promise<number[]> {
    const names = await namesIn(folder)
    return names.flatMap((name) => Number(EPOCH_FILE.exec(name)?.[1] ?? 0) || []).toSorted((a, b) => a - b)
  }

  return {
    list,

    has: (epoch: number) => isThere(path(epoch)),

    async make(epoch: number): Promise<void> {
      const fresh = randomBytes(32)
      const sealed = await sealing.seal(fresh, getContext(epoch))
      fresh.fill(0)
      const file: EpochFile = { made_at: now(), sealed: sealed.toString('base64') }
      // Another process was faster, and its key wins.
      await publishFile(path(epoch), Buffer.from(JSON.stringify(file)))
    },

    async open(epoch: number): Promise<Buffer> {
      const file = parse(await readDurably(path(epoch)))
      if (!file) throw new KeyUnknown(`the key of epoch ${epoch} is not in ${folder}`)
      return sealing.open(Buffer.from(file.sealed, 'base64'), getContext(epoch))
    },

    /** Creation time of a key version, epoch seconds; 0: its erasure was interrupted. */
    async madeAt(epoch: number): Promise<number> {
      return (await read(epoch))?.made_at ?? 0
    },

    /** Overwrites the file, then removes it. */
    async erase(epoch: number): Promise<void> {
      // With the remains of an interrupted attempt to seal the file again.
      const names = (await namesIn(folder)).filter((name) => join(folder, name).startsWith(path(epoch)))
      for (const name of names) await overwrite(join(folder, name))
      for (const name of names) await unlink(join(folder, name))
      await syncFolder(folder)
    },

    /** Seals the files of older master keys again; resolves to their number. */
    async reseal(): Promise<number> {
      let count = 0
      for (const epoch of await list()) {
        const file = await read(epoch)
        const sealed = file && (await sealing.reseal(Buffer.from(file.sealed, 'base64'), getContext(epoch)))
        if (!sealed) continue
        const again: EpochFile = { made_at: file.made_at, sealed: sealed.toString('base64') }
        await replaceFile(path(epoch), Buffer.from(JSON.stringify(again)))
        count++
      }
      return count
    },
  }
}

/** The key versions of a folder; makes the first one of an empty keystore. */
async function listOrBegin(
  folder: string,
  files: ReturnType<typeof epochFiles>,
  now: () => number,
): Promise<number[]> {
  // Segments are listed first: a process that starts concurrently makes its key version before its segment.
  const hasSlots = (await namesIn(folder)).some((name) => SEGMENT_FILE.test(name))
  const there = await files.list()
  if (there.length === 0 && hasSlots)
    throw new KeysUnavailable(
      `${folder} holds slots but no epoch key; restore it from the newest backup of the keys`,
    )
  if (there.length === 0) {
    // A new number: slots of a lost keystore may come back from a backup, with their key versions.
    await files.make(Math.floor(now() / HOUR))
    there.push(...(await files.list()))
  }
  return there
}

/** Key versions of a keystore. The newest seals the slots. */
export function versionedKeys(folder: string, sealing: SecretSealer, now: () => number) {
  const files = epochFiles(folder, sealing, now)
  const known = new Map<number, Buffer>()
  let newest = 0
  let lookedAt = -Infinity

  async function key(epoch: number): Promise<Buffer> {
    const there = known.get(epoch)
    if (there) return there
    const opened = await files.open(epoch)
    known.set(epoch, opened)
    return opened
  }

  /** Syncs with other processes' key versions; makes the first one of an empty keystore. */
  async function look(): Promise<void> {
    const there = await listOrBegin(folder, files, now)
    // Not overwritten: another process may be sealing with it, and finds out afterwards that the key version
    // has ended.
    for (const epoch of known.keys()) if (!there.includes(epoch)) known.delete(epoch)
    newest = there.at(-1) ?? 0
    lookedAt = performance.now()
  }

  return {
    list: files.list,
    madeAt: files.madeAt,
    reseal: files.reseal,
    key,
    look,

    /** The newest key version, with its key. */
    async newest(): Promise<{ epoch: number; key: Buffer }> {
      if (performance.now() - lookedAt > LOOK_EVERY) await look()
      try {
        return { epoch: newest, key: await key(newest) }
      } catch (error) {
        if (!(error instanceof KeyUnknown)) throw error
        await look()
        return { epoch: newest, key: await key(newest) }
      }
    },

    /**
     * Whether a key version is still the newest, read from disk: a rotation may have missed slots that were
     * sealed before the next version began.
     */
    async isNewest(epoch: number): Promise<boolean> {
      if ((await files.has(epoch + 1)) || !(await files.has(epoch))) await look()
      return newest === epoch
    },

    /** Makes the next key version; resolves to its number. */
    async begin(): Promise<number> {
      await look()
      await files.make(newest + 1)
      await look()
      return newest
    },

    /** Destroys a key version: overwritten, then removed. */
    async erase(epoch: number): Promise<void> {
      known.delete(epoch)
      await files.erase(epoch)
    },
  }
}

const getContext = (epoch: number): KeyContext => ({
  client: '',
  purpose: 'slot_epoch',
  reference: String(epoch),
})

/** Undefined also for a partly erased file, which cannot be opened. */
function parse(file: Buffer | undefined): EpochFile | undefined {
  try {
    return file && (JSON.parse(file.toString()) as EpochFile)
  } catch {
    return undefined
  }
}

async function overwrite(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    await file.write(randomBytes(size), 0, size, 0)
    await file.datasync()
  } finally {
    await file.close()
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
