import { MediaError, type MediaLimits, type MediaOptions, type Probe } from './port.ts'

const HOUR = 3600

/** CPU seconds of one run. */
export const CPU_SECONDS = HOUR

/** A recording of a day at the audio bit rates of `render.ts` stays below the output limit. */
const DEFAULTS: MediaLimits = {
  run_seconds: HOUR,
  cpu_seconds: CPU_SECONDS,
  media_seconds: 24 * HOUR,
  output_bytes: 1024 ** 3,
}

export const limitsOf = (options: MediaOptions | undefined): MediaLimits => ({
  ...DEFAULTS,
  ...options?.limits,
})

/**
 * Memory of one run without its libraries (some 40 MB): enough to convert 4K films with eight bits and one
 * thread per task. More is refused as `limit`.
 */
export const MEMORY_BYTES = 208 * 1024 ** 2

/** Largest picture of a film in pixels: cinema 4K. */
export const FILM_PIXELS = 4096 * 2304

/** Largest width of a rendition in pixels. */
export const RENDERED_WIDTH = 1280

/** Most frames per second of a rendition. */
export const RENDERED_RATE = 30

/** Largest photo in pixels. Browsers show smaller ones; a thumbnail is made where memory suffices. */
export const PHOTO_PIXELS = 50_000_000

/** Most samples (frames of sound or picture) in one recording: a day of AMR and a film of an hour. */
const MOST_SAMPLES = 4_600_000

/**
 * Pixels per second that one core decodes, and encodes at the width of renditions (measured with ffmpeg 5.1).
 */
const DECODED = 120e6
const ENCODED = 60e6
/** Least cost of a frame in pixels; 24 µs were measured. */
const LEAST_PIXELS = 2000
/**
 * Seconds of sound processed per CPU second: AMR, the slowest, reaches 75 (`npm run sound-speed`), stereo AAC
 * 230.
 */
const SOUND = 50
/** Bytes of a film frame, and of a second of speech (AMR at its lowest rate), when the count is unknown. */
const FRAME_BYTES = 8
const SOUND_BYTES = 650

/**
 * Estimated CPU seconds of a rendition and a waveform; `renders_film` is whether pictures are converted.
 * Unknown facts count as the worst that the size (bytes) permits.
 */
export function costOf(size: number, { duration, audio, video }: Probe, renders_film: boolean): number {
  const { media_seconds } = limitsOf(undefined)
  const seconds = Math.min(media_seconds, duration ?? size / SOUND_BYTES)
  const sound = audio ? seconds / SOUND : 0
  if (!video || !renders_film) return sound
  const frames = Math.min(MOST_SAMPLES, video.frames ?? Math.ceil(size / FRAME_BYTES))
  const pixels = Math.max(LEAST_PIXELS, video.width * video.height || PHOTO_PIXELS)
  const made = pixels * Math.min(1, RENDERED_WIDTH / (video.width || RENDERED_WIDTH)) ** 2
  return sound + frames * (pixels / DECODED + made / ENCODED)
}

/**
 * Checks the counts in an MP4, 3GP or QuickTime file first: 600 bytes can announce so many samples that
 * ffprobe takes gigabytes for their index. Sources: ISO/IEC 14496-12, and ffmpeg's demuxer.
 */

const MOST_TRACKS = 32
/** Nested boxes: the tables are six deep. */
const MOST_LEVELS = 8
/** Boxes of one index or fragment. */
const MOST_BOXES = 20_000

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

const corrupt = (why: string) => new MediaError('corrupt', why)
const limit = (why: string) => new MediaError('limit', why)

/** The content of a box: its type and positions. */
interface BoxContent {
  type: string
  body: number
  end: number
}

/** The boxes between two positions, which must be whole. Four zero bytes may end a list (QuickTime). */
function* children(data: Buffer, from: number, to: number): Generator<BoxContent> {
  for (let at = from; to - at >= 8;) {
    const short = data.readUInt32BE(at)
    if (short === 0) return
    const head = short === 1 ? 16 : 8
    const size = short === 1 && to - at >= 16 ? Number(data.readBigUInt64BE(at + 8)) : short
    if (size < head || size > to - at) throw corrupt('a box does not fit into the one around it')
    yield { type: data.toString('latin1', at + 4, at + 8), body: at + head, end: at + size }
    at += size
  }
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
 * Checks the counts of an index (moov) and fragments (moof) over one file. Throws MediaError for impossible
 * or excessive ones.
 */
export class Mp4Counts {
  readonly #file_size: number
  #samples = 0
  #boxes = 0

  constructor(file_size: number) {
    this.#file_size = file_size
  }

  /** `box` is one whole box with its head. */
  add(box: Buffer): void {
    const tracks: Track[] = []
    this.#boxes = 0
    this.#walk(box, 0, box.length, 1, tracks)
    if (tracks.length > MOST_TRACKS) throw limit('there are too many tracks')
    for (const track of tracks) this.#check(track)
  }

  #walk(data: Buffer, from: number, to: number, level: number, tracks: Track[]): void {
    if (level > MOST_LEVELS) throw corrupt('boxes lie too deep within each other')
    for (const box of children(data, from, to)) {
      if (++this.#boxes > MOST_BOXES) throw limit('too many boxes')
      if (box.type === 'trak') tracks.push(newTrack())
      // The whole index, compressed: its real size is unknown.
      if (box.type === 'cmov') throw new MediaError('unsupported', 'the index is compressed')
      if (CONTAINERS.has(box.type)) this.#walk(data, box.body, box.end, level + 1, tracks)
      else this.#read(data, box, tracks.at(-1))
    }
  }

  #read(data: Buffer, box: BoxContent, track: Track | undefined): void {
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
    else if (type === 'stsd' && track.is_film) checkPicture(data, body + 8, end)
  }

  #countRun(data: Buffer, { body, end }: BoxContent): void {
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
    if (composed > MOST_SAMPLES) throw limit('there are too many times')
    const kept = is_raw_sound && !is_film && constant_size > 0 ? Math.ceil(samples / 1024) : samples
    // Each edit may repeat all samples, and ffmpeg keeps each repetition.
    if (edits * kept > MOST_SAMPLES) throw limit('there are too many edits')
    this.#addSamples(kept)
  }

  #addSamples(count: number): void {
    this.#samples += count
    if (this.#samples > MOST_SAMPLES) throw limit('there are too many samples')
  }
}

function readSizes(data: Buffer, { type, body, end }: BoxContent, track: Track | undefined): void {
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

/** The first sample description; ffmpeg limits those in the stream itself. */
function checkPicture(data: Buffer, at: number, end: number): void {
  if (end - at < 36) return
  if (data.readUInt16BE(at + 32) * data.readUInt16BE(at + 34) > FILM_PIXELS)
    throw limit('the picture is too large')
}
