import { randomBytes } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readdirSync, readSync, statSync } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { onDisk, unless } from './filesystem-layout.ts'
import { ObjectStoreUnavailable } from './port.ts'

/** A segment begins with random bytes, its mark. */
export const MARK = 8
// Header: the mark (8 bytes), state (1), reserved (1), length of the key (2), size of the content (4), epoch seconds (4),
// CRC-32 (4) of the header between mark and CRC, of the key and of the content.
const HEADER = MARK + 16
/** `copied`: compaction has copied an object, which counts at its former place until the index says otherwise. */
const STATES = { stored: 1, copied: 2, wiped: 3 } as const

type State = keyof typeof STATES
const NAMES = Object.keys(STATES) as State[]

/** A record of a segment, without its content. `size` of the content in bytes. */
export interface PackRecord {
  at: number
  key: string
  size: number
  modified_at: number
  state: State
}

/** Bytes of a record before its content. */
export const contentOffset = (key: string): number => HEADER + Buffer.byteLength(key)

/** Bytes of a record. */
export const recordLength = (key: string, size: number): number => contentOffset(key) + size

/** A record of an object. */
export function packRecord(
  mark: Buffer,
  state: State,
  key: string,
  content: Buffer,
  modified_at: number,
): Buffer {
  return encode(mark, state, Buffer.from(key), content, modified_at)
}

/** A record as long as that of an object, with zeros in place of key and content. */
export function wipedRecord(mark: Buffer, key: string, size: number): Buffer {
  return encode(mark, 'wiped', Buffer.alloc(Buffer.byteLength(key)), Buffer.alloc(size), 0)
}

function encode(mark: Buffer, state: State, key: Buffer, content: Buffer, modified_at: number): Buffer {
  const record = Buffer.allocUnsafe(HEADER + key.length + content.length)
  mark.copy(record)
  record.writeUInt16BE(STATES[state] << 8, MARK)
  record.writeUInt16BE(key.length, MARK + 2)
  record.writeUInt32BE(content.length, MARK + 4)
  record.writeUInt32BE(modified_at, MARK + 8)
  key.copy(record, HEADER)
  content.copy(record, HEADER + key.length)
  record.writeUInt32BE(getChecksum(record), MARK + 12)
  return record
}

const getChecksum = (record: Buffer): number =>
  crc32(record.subarray(HEADER), crc32(record.subarray(MARK, MARK + 12)))

/**
 * The whole records in bytes of a segment with the given mark. Skips what is none: bytes that a power cut has left half
 * written, or that were altered. The mark is known here only, so no uploaded content can look like a record.
 */
export function* scanRecords(mark: Buffer, bytes: Buffer): Generator<PackRecord> {
  // A power cut may leave zeros: such a mark is no secret, so an upload could contain it.
  if (mark.length < MARK || mark.every((byte) => byte === 0)) return
  for (let at = bytes.indexOf(mark); at >= 0;) {
    const record = readRecord(bytes, at)
    if (record) yield record
    at = bytes.indexOf(mark, record ? at + recordLength(record.key, record.size) : at + 1)
  }
}

/** The record whose mark is at a place; undefined if it is not whole. */
function readRecord(bytes: Buffer, at: number): PackRecord | undefined {
  if (bytes.length < at + HEADER) return undefined
  const [keyLength, size] = [bytes.readUInt16BE(at + MARK + 2), bytes.readUInt32BE(at + MARK + 4)]
  const record = bytes.subarray(at, at + HEADER + keyLength + size)
  const state = NAMES.find((name) => STATES[name] === record[MARK])
  if (record.length < HEADER + keyLength + size || record.readUInt32BE(MARK + 12) !== getChecksum(record))
    return undefined
  return (
    state && {
      at,
      key: record.toString('utf8', HEADER, HEADER + keyLength),
      size,
      modified_at: record.readUInt32BE(MARK + 8),
      state,
    }
  )
}

const SEGMENT_FILE = /^(\d+)\.pack$/

/** The folder of the segments and their index. */
export const packsFolder = (root: string): string => join(root, 'packs')

/** The file of a segment. */
export const segmentPath = (folder: string, segment: number): string => join(folder, `${segment}.pack`)

/** Bytes of a segment's file; 0 when there is none. */
export const segmentSize = (folder: string, segment: number): number =>
  statSync(segmentPath(folder, segment), { throwIfNoEntry: false })?.size ?? 0

/** Whether a segment of `length` bytes has the whole record of an object. */
export const isPresent = (
  { at, key, size }: { at: number; key: string; size: number },
  length: number,
): boolean => at + recordLength(key, size) <= length

/** The segments of a folder, oldest first. */
export const segmentFiles = (folder: string): number[] =>
  readdirSync(folder)
    .flatMap((name) => SEGMENT_FILE.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)

/** The mark of a segment, and its bytes from a position on, once they are durable. */
export function readSynced(path: string, position: number): { mark: Buffer; bytes: Buffer } {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
    const read = (length: number, at: number) => {
      const bytes = Buffer.alloc(length)
      return bytes.subarray(0, readSync(file, bytes, 0, length, at))
    }
    return { mark: read(MARK, 0), bytes: read(Math.max(0, fstatSync(file).size - position), position) }
  } finally {
    closeSync(file)
  }
}

/** Opens the file of a segment; undefined if it is gone. */
export async function openSegment(
  folder: string,
  segment: number,
  flags: 'r' | 'r+',
): Promise<FileHandle | undefined> {
  return onDisk(() => unless(['ENOENT'], () => open(segmentPath(folder, segment), flags)))
}

/** Fills `memory` from a place of a file, up to its end, and closes the file. */
export async function readBytes(file: FileHandle, memory: Buffer, position: number): Promise<Buffer> {
  try {
    let done = 0
    while (done < memory.length) {
      const { bytesRead } = await onDisk(() => file.read(memory, done, memory.length - done, position + done))
      if (bytesRead === 0) break
      done += bytesRead
    }
    return memory.subarray(0, done)
  } finally {
    await file.close()
  }
}

/**
 * Makes a segment with a durable name and no records, and the name of its new folder durable. Its mark is synced with
 * the first ones.
 */
export async function newSegment(
  folder: string,
  sync: (folder: string) => Promise<void>,
): Promise<{ segment: number; mark: Buffer }> {
  return onDisk(async () => {
    const mark = randomBytes(MARK)
    let segment = Date.now()
    let file: FileHandle | undefined
    while (!file) file = await unless(['EEXIST'], () => open(segmentPath(folder, ++segment), 'wx', 0o600))
    try {
      await writeAt(file, mark, 0)
      await Promise.all([sync(folder), sync(dirname(folder))])
      return { segment, mark }
    } catch (error) {
      await unlink(segmentPath(folder, segment))
      throw error
    } finally {
      await file.close()
    }
  })
}

/** Writes all bytes at a position, or throws. */
export async function writeAt(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await file.write(bytes, done, bytes.length - done, position + done)
    if (bytesWritten === 0)
      throw new ObjectStoreUnavailable('a segment of packed objects could not be written')
    done += bytesWritten
  }
}
