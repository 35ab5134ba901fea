import { Mp4Counts } from './mp4-counts.ts'
import { MediaError, type MediaSource } from './port.ts'
import { type Windows, windowsOf } from './inspect-picture.ts'

/** Largest index. A film of a day has 40 MB. */
const MOST_INDEX = 64 * 1024 ** 2
/** Boxes on one level. A day in fragments of two seconds has 86,400. */
const MOST_BOXES = 200_000

interface BoxRange {
  type: string
  start: number
  end: number
}

/** The boxes of the file itself. The last may be cut: the rest of the recording still plays. */
async function* fileBoxes(windows: Windows): AsyncGenerator<BoxRange> {
  let count = 0
  for (let at = 0; at + 8 <= windows.size;) {
    const head = await windows.bytes(at, 16)
    const short = head.readUInt32BE(0)
    const long = short === 1 && head.length === 16 ? Number(head.readBigUInt64BE(8)) : short
    const size = long === 0 ? windows.size - at : long
    if (size < 8) return
    if (++count > MOST_BOXES) throw new MediaError('limit', 'too many boxes')
    yield { type: head.toString('latin1', 4, 8), start: at, end: Math.min(at + size, windows.size) }
    at += size
  }
}

async function readBox(windows: Windows, { start, end }: BoxRange): Promise<Buffer> {
  if (end - start > MOST_INDEX) throw new MediaError('limit', 'the index is too large')
  return windows.bytes(start, end - start)
}

/**
 * Checks the counts of an MP4 and moves its index to the front, because recorders write it last. A program
 * with a pipe as input needs no network and cannot choose what it reads.
 */
export async function inspectMp4(source: MediaSource, needs_index: boolean): Promise<MediaSource> {
  const windows = windowsOf(source)
  const counts = new Mp4Counts(source.size)
  let head_end = 0
  let first_data: number | undefined
  let index: BoxRange | undefined
  for await (const box of fileBoxes(windows)) {
    if (box.type === 'ftyp' && box.start === 0) head_end = box.end
    if (box.type === 'mdat') first_data ??= box.start
    if (box.type === 'moof' || box.type === 'moov') counts.add(await readBox(windows, box))
    if (box.type === 'moov') index ??= box
  }
  if (!index) {
    if (needs_index) throw new MediaError('corrupt', 'the index is missing')
    return source
  }
  if (first_data === undefined || index.start < first_data) return source
  const moov = Buffer.from(await readBox(windows, index))
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
  for (let at = from; to - at >= 8;) {
    const short = data.readUInt32BE(at)
    const size = short === 1 ? Number(data.readBigUInt64BE(at + 8)) : short
    const body = at + (short === 1 ? 16 : 8)
    if (size < 8) return
    const type = data.toString('latin1', at + 4, at + 8)
    if (ON_THE_WAY.has(type)) shiftChunks(data, body, at + size, shift)
    else if (type === 'stco' || type === 'co64') shiftTable(data, body, type === 'stco' ? 4 : 8, shift)
    at += size
  }
}

function shiftTable(data: Buffer, body: number, width: 4 | 8, { from, to, by }: Shift): void {
  const count = data.readUInt32BE(body + 4)
  for (let i = 0, at = body + 8; i < count; i++, at += width) {
    const offset = width === 4 ? data.readUInt32BE(at) : Number(data.readBigUInt64BE(at))
    if (offset < from || offset >= to) continue
    if (width === 8) data.writeBigUInt64BE(BigInt(offset + by), at)
    else if (offset + by > 0xffffffff) throw new MediaError('limit', 'the recording is too large')
    else data.writeUInt32BE(offset + by, at)
  }
}

/** The source with its index behind its first box. */
function withMoved(
  source: MediaSource,
  moov: Buffer,
  head_end: number,
  { start, end }: BoxRange,
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
