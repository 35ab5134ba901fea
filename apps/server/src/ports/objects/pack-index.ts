import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { copyDatabase, onIndex, openDatabase } from './pack-database.ts'
import {
  contentOffset,
  isPresent,
  type PackRecord,
  readSynced,
  recordLength,
  scanRecords,
  segmentFiles,
  segmentPath,
  segmentSize,
} from './pack-record.ts'

/** File of the index, in the folder of the segments. */
const INDEX_FILE = 'index.sqlite'

/** Where a record begins in a segment. */
export interface Place {
  segment: number
  at: number
}

/** An object as the index knows it. `size` in bytes, `modified_at` in epoch seconds. */
export interface PackedObject extends Place {
  key: string
  size: number
  modified_at: number
}

/** A record that belongs to no object any more and whose bytes are still to be overwritten. */
export interface DeadRecord extends Place {
  key: string
  size: number
}

/** An appended record. With `from` it is a copy of the record of an object, which moves here. */
export interface AppendedRecord {
  key: string
  content: Buffer
  modified_at: number
  at: number
  from?: Place | undefined
}

/** `closed`: the record counts as not written, because another process has closed the segment. */
export type AppendResult = 'stored' | 'exists' | 'closed'

interface SegmentRow {
  segment: number
  /** Bytes up to the end of the last indexed record. */
  size: number
  /** Bytes of records that belong to objects. */
  live: number
  /** 1: its writer may append; less: it is closed. */
  is_open: number
}

export type PackIndex = ReturnType<typeof indexOn>

/**
 * Opens the index of the segments in `folder`, a SQLite database that all processes share. The segments are the
 * truth: records that the index lacks are indexed here, after a power cut or the loss of the index itself.
 */
export function openIndex(folder: string): PackIndex {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const db = onIndex(() => openDatabase(join(folder, INDEX_FILE)))
  try {
    return indexOn(db, folder)
  } catch (error) {
    db.close()
    throw error
  }
}

/** A copy of the index in memory, for reading while the disk is full; without a readable index, that of the segments. */
export function copyIndex(folder: string): PackIndex {
  return indexOn(copyDatabase(join(folder, INDEX_FILE)), folder)
}

function indexOn(db: DatabaseSync, folder: string) {
  const statements = new Map<string, ReturnType<typeof db.prepare>>()
  const prepared = (text: string) => {
    const known = statements.get(text) ?? db.prepare(text)
    statements.set(text, known)
    return known
  }
  const run = (text: string, ...values: SQLInputValue[]) => Number(prepared(text).run(...values).changes)
  const all = <T>(text: string, ...values: SQLInputValue[]) => prepared(text).all(...values) as T[]
  const one = <T>(text: string, ...values: SQLInputValue[]) => prepared(text).get(...values) as T | undefined

  /** Runs `work` under the lock of all writers; on an error nothing has changed. */
  function write<T>(work: () => T): T {
    return onIndex(() => {
      run('begin immediate')
      try {
        const result = work()
        run('commit')
        return result
      } catch (error) {
        if (db.isTransaction) run('rollback')
        throw error
      }
    })
  }

  /** As `write`, and the change is durable when it returns, with all earlier ones. */
  function writeDurably<T>(work: () => T): T {
    onIndex(() => db.exec('pragma synchronous = full'))
    try {
      return write(work)
    } finally {
      onIndex(() => db.exec('pragma synchronous = normal'))
    }
  }

  const getSegment = (segment: number) =>
    one<SegmentRow>('select segment, size, live, is_open from segments where segment = ?', segment)
  const getRow = (key: string) =>
    one<PackedObject>('select key, segment, at, size, modified_at from objects where key = ?', key)
  const find = (key: string) => {
    for (let there = getRow(key); ;) {
      if (!there || isPresent(there, segmentSize(folder, there.segment))) return there
      // Compaction may have moved it meanwhile.
      const now = getRow(key)
      if (now?.segment === there.segment && now.at === there.at) return undefined
      there = now
    }
  }
  const addLive = (segment: number, bytes: number) =>
    run('update segments set live = live + ? where segment = ?', bytes, segment)
  const markDead = ({ segment, at, size, key }: DeadRecord) =>
    run(
      'insert or ignore into dead values (?, ?, ?, ?, ?)',
      segment,
      at,
      size,
      key,
      Math.floor(Date.now() / 1000),
    )

  const place = ({ key, segment, at, size, modified_at }: PackedObject) => {
    const former = getRow(key)
    if (former) addLive(former.segment, -recordLength(key, former.size))
    run('insert or replace into objects values (?, ?, ?, ?, ?)', key, segment, at, size, modified_at)
    addLive(segment, recordLength(key, size))
  }

  const parts: Parts = {
    folder,
    run,
    all,
    write,
    writeDurably,
    getSegment,
    getRow,
    find,
    place,
    addLive,
    markDead,
  }
  recoverAll(parts)
  return {
    /** The object of a key, unless its bytes are gone: its segment was removed or cut. */
    find: (key: string) => onIndex(() => find(key)),

    /** At most `limit` objects after `after` whose key starts with `prefix`, by key, also lost ones. */
    page(prefix: string, after: string, limit: number): PackedObject[] {
      const rows = onIndex(() =>
        all<PackedObject>(
          `select key, segment, at, size, modified_at from objects where key ${after ? '>' : '>='} ? order by key limit ?`,
          after || prefix,
          limit,
        ),
      )
      const end = rows.findIndex(({ key }) => !key.startsWith(prefix))
      return end < 0 ? rows : rows.slice(0, end)
    },

    /** Whether the key has an object, after all running `settle` of other processes, which may have missed its file. */
    isStored: (key: string) => write(() => find(key) !== undefined),

    close: () => db.close(),

    ...getSegments(parts),
    ...getChanges(parts),
  }
}

