import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { onDisk, unless } from './filesystem-layout.ts'
import { isOutOfRoom } from './pack-database.ts'
import { copyIndex, openIndex, type PackedObject, type PackIndex } from './pack-index.ts'
import {
  contentOffset,
  isPresent,
  MARK,
  openSegment,
  packsFolder,
  readBytes,
  scanRecords,
  segmentPath,
  segmentSize,
  writeAt,
} from './pack-record.ts'
import {
  type Append,
  MAX_RECORDS,
  packWriter,
  removeSegment,
  SEGMENT_SIZE,
  type SyncFolder,
  wipe,
} from './pack-writer.ts'
import { type ByteRange, ObjectExists, ObjectNotFound } from './port.ts'

/** Largest object that is packed; 64 KiB. */
export const PACKED_UP_TO = 1 << 16
/** Attempts to read an object that is moved meanwhile. */
const ATTEMPTS = 5
/** Milliseconds after which a full disk is tried again. */
const REOPEN_MS = 1000
/** Objects per page of a list. */
const PAGE = 1000

interface PacksConfig {
  root: string
  sync: SyncFolder
  /** Makes the folder of the store durable, with those above it. */
  durableRoot: () => Promise<void>
  hasFile: (key: string) => boolean
}

export type Packs = ReturnType<typeof openPacks>

/**
 * Small objects as records of shared files (`segments`), which cost no inode each. A record is appended and synced,
 * then indexed. Each process appends to a segment of its own; all read, remove and compact every segment.
 */
export function openPacks(config: PacksConfig) {
  const folder = packsFolder(config.root)
  let opened: PackIndex | undefined
  const index = (): PackIndex => (opened ??= openIndex(folder))
  /** A store without packed objects has no index, and reading makes none. */
  const known = (): PackIndex | undefined => (opened || existsSync(folder) ? index() : undefined)
  const readable = readableIndex(folder, known)
  const append = packWriter(folder, index, config)
  const find = (key: string) => readable()?.find(key)

  return {
    find,

    /** Stores an object; durable when resolved. Throws ObjectExists. */
    async put(key: string, content: Buffer): Promise<void> {
      await config.durableRoot()
      if (index().find(key)) throw new ObjectExists(key)
      if (!(await append({ key, content, modified_at: Math.floor(Date.now() / 1000) })))
        throw new ObjectExists(key)
    },

    /** Whether an object is packed under a key of which a file has just been made. */
    isPacked: (key: string): boolean => index().isStored(key),

    /** Bytes of an object; undefined if none is packed under the key. */
    read: (key: string, range: ByteRange, into?: Buffer) => readPacked(folder, find, key, range, into),

    /** Makes the record of an object durable; undefined if none is packed under the key. */
    async ensureDurable(key: string): Promise<{ size: number } | undefined> {
      const there = find(key)
      const file = there && (await openSegment(folder, there.segment, 'r+'))
      if (!there || !file) return undefined
      try {
        await onDisk(() => file.sync())
      } finally {
        await file.close()
      }
      await onDisk(config.durableRoot)
      await onDisk(() => Promise.all([config.sync(folder), config.sync(config.root)]))
      return { size: there.size }
    },

    *list(prefix: string): Generator<PackedObject> {
      for (let after = ''; ;) {
        const page = readable()?.page(prefix, after, PAGE) ?? []
        yield* present(folder, find, page)
        after = page.at(-1)?.key ?? ''
        if (page.length < PAGE) return
      }
    },

    /** Removes objects and overwrites their bytes; durable when resolved. */
    async remove(keys: readonly string[]): Promise<void> {
      const dead = known()?.remove(keys) ?? []
      await wipe(folder, dead)
      if (dead.length > 0) index().forget(dead)
    },

    /** The number of records that interrupted removals have left since before a time (epoch seconds). */
    leftovers: (before: number): number => readable()?.dead(before).length ?? 0,

    /** Overwrites what interrupted removals have left, then compacts. Resolves to the number of records. */
    async sweep(before: number): Promise<number> {
      const there = known()
      if (!there) return 0
      const dead = there.dead(before)
      await wipe(folder, dead)
      there.forget(dead)
      await closeAbandoned(folder, there, before)
      const sparse = there.sparse(SEGMENT_SIZE / 4)
      // A single small segment would only be copied.
      const isWorth = sparse.length > 1 || sparse.some(({ live, size }) => live * 2 < size)
      if (isWorth)
        for (const { segment } of sparse) await compact(folder, there, segment, append, config.sync)
      return dead.length
    },
  }
}

