import { FILM_PIXELS, MAX_SAMPLES } from './limits.ts'
import { MediaError, type MediaSource } from './port.ts'
import { Reader } from './reader.ts'

/*
 * ISO/IEC 14496-12. In a thread of 64 MB, `mediabunny` 1.61 runs out of memory on an hour of 3GP, and takes minutes
 * when its samples are one chunk; `mp4box` 2.4 ends the whole process on 5 kB that announce sixty million samples.
 */

/** A box within a buffer: `start` is its first byte, `body` the first after its head, `end` exclusive. */
export interface Box {
  type: string
  start: number
  body: number
  end: number
}

const corrupt = (why: string) => new MediaError('corrupt', why)
const limit = (why: string) => new MediaError('limit', why)

/**
 * The boxes between two positions. Four zero bytes may end a list (QuickTime). Throws MediaError `corrupt` when
 * one does not fit.
 */
export function* boxes(data: Buffer, from = 0, to = data.length): Generator<Box> {
  for (let start = from; to - start >= 8;) {
    const short = data.readUInt32BE(start)
    if (short === 0) return
    const head = short === 1 ? 16 : 8
    const size = short === 1 && to - start >= 16 ? Number(data.readBigUInt64BE(start + 8)) : short
    if (size < head || size > to - start) throw corrupt('a box does not fit into the one around it')
    const type = data.toString('latin1', start + 4, start + 8)
    yield { type, start, body: start + head, end: start + size }
    start += size
  }
}

/** The first box at the end of a path such as ['mdia', 'mdhd']. */
export function findBox(data: Buffer, parent: Box | undefined, ...path: string[]): Box | undefined {
  let box = parent
  for (const type of path)
    box = box && [...boxes(data, box.body, box.end)].find((child) => child.type === type)
  return box
}

/** Largest index. A film of a day has 40 MB. */
const MAX_INDEX = 64 * 1024 ** 2
/** Boxes of the file itself. A day in fragments of two seconds has 86,400. */
const MAX_FILE_BOXES = 200_000

type FileBox = Pick<Box, 'type' | 'start' | 'end'>

/** The boxes of the file itself. The last may be cut: the rest of the recording still plays. */
async function* fileBoxes(reader: Reader): AsyncGenerator<FileBox> {
  let count = 0
  for (let start = 0; start + 8 <= reader.size;) {
    const head = await reader.bytes(start, 16)
    const short = head.readUInt32BE(0)
    const long = short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short
    const size = long === 0 ? reader.size - start : long
    if (size < 8) return
    if (++count > MAX_FILE_BOXES) throw limit('too many boxes')
    yield { type: head.toString('latin1', 4, 8), start, end: Math.min(start + size, reader.size) }
    start += size
  }
}

async function readBox(reader: Reader, { start, end }: FileBox): Promise<Buffer> {
  if (end - start > MAX_INDEX) throw limit('the index is too large')
  return reader.bytes(start, end - start)
}

/** The checked index (moov) with its head. Throws MediaError, `corrupt` without one. */
export async function readIndex(reader: Reader): Promise<Buffer> {
  for await (const box of fileBoxes(reader)) {
    if (box.type !== 'moov') continue
    const index = await readBox(reader, box)
    // Only ffmpeg limits the size of a picture.
    new Mp4Counts(reader.size, Infinity).add(index)
    return index
  }
  throw corrupt('the index is missing')
}

/**
 * Checks the counts of an MP4 and moves its index to the front, because recorders write it last. A program
 * with a pipe as input needs no network and cannot choose what it reads.
 */
export async function inspectMp4(source: MediaSource, needs_index: boolean): Promise<MediaSource> {
  const reader = Reader.of(source)
  const counts = new Mp4Counts(source.size)
  let head_end = 0
  let first_data: number | undefined
  let index: FileBox | undefined
  for await (const box of fileBoxes(reader)) {
    if (box.type === 'ftyp' && box.start === 0) head_end = box.end
    if (box.type === 'mdat') first_data ??= box.start
    if (box.type === 'moof' || box.type === 'moov') counts.add(await readBox(reader, box))
    if (box.type === 'moov') index ??= box
  }
  if (!index) {
    if (needs_index) throw corrupt('the index is missing')
    return source
  }
  if (first_data === undefined || index.start < first_data) return source
  const moov = Buffer.from(await readBox(reader, index))
  shiftChunks(moov, 0, moov.length, { from: head_end, to: index.start, by: moov.length })
  return withMoved(source, moov, head_end, index)
}