interface Parts {
  folder: string
  run(text: string, ...values: SQLInputValue[]): number
  all<T>(text: string, ...values: SQLInputValue[]): T[]
  write<T>(work: () => T): T
  writeDurably<T>(work: () => T): T
  getSegment(segment: number): SegmentRow | undefined
  /** What the index says of a key. */
  getRow(key: string): PackedObject | undefined
  /** The object of a key whose bytes are there. */
  find(key: string): PackedObject | undefined
  /** Makes a record the object of its key, in place of a moved or lost one. */
  place(object: PackedObject): void
  addLive(segment: number, bytes: number): number
  markDead(record: DeadRecord): number
}

/** Beginning and ending of segments. */
function getSegments(parts: Parts) {
  const { run, all, write, writeDurably, getSegment } = parts
  return {
    /** Registers a new segment, to which only this process appends. */
    begin: (segment: number) =>
      write(() => run('insert or ignore into segments values (?, 0, 0, 1)', segment)),

    /**
     * Ends a segment, whose writer is gone or has failed, with the records that the index lacks if `isSound`.
     * Returns its size, after which nothing counts; undefined for an unknown segment.
     */
    endSegment(segment: number, isSound: boolean): number | undefined {
      return writeDurably(() => {
        if (isSound) recover(parts, segment)
        run('update segments set is_open = 0 where segment = ? and is_open = 1', segment)
        return getSegment(segment)?.size
      })
    },

    openSegments: () =>
      onIndex(() => all<SegmentRow>('select segment, size, live, is_open from segments where is_open = 1')),

    /** Closed segments of which less than half, or less than `few` bytes, belong to objects. */
    sparse: (few: number) =>
      onIndex(() =>
        all<SegmentRow>(
          'select segment, size, live, is_open from segments where is_open < 1 and (live * 2 < size or live < ?)',
          few,
        ),
      ),

    /** Whether objects lie in a segment; what was moved out of it is durable elsewhere. */
    isEmpty: (segment: number) =>
      writeDurably(() => {
        // Only a change makes the former ones durable.
        run('update segments set is_open = is_open - 1 where segment = ?', segment)
        return getSegment(segment)?.live === 0
      }),

    /** Forgets a segment whose file is gone. */
    forgetSegment(segment: number): void {
      write(() => {
        run('delete from dead where segment = ?', segment)
        run('delete from segments where segment = ?', segment)
      })
    },
  }
}

