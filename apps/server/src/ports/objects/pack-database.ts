import { DatabaseSync } from 'node:sqlite'
import { ObjectStoreUnavailable } from './port.ts'

/** Milliseconds for which a statement waits for other processes. */
const BUSY_MS = 10_000

const SQLITE_BUSY = 5

const SCHEMA = `
  create table if not exists objects (key text primary key, segment integer not null, at integer not null,
    size integer not null, modified_at integer not null) strict, without rowid;
  create table if not exists segments (segment integer primary key, size integer not null, live integer not null,
    is_open integer not null) strict;
  create table if not exists dead (segment integer not null, at integer not null, size integer not null,
    key text not null, since integer not null, primary key (segment, at)) strict, without rowid;
  create index if not exists dead_key on dead (key);`

const TABLES = ['objects', 'segments', 'dead'] as const

/** Milliseconds between attempts to open. */
const REOPEN_MS = 20

/** Opens the database of an index, and makes it where there is none. */
export function openDatabase(path: string): DatabaseSync {
  for (
    const deadline = Date.now() + BUSY_MS;
    ;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REOPEN_MS)
  ) {
    const db = new DatabaseSync(path, { timeout: BUSY_MS })
    try {
      db.exec(`pragma journal_mode = wal; pragma synchronous = normal; begin immediate; ${SCHEMA}; commit`)
      return db
    } catch (error) {
      db.close()
      // SQLite does not wait for the lock of a process that makes the same new database.
      const isBusy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
      if (!isBusy || Date.now() > deadline) throw error
    }
  }
}

/** A copy in memory, which needs no room on the disk. It is empty when the original is in use or lost. */
export function copyDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(':memory:')
  // With this lock SQLite needs no shared memory, which would be a file.
  db.exec(`${SCHEMA}; pragma locking_mode = exclusive`)
  try {
    db.prepare('attach ? as disk').run(path)
    try {
      db.exec('begin')
      for (const table of TABLES) db.exec(`insert into main.${table} select * from disk.${table}`)
      db.exec('commit')
    } finally {
      if (db.isTransaction) db.exec('rollback')
      db.exec('detach disk')
    }
  } catch {
    // It is in use or lost: the segments have every record.
  }
  return db
}

/** Runs `work` on the index; an error of SQLite becomes ObjectStoreUnavailable. */
export function onIndex<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR')
      throw new ObjectStoreUnavailable(`index of packed objects: ${error.message}`, { cause: error })
    throw error
  }
}

/** Whether opening an index failed because SQLite found no room for its own files. */
export const isOutOfRoom = (error: unknown): boolean =>
  error instanceof ObjectStoreUnavailable &&
  error.cause instanceof Error &&
  'errcode' in error.cause &&
  OUT_OF_ROOM.includes(Number(error.cause.errcode) & 0xff)

/** SQLITE_IOERR, as of its shared memory on a full disk; SQLITE_FULL; SQLITE_CANTOPEN. */
const OUT_OF_ROOM: readonly number[] = [10, 13, 14]