interface Shift {
  /** Offsets of data between these places … */
  from: number
  to: number
  /** … are larger by so much. */
  by: number
}

const ON_THE_WAY = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl'])

/** Corrects the chunk offsets of sound and picture. The counts have been checked. */
function shiftChunks(data: Buffer, from: number, to: number, shift: Shift): void {
  for (const { type, body, end } of boxes(data, from, to)) {
    if (ON_THE_WAY.has(type)) shiftChunks(data, body, end, shift)
    else if (type === 'stco' || type === 'co64') shiftTable(data, body, type === 'stco' ? 4 : 8, shift)
  }
}

function shiftTable(data: Buffer, body: number, width: 4 | 8, { from, to, by }: Shift): void {
  const count = data.readUInt32BE(body + 4)
  for (let i = 0, at = body + 8; i < count; i++, at += width) {
    const offset = width === 4 ? data.readUInt32BE(at) : Number(data.readBigUInt64BE(at))
    if (offset < from || offset >= to) continue
    if (width === 8) data.writeBigUInt64BE(BigInt(offset + by), at)
    else if (offset + by > 0xffffffff) throw limit('the recording is too large')
    else data.writeUInt32BE(offset + by, at)
  }
}

/** The source with its index behind its first box. */
function withMoved(
  source: MediaSource,
  moov: Buffer,
  head_end: number,
  { start, end }: FileBox,
): MediaSource {
  async function* whole(): AsyncGenerator<Uint8Array> {
    if (head_end > 0) yield* source.read(0, head_end)
    yield moov
    yield* source.read(head_end, start)
    if (end < source.size) yield* source.read(end, source.size)
  }
  return {
    size: source.size,
    read(from, to) {
      if (from !== 0 || to !== source.size) throw new RangeError('this source is read as a whole')
      return whole()
    },
  }
}

const MAX_TRACKS = 32
/** Nested boxes: the tables are six deep. */
const MAX_LEVELS = 8
/** Boxes of one index or fragment. */
const MAX_BOXES = 20_000

const CONTAINERS = new Set(['moov', 'trak', 'edts', 'mdia', 'minf', 'dinf', 'stbl', 'mvex', 'moof', 'traf'])

/** Bytes per row of the tables that begin with a 32-bit count. */
const ROWS: Readonly<Record<string, number>> = {
  stts: 8,
  ctts: 8,
  stsc: 12,
  stco: 4,
  co64: 8,
  stss: 4,
  stps: 4,
  elst: 12,
  stsd: 16,
  dref: 12,
}

/** The counted tables of one track. */
interface Track {
  is_film: boolean
  samples: number
  constant_size: number
  /** Whether each sample lasts one tick, as raw sound does: ffmpeg then joins a thousand into one. */
  is_raw_sound: boolean
  chunks: number
  runs: { first: number; samples: number }[]
  composed: number
  edits: number
}

const newTrack = (): Track => ({
  is_film: false,
  samples: 0,
  constant_size: 0,
  is_raw_sound: false,
  chunks: 0,
  runs: [],
  composed: 0,
  edits: 0,
})

/**
 * Checks the counts of an index (moov) and fragments (moof) over one file, because 600 bytes can announce so
 * many samples that ffprobe takes gigabytes for their index. Throws MediaError.
 */
class Mp4Counts {
  readonly #file_size: number
  readonly #most_pixels: number
  #samples = 0
  #boxes = 0

  constructor(file_size: number, most_pixels = FILM_PIXELS) {
    this.#file_size = file_size
    this.#most_pixels = most_pixels
  }

  /** `box` is one whole box with its head. */
  add(box: Buffer): void {
    const tracks: Track[] = []
    this.#boxes = 0
    this.#walk(box, 0, box.length, 1, tracks)
    if (tracks.length > MAX_TRACKS) throw limit('there are too many tracks')
    for (const track of tracks) this.#check(track)
  }