/** Changes of objects. */
function getChanges(parts: Parts) {
  const { run, all, write, writeDurably, getSegment, getRow, find, place, addLive, markDead } = parts
  return {
    /**
     * Makes appended records objects, once their bytes are durable. A record whose key is in use becomes a dead
     * one: the first one wins, in the order of these transactions. `hasFile` finds objects that are files.
     */
    settle(
      segment: number,
      records: readonly AppendedRecord[],
      end: number,
      hasFile: (key: string) => boolean,
    ): AppendResult[] {
      return write(() => {
        const row = getSegment(segment)
        const results = records.map(({ key, content, modified_at, at, from }): AppendResult => {
          const record = { key, segment, at, size: content.length }
          const there = find(key)
          // Another process has indexed it.
          if (there?.segment === segment && there.at === at) return 'stored'
          // It has closed the segment, or has passed over the record: no one may rely on these bytes.
          if (row?.is_open !== 1 || row.size > at) {
            markDead(record)
            return 'closed'
          }
          const isMoved = from !== undefined && there?.segment === from.segment && there.at === from.at
          if (from ? !isMoved : there || hasFile(key)) {
            markDead(record)
            return 'exists'
          }
          place({ ...record, modified_at })
          if (isMoved) markDead({ ...record, ...from })
          return 'stored'
        })
        run('update segments set size = max(size, ?) where segment = ? and is_open = 1', end, segment)
        return results
      })
    },

    /** Removes objects, durably. Resolves to the records to overwrite, also those of interrupted removals. */
    remove(keys: readonly string[]): DeadRecord[] {
      // Also what a killed process has appended and not indexed.
      recoverAll(parts)
      const getDeadRecords = (key: string) =>
        all<DeadRecord>('select segment, at, size, key from dead where key = ?', key)
      // Nothing is packed under most keys of a store with large objects.
      if (!onIndex(() => keys.some((key) => getRow(key) ?? getDeadRecords(key)[0]))) return []
      return writeDurably(() =>
        keys.flatMap((key) => {
          const there = getRow(key)
          if (there) {
            run('delete from objects where key = ?', key)
            addLive(there.segment, -recordLength(key, there.size))
            markDead(there)
          }
          // A change for dead records too: what an interrupted removal has changed may not be durable yet.
          run('update dead set since = since - 1 where key = ?', key)
          return getDeadRecords(key)
        }),
      )
    },

    /** Forgets records that were overwritten. */
    forget(records: readonly DeadRecord[]): void {
      if (records.length > 0)
        write(() => {
          for (const { segment, at } of records)
            run('delete from dead where segment = ? and at = ?', segment, at)
        })
    },

    /** Records that an interrupted removal has left since before a time. */
    dead: (before: number) =>
      onIndex(() => all<DeadRecord>('select segment, at, size, key from dead where since < ?', before)),
  }
}

/** Indexes what open and unknown segments have beyond their last indexed record. */
function recoverAll(parts: Parts): void {
  for (const segment of segmentFiles(parts.folder)) {
    const row = onIndex(() => parts.getSegment(segment))
    if (row && (row.is_open < 1 || row.size === segmentSize(parts.folder, segment))) continue
    parts.write(() => recover(parts, segment))
  }
}

/**
 * Indexes the records of a segment beyond the last indexed one, synced, because its writer may be doing that only now.
 * The first record of a key wins, unless its bytes are gone.
 */
function recover({ folder, run, getSegment, getRow, find, place, markDead }: Parts, segment: number): void {
  const isNew = run('insert or ignore into segments values (?, 0, 0, 1)', segment) > 0
  const row = getSegment(segment)
  const path = segmentPath(folder, segment)
  if (row?.is_open !== 1 || !existsSync(path)) return
  const { mark, bytes: tail } = readSynced(path, row.size)
  let { size } = row
  for (const record of scanRecords(mark, tail)) {
    const { key, state } = record
    const at = row.size + record.at
    size = at + recordLength(key, record.size)
    if (state === 'wiped') continue
    const there = find(key)
    if (there || (state === 'copied' && !isNew && !getRow(key))) {
      if (!there || isCopy(folder, there, record, tail)) markDead({ key, segment, at, size: record.size })
      continue
    }
    place({ ...record, segment, at })
  }
  run('update segments set size = ? where segment = ?', size, segment)
}

/** Whether a record has the bytes of the object under its key; other bytes are never overwritten as a copy. */
function isCopy(folder: string, there: PackedObject, record: PackRecord, tail: Buffer): boolean {
  const path = segmentPath(folder, there.segment)
  if (there.size !== record.size || !existsSync(path)) return false
  const start = contentOffset(there.key)
  const content = tail.subarray(record.at + start, record.at + start + record.size)
  return readSynced(path, there.at + start)
    .bytes.subarray(0, there.size)
    .equals(content)
}
