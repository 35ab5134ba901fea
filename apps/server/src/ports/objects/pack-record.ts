import { closeSync, fstatSync, fsyncSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

// Header: magic (4 bytes), state (1), reserved (1), length of the key (2), size of the content (4), epoch seconds (4),
// CRC-32 (4) of the header between magic and CRC, of the key and of the content.
const HEADER = 20
const MAGIC = Buffer.from('CPK1')
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
export function packRecord(state: State, key: string, content: Buffer, modified_at: number): Buffer {
  return encode(state, Buffer.from(key), content, modified_at)
}

/** A record as long as that of an object, with zeros in place of key and content. */
export function wipedRecord(key: string, size: number): Buffer {
  return encode('wiped', Buffer.alloc(Buffer.byteLength(key)), Buffer.alloc(size), 0)
}

function encode(state: State, key: Buffer, content: Buffer, modified_at: number): Buffer {
  const record = Buffer.allocUnsafe(HEADER + key.length + content.length)
  MAGIC.copy(record)
  record.writeUInt16BE(STATES[state] << 8, 4)
  record.writeUInt16BE(key.length, 6)
  record.writeUInt32BE(content.length, 8)
  record.writeUInt32BE(modified_at, 12)
  key.copy(record, HEADER)
  content.copy(record, HEADER + key.length)
  record.writeUInt32BE(checksumOf(record), 16)
  return record
}

const checksumOf = (record: Buffer): number => crc32(record.subarray(HEADER), crc32(record.subarray(4, 16)))

/**
 * The whole records of a segment from `from` on. Skips what is none: bytes that a power cut has left half written, or
 * that were altered.
 */
export function* scanRecords(segment: Buffer, from: number): Generator<PackRecord> {
  for (let at = segment.indexOf(MAGIC, from); at >= 0;) {
    const record = readRecord(segment, at)
    if (record) yield record
    at = segment.indexOf(MAGIC, record ? at + recordLength(record.key, record.size) : at + 1)
  }
}

/** The record at a place of a segment; undefined if there is no whole one. */
function readRecord(segment: Buffer, at: number): PackRecord | undefined {
  if (segment.length < at + HEADER) return undefined
  const [keyLength, size] = [segment.readUInt16BE(at + 6), segment.readUInt32BE(at + 8)]
  const record = segment.subarray(at, at + HEADER + keyLength + size)
  const state = NAMES.find((name) => STATES[name] === record[4])
  if (!record.subarray(0, 4).equals(MAGIC)) return undefined
  if (record.length < HEADER + keyLength + size || record.readUInt32BE(16) !== checksumOf(record))
    return undefined
  return (
    state && {
      at,
      key: record.toString('utf8', HEADER, HEADER + keyLength),
      size,
      modified_at: record.readUInt32BE(12),
      state,
    }
  )
}

const SEGMENT_FILE = /^(\d+)\.pack$/

/** The folder of the segments and their index. */
export const packsFolder = (root: string): string => join(root, 'packs')

/** The file of a segment. */
export const segmentPath = (folder: string, segment: number): string => join(folder, `${segment}.pack`)

/** The segments of a folder, oldest first. */
export const segmentFiles = (folder: string): number[] =>
  readdirSync(folder)
    .flatMap((name) => SEGMENT_FILE.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b)

/** The bytes of a file from a position on, once they are durable. */
export function readSynced(path: string, position: number): Buffer {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
    const bytes = Buffer.alloc(Math.max(0, fstatSync(file).size - position))
    return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, position))
  } finally {
    closeSync(file)
  }
}