  #walk(data: Buffer, from: number, to: number, level: number, tracks: Track[]): void {
    if (level > MAX_LEVELS) throw corrupt('boxes lie too deep within each other')
    for (const box of boxes(data, from, to)) {
      if (++this.#boxes > MAX_BOXES) throw limit('too many boxes')
      if (box.type === 'trak') tracks.push(newTrack())
      // The whole index, compressed: its real size is unknown.
      if (box.type === 'cmov') throw new MediaError('unsupported', 'the index is compressed')
      if (CONTAINERS.has(box.type)) this.#walk(data, box.body, box.end, level + 1, tracks)
      else this.#read(data, box, tracks.at(-1))
    }
  }

  #read(data: Buffer, box: Box, track: Track | undefined): void {
    const { type, body, end } = box
    if (type === 'trun') return this.#countRun(data, box)
    if (type === 'hdlr' && track && end - body >= 12)
      track.is_film ||= data.toString('latin1', body + 8, body + 12) === 'vide'
    if (type === 'stsz' || type === 'stz2') return readSizes(data, box, track)
    const row = ROWS[type]
    if (row === undefined) return
    if (end - body < 8) throw corrupt('a table has no count')
    const count = data.readUInt32BE(body + 4)
    if (count * row > end - body - 8) throw corrupt('a table has more rows than fit into it')
    if (!track) return
    const at = (i: number) => data.readUInt32BE(body + 8 + 4 * i)
    if (type === 'stts') track.is_raw_sound = count === 1 && at(1) === 1
    else if (type === 'stco' || type === 'co64') track.chunks += count
    else if (type === 'elst') track.edits += count
    else if (type === 'ctts') for (let i = 0; i < count; i++) track.composed += at(2 * i)
    else if (type === 'stsc')
      for (let i = 0; i < count; i++) track.runs.push({ first: at(3 * i), samples: at(3 * i + 1) })
    else if (type === 'stsd' && track.is_film && end - body >= 44) {
      // The first sample description; ffmpeg limits those in the stream itself.
      if (data.readUInt16BE(body + 40) * data.readUInt16BE(body + 42) > this.#most_pixels)
        throw limit('the picture is too large')
    }
  }

  #countRun(data: Buffer, { body, end }: Box): void {
    if (end - body < 8) throw corrupt('a run has no count')
    const flags = data.readUIntBE(body + 1, 3)
    const count = data.readUInt32BE(body + 4)
    const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length
    if (count * fields * 4 > end - body - 8) throw corrupt('a run has more samples than fit into it')
    this.#addSamples(count)
  }

  #check({ samples, constant_size, is_film, is_raw_sound, chunks, runs, composed, edits }: Track): void {
    if (constant_size * samples > this.#file_size) throw corrupt('more samples are announced than fit')
    let placed = 0
    runs.forEach((run, i) => {
      const next = runs[i + 1]?.first ?? chunks + 1
      placed += Math.max(0, next - run.first) * run.samples
    })
    // The last chunk of each run may be announced as full although it is not.
    const slack = runs.reduce((most, run) => Math.max(most, run.samples), 0)
    if (placed > samples + Math.min(slack, samples + 1))
      throw corrupt('more samples lie in chunks than there are')
    if (composed > MAX_SAMPLES) throw limit('there are too many times')
    const kept = is_raw_sound && !is_film && constant_size > 0 ? Math.ceil(samples / 1024) : samples
    // Each edit may repeat all samples, and ffmpeg keeps each repetition.
    if (edits * kept > MAX_SAMPLES) throw limit('there are too many edits')
    this.#addSamples(kept)
  }

  #addSamples(count: number): void {
    this.#samples += count
    if (this.#samples > MAX_SAMPLES) throw limit('there are too many samples')
  }
}

function readSizes(data: Buffer, { type, body, end }: Box, track: Track | undefined): void {
  if (end - body < 12) throw corrupt('a table has no count')
  const count = data.readUInt32BE(body + 8)
  const constant_size = type === 'stsz' ? data.readUInt32BE(body + 4) : 0
  const bits = type === 'stsz' ? 32 : data[body + 7]!
  if (constant_size === 0 && Math.ceil((count * bits) / 8) > end - body - 12)
    throw corrupt('a table has more rows than fit into it')
  if (!track) return
  track.samples = Math.max(track.samples, count)
  track.constant_size = Math.max(track.constant_size, constant_size)
}