/** The index for reading: a copy in memory while the disk is too full to open it. Writes fail meanwhile. */
function readableIndex(folder: string, known: () => PackIndex | undefined): () => PackIndex | undefined {
  let copy: { index: PackIndex; until: number } | undefined
  return () => {
    if (copy && Date.now() < copy.until) return copy.index
    const former = copy?.index
    try {
      const index = known()
      copy = undefined
      former?.close()
      return index
    } catch (error) {
      if (!isOutOfRoom(error)) throw error
      copy = { index: former ?? copyIndex(folder), until: Date.now() + REOPEN_MS }
      return copy.index
    }
  }
}

/** The objects of a page whose bytes are there. Compaction may have moved some meanwhile. */
function* present(
  folder: string,
  find: (key: string) => PackedObject | undefined,
  page: readonly PackedObject[],
): Generator<PackedObject> {
  const sizes = new Map<number, number>()
  for (const each of page) {
    const { segment, key } = each
    const size = sizes.get(segment) ?? segmentSize(folder, segment)
    sizes.set(segment, size)
    const there = isPresent(each, size) ? each : find(key)
    if (there) yield there
  }
}

/** Reads an object; reads again when it was moved meanwhile. */
async function readPacked(
  folder: string,
  find: (key: string) => PackedObject | undefined,
  key: string,
  { start, end }: ByteRange,
  into: Buffer | undefined,
): Promise<Buffer | undefined> {
  for (let attempt = 1; ; attempt++) {
    const there = find(key)
    if (!there && attempt === 1) return undefined
    if (!there) throw new ObjectNotFound(key)
    const length = Math.max(0, Math.min(end, there.size) - start)
    const memory = into?.subarray(0, length) ?? Buffer.allocUnsafe(length)
    const file = await openSegment(folder, there.segment, 'r')
    const bytes = file && (await readBytes(file, memory, there.at + contentOffset(key) + start))
    const now = find(key)
    const isSame = now?.segment === there.segment && now.at === there.at
    if (bytes && isSame) return bytes
    if (isSame || attempt === ATTEMPTS) throw new ObjectNotFound(key)
  }
}

/** Closes segments without a write since `before`: their processes have ended, or begin another one. */
async function closeAbandoned(folder: string, index: PackIndex, before: number): Promise<void> {
  for (const { segment } of index.openSegments()) {
    const found = await onDisk(() => unless(['ENOENT'], () => stat(segmentPath(folder, segment))))
    if (found && found.mtimeMs >= before * 1000) continue
    const size = index.endSegment(segment, true)
    const file = await openSegment(folder, segment, 'r+')
    try {
      if (size !== undefined) await onDisk(async () => file?.truncate(size))
    } finally {
      await file?.close()
    }
  }
}

/** Moves the objects of a segment to another one and removes it, overwritten. Leaves one with damaged records. */
async function compact(
  folder: string,
  index: PackIndex,
  segment: number,
  append: Append,
  sync: SyncFolder,
): Promise<void> {
  const file = await openSegment(folder, segment, 'r+')
  try {
    const bytes = await onDisk(async () => file?.readFile())
    const moving: Promise<boolean>[] = []
    for (const { key, at, size, modified_at } of bytes ? scanRecords(bytes.subarray(0, MARK), bytes) : []) {
      const there = index.find(key)
      if (!bytes || there?.segment !== segment || there.at !== at) continue
      const content = bytes.subarray(at + contentOffset(key), at + contentOffset(key) + size)
      moving.push(append({ key, content, modified_at, from: { segment, at } }))
      if (moving.length === MAX_RECORDS) await Promise.all(moving.splice(0))
    }
    await Promise.all(moving)
    if (!index.isEmpty(segment)) return
    await onDisk(async () => {
      if (bytes && file) await writeAt(file, Buffer.alloc(bytes.length), 0)
      await file?.sync()
    })
  } finally {
    await file?.close()
  }
  await removeSegment(folder, index, segment, sync)
}
