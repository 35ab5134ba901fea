/** Files of a few hundred bytes that make a naive program take gigabytes. */
import { deflateSync } from 'node:zlib'

/** Numbers of 32 bits. */
export const u32 = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length)
  values.forEach((value, i) => bytes.writeUInt32BE(value >>> 0, 4 * i))
  return bytes
}

/** A box of MP4: its length, type and content. */
export const box = (type: string, ...inside: Buffer[]): Buffer => {
  const body = Buffer.concat(inside)
  return Buffer.concat([u32(8 + body.length), Buffer.from(type, 'latin1'), body])
}
const full = (type: string, ...inside: Buffer[]): Buffer => box(type, u32(0), ...inside)

export const ftyp = box('ftyp', Buffer.from('isom'), u32(0), Buffer.from('isom'))
const movieHead = full('mvhd', u32(0, 0, 1000, 1000, 0x10000, 0x1000000), Buffer.alloc(68), u32(2))

const SOUND = Buffer.concat([u32(0, 1, 0, 0, 0x10010, 0), u32(8000 << 16)])
const PICTURE = Buffer.concat([u32(0, 1, 0, 0, 0, 0), Buffer.from([0, 16, 0, 16]), Buffer.alloc(50)])

/** The tables of a track; by default one sample of one byte. */
export interface Tables {
  kind?: 'soun' | 'vide'
  /** Count and duration in ticks of the samples. */
  lasts?: [count: number, ticks: number]
  chunks?: number
  in_chunk?: number
  size?: number
  samples?: number
  /** Rows of count and offset. */
  shifted?: [count: number, ticks: number][]
  /** Repetitions of the whole. */
  edits?: number
  more?: Buffer[]
}

/** An index of one track. */
export function moov(tables: Tables): Buffer {
  const {
    kind = 'soun',
    lasts = [1, 160],
    chunks = 1,
    in_chunk = 1,
    size = 1,
    samples = 1,
    shifted,
    edits = 0,
  } = tables
  const description = kind === 'soun' ? box('samr', SOUND) : box('s263', PICTURE)
  const stbl = box(
    'stbl',
    full('stsd', u32(1), description),
    full('stts', u32(1, ...lasts)),
    full('stsc', u32(1, 1, in_chunk, 1)),
    full('stsz', u32(size, samples)),
    full('stco', u32(chunks), Buffer.alloc(4 * chunks)),
    ...(shifted ? [full('ctts', u32(shifted.length, ...shifted.flat()))] : []),
  )
  const edit = Buffer.concat(Array<Buffer>(edits).fill(u32(1000, 0, 0x10000)))
  const track = box(
    'trak',
    full('tkhd', u32(0, 0, 1, 0, 1000), Buffer.alloc(60)),
    ...(edits > 0 ? [box('edts', full('elst', u32(edits), edit))] : []),
    box(
      'mdia',
      full('mdhd', u32(0, 0, 8000, 8000, 0)),
      full('hdlr', u32(0), Buffer.from(kind), Buffer.alloc(13)),
      box('minf', stbl),
    ),
  )
  return box('moov', movieHead, track, ...(tables.more ?? []))
}

const data = box('mdat', Buffer.alloc(4000))

/** Fragments with runs of samples of which none has a row. */
function fragments(runs: number, samples: number): Buffer {
  const run = full('trun', u32(samples))
  const traf = box('traf', full('tfhd', u32(1)), full('tfdt', u32(0)), ...Array<Buffer>(runs).fill(run))
  const extends_ = box('mvex', full('trex', u32(1, 1, 160, 1, 0)))
  const head = moov({ samples: 0, in_chunk: 0, lasts: [0, 0], more: [extends_] })
  return Buffer.concat([ftyp, head, box('moof', full('mfhd', u32(1)), traf), data])
}

function nested(depth: number): Buffer {
  const bytes = Buffer.alloc(8 * depth)
  for (let i = 0; i < depth; i++) {
    bytes.writeUInt32BE(8 * (depth - i), 8 * i)
    bytes.write('moov', 8 * i + 4, 'latin1')
  }
  return Buffer.concat([ftyp, bytes])
}

const file = (tables: Tables): Buffer => Buffer.concat([ftyp, moov(tables), data])

/** Those of the files below that make ffprobe 5.1 take more than a gigabyte. */
export const EXPENSIVE_FILES = [
  'samples of one size, without a row for each',
  'chunks with more samples than exist',
  'fragments without rows',
]

/** MP4 files with impossible or excessive counts. */
export const MP4_BOMBS: Readonly<Record<string, Buffer>> = {
  'samples of one size, without a row for each': file({
    samples: 60_000_000,
    in_chunk: 60_000_000,
    lasts: [60_000_000, 160],
  }),
  'chunks with more samples than exist': file({ chunks: 24, in_chunk: 0x7fffffff, lasts: [1, 1] }),
  'time offsets of two billion samples': file({ shifted: [[0x7ffffff0, 1]], kind: 'vide' }),
  'fragments without rows': fragments(8, 50_000_000),
  'edits that repeat the whole content': file({
    samples: 4000,
    in_chunk: 4000,
    lasts: [4000, 1000],
    size: 1,
    edits: 2000,
  }),
  'deeply nested boxes': nested(100_000),
  'a table longer than its box': file({ more: [full('stss', u32(0x3fffffff))] }),
  'a film of 65,535 pixels in each direction': hugeFilm(),
}

function hugeFilm(): Buffer {
  const film = file({ kind: 'vide' })
  const at = film.indexOf('s263') + 4 + 24
  film.writeUInt32BE(0xffffffff, at)
  return film
}

function chunk(type: string, body: Buffer): Buffer {
  // Its checksum is wrong, which readers of the head ignore.
  return Buffer.concat([u32(body.length), Buffer.from(type), body, u32(0)])
}

/** A PNG of one colour. */
export function png(side: number, written = side): Buffer {
  const head = Buffer.concat([u32(side, side), Buffer.from([8, 2, 0, 0, 0])])
  const rows = deflateSync(Buffer.alloc(written * (1 + 3 * written)), { level: 9 })
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** A GIF of so many frames of one pixel. */
export function gif(frames: number): Buffer {
  const head = Buffer.concat([Buffer.from('GIF89a'), Buffer.from('e803e803800000000000ffffff', 'hex')])
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0])
  return Buffer.concat([head, ...Array<Buffer>(frames).fill(frame), Buffer.from([0x3b])])
}
