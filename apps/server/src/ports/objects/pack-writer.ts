import { type FileHandle, unlink } from 'node:fs/promises'
import { onDisk, unless } from './filesystem-layout.ts'
import type { AppendedRecord, DeadRecord, PackIndex } from './pack-index.ts'
import {
  MARK,
  newSegment,
  openSegment,
  packRecord,
  recordLength,
  segmentPath,
  wipedRecord,
  writeAt,
} from './pack-record.ts'
import { ObjectStoreUnavailable } from './port.ts'

/** Bytes after which a segment is closed; 64 MiB. */
export const SEGMENT_SIZE = 1 << 26
/** Most bytes and records of one write and sync. */
const MAX_BYTES = 1 << 22
export const MAX_RECORDS = 256
/** Attempts to append a record while other processes close the segments. */
const ATTEMPTS = 5

/** Makes the names in a folder durable. */
export type SyncFolder = (folder: string) => Promise<void>

type Content = Omit<AppendedRecord, 'at'>
/** Appends a record, durably; resolves to false if the key is in use. */
export type Append = (content: Content) => Promise<boolean>

/** The segment of a writer. Its file is open while records wait; `end` is where the next one begins. */
interface WriterSegment {
  segment: number
  mark: Buffer
  file: FileHandle | undefined
  end: number
}

interface WaitingRecord {
  content: Content
  attempts: number
  resolve(isStored: boolean): void
  reject(error: unknown): void
}

/** Appends records to a segment of this process. Records that arrive during a sync share the next one. */
export function packWriter(
  folder: string,
  index: () => PackIndex,
  { sync, hasFile }: { sync: SyncFolder; hasFile: (key: string) => boolean },
): Append {
  const waiting: WaitingRecord[] = []
  let isWriting = false
  let mine: WriterSegment | undefined

  async function writeAll(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (waiting.length > 0) {
      const batch = nextBatch(waiting)
      try {
        await writeBatch(batch)
      } catch (error) {
        for (const each of batch) each.reject(error)
        await abandon().catch(() => undefined)
      }
      if (waiting.length === 0) await closeFile()
    }
    isWriting = false
  }

  async function closeFile(): Promise<void> {
    const file = mine?.file
    if (mine) mine.file = undefined
    // What was written is synced.
    await file?.close().catch(() => undefined)
  }

  async function writeBatch(batch: readonly WaitingRecord[]): Promise<void> {
    const { to, file } = await openMine()
    const { segment, mark, end } = to
    const records: AppendedRecord[] = []
    let at = end
    for (const { content } of batch) {
      records.push({ ...content, at })
      at += recordLength(content.key, content.content.length)
    }
    const bytes = Buffer.concat(
      records.map(({ key, content, modified_at, from }) =>
        packRecord(mark, from ? 'copied' : 'stored', key, content, modified_at),
      ),
    )
    await onDisk(async () => {
      await writeAt(file, bytes, end)
      await file.sync()
    })
    const results = index().settle(segment, records, at, hasFile)
    to.end = at
    await wipeRefused(segment, records, results)
    for (const [i, each] of batch.entries()) {
      if (results[i] !== 'closed') each.resolve(results[i] === 'stored')
      else if (++each.attempts < ATTEMPTS) waiting.push(each)
      else
        each.reject(new ObjectStoreUnavailable('the segments of packed objects are closed again and again'))
    }
    if (results.includes('closed') || at >= SEGMENT_SIZE) await abandon()
  }

  /** Overwrites records that did not become objects. Left ones are dead in the index, so the sweep finds them. */
  async function wipeRefused(
    segment: number,
    records: readonly AppendedRecord[],
    results: readonly string[],
  ): Promise<void> {
    const refused = records
      .filter((_, i) => results[i] !== 'stored')
      .map(({ key, content, at }) => ({ key, segment, at, size: content.length }))
    await wipe(folder, refused).then(
      () => index().forget(refused),
      () => undefined,
    )
  }

  async function openMine(): Promise<{ to: WriterSegment; file: FileHandle }> {
    if (mine) mine.file ??= await openSegment(folder, mine.segment, 'r+')
    // Another process removes an abandoned one without objects.
    const to = mine?.file ? mine : await begin()
    const file = (to.file ??= await openSegment(folder, to.segment, 'r+'))
    mine = to
    if (!file) throw new ObjectStoreUnavailable('a new segment of packed objects is gone')
    return { to, file }
  }

  async function begin(): Promise<WriterSegment> {
    const made = await newSegment(folder, sync)
    index().begin(made.segment)
    return { ...made, file: undefined, end: MARK }
  }

  /** Ends the segment. After a failed write or sync its last bytes are unknown, so they are cut off. */
  async function abandon(): Promise<void> {
    const ended = mine
    mine = undefined
    if (!ended) return
    const { segment, file } = ended
    try {
      const size = index().endSegment(segment, false)
      if (size !== undefined) await file?.truncate(size)
      if (size === 0) await removeSegment(folder, index(), segment, sync)
    } finally {
      await file?.close()
    }
  }

  return (content) => {
    const stored = new Promise<boolean>((resolve, reject) =>
      waiting.push({ content, attempts: 0, resolve, reject }),
    )
    void writeAll()
    return stored
  }
}

function nextBatch(waiting: WaitingRecord[]): WaitingRecord[] {
  let bytes = 0
  const count = waiting.findIndex(
    ({ content }, i) => (bytes += content.content.length) > MAX_BYTES || i === MAX_RECORDS,
  )
  return waiting.splice(0, count < 0 ? waiting.length : Math.max(1, count))
}

/** Overwrites records durably. */
export async function wipe(folder: string, dead: readonly DeadRecord[]): Promise<void> {
  for (const [segment, records] of Map.groupBy(dead, (record) => record.segment)) {
    const file = await openSegment(folder, segment, 'r+')
    if (!file) continue
    try {
      await onDisk(async () => {
        const { buffer: mark } = await file.read(Buffer.alloc(MARK), 0, MARK, 0)
        const { size: end } = await file.stat()
        // A cut segment stays cut: with zeros in the place of its lost bytes it would look whole.
        for (const { key, size, at } of records)
          await writeAt(file, wipedRecord(mark, key, size).subarray(0, Math.max(0, end - at)), at)
        await file.sync()
      })
    } finally {
      await file.close()
    }
  }
}

/** Removes the file of a segment, then its index. */
export async function removeSegment(
  folder: string,
  index: PackIndex,
  segment: number,
  sync: SyncFolder,
): Promise<void> {
  await onDisk(async () => {
    await unless(['ENOENT'], () => unlink(segmentPath(folder, segment)))
    await sync(folder)
  })
  index.forgetSegment(segment)
}
