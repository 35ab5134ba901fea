import { type Box, boxes, findBox } from './mp4.ts'
import type { Draft } from './port.ts'

/** A fragment (moof and mdat): its bytes, and the start and end of each track in the track's time scale. */
interface Fragment {
  size: number
  times: Map<number, { start: number; end: number }>
}

/** The time scales (ticks per second) of the tracks in a moov box. */
function timescales(moov: Buffer): Map<number, number> {
  const scales = new Map<number, number>()
  const [top] = boxes(moov)
  for (const track of boxes(moov, top?.body, top?.end)) {
    if (track.type !== 'trak') continue
    const head = findBox(moov, track, 'tkhd')
    const media = findBox(moov, track, 'mdia', 'mdhd')
    if (!head || !media) continue
    const id = moov.readUInt32BE(head.body + (moov[head.body] === 1 ? 20 : 12))
    scales.set(id, moov.readUInt32BE(media.body + (moov[media.body] === 1 ? 20 : 12)))
  }
  return scales
}

/** Ticks that the samples of one track fragment last (ISO/IEC 14496-12, 8.8.7 and 8.8.8). */
function lastsTicks(moof: Buffer, head: Box, runs: Iterable<Box>): number {
  const head_flags = moof.readUIntBE(head.body + 1, 3)
  const default_at = head.body + 8 + (head_flags & 1 ? 8 : 0) + (head_flags & 2 ? 4 : 0)
  const usual = head_flags & 8 ? moof.readUInt32BE(default_at) : 0
  let ticks = 0
  for (const run of runs) {
    const flags = moof.readUIntBE(run.body + 1, 3)
    const count = moof.readUInt32BE(run.body + 4)
    const fields = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length
    let at = run.body + 8 + (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0)
    for (let i = 0; i < count; i++, at += 4 * fields) ticks += flags & 0x100 ? moof.readUInt32BE(at) : usual
  }
  return ticks
}

function getTimes(moof: Buffer): Fragment['times'] {
  const times: Fragment['times'] = new Map()
  const [top] = boxes(moof)
  for (const track of boxes(moof, top?.body, top?.end)) {
    if (track.type !== 'traf') continue
    const head = findBox(moof, track, 'tfhd')
    const time = findBox(moof, track, 'tfdt')
    if (!head || !time) continue
    const start =
      moof[time.body] === 1 ? Number(moof.readBigUInt64BE(time.body + 4)) : moof.readUInt32BE(time.body + 4)
    const runs = [...boxes(moof, track.body, track.end)].filter((box) => box.type === 'trun')
    times.set(moof.readUInt32BE(head.body + 4), { start, end: start + lastsTicks(moof, head, runs) })
  }
  return times
}

/** The segment index of one track (ISO/IEC 14496-12, 8.16.3). `gap` is the distance from its end to the first fragment. */
function segmentIndex(track: number, timescale: number, fragments: readonly Fragment[], gap: number): Buffer {
  const box = Buffer.alloc(40 + 12 * fragments.length)
  box.writeUInt32BE(box.length, 0)
  box.write('sidx', 4, 'latin1')
  box.writeUInt8(1, 8)
  box.writeUInt32BE(track, 12)
  box.writeUInt32BE(timescale, 16)
  const first = fragments.find((fragment) => fragment.times.has(track))?.times.get(track)?.start ?? 0
  box.writeBigUInt64BE(BigInt(first), 20)
  box.writeBigUInt64BE(BigInt(gap), 28)
  box.writeUInt16BE(fragments.length, 38)
  let at = first
  fragments.forEach((fragment, i) => {
    // A track that has ended, or not begun, has no duration in a fragment.
    const next = fragments[i + 1]?.times.get(track)?.start ?? fragment.times.get(track)?.end ?? at
    const entry = 40 + 12 * i
    box.writeUInt32BE(fragment.size, entry)
    box.writeUInt32BE(Math.max(0, next - at), entry + 4)
    box.writeUInt32BE(0x90000000, entry + 8) // starts with a sync sample
    at = Math.max(at, next)
  })
  return box
}

function indexes(moov: Buffer, fragments: readonly Fragment[]): Buffer[] {
  const size = 40 + 12 * fragments.length
  const tracks = [...timescales(moov)]
  return tracks.map(([track, scale], i) =>
    segmentIndex(track, scale, fragments, size * (tracks.length - 1 - i)),
  )
}

/** The most that fit into one index. */
const MAX_ENTRIES = 0xffff

/** Joins adjacent fragments when there are more than an index has entries. */
function joined(fragments: readonly Fragment[]): readonly Fragment[] {
  const each = Math.ceil(fragments.length / MAX_ENTRIES)
  if (each <= 1) return fragments
  const groups: Fragment[] = []
  for (let at = 0; at < fragments.length; at += each) {
    const group: Fragment = { size: 0, times: new Map() }
    for (const { size, times } of fragments.slice(at, at + each)) {
      group.size += size
      for (const [track, { start, end }] of times)
        group.times.set(track, { start: group.times.get(track)?.start ?? start, end })
    }
    groups.push(group)
  }
  return groups
}

/** No box of an ffmpeg film with fragments of at most two seconds is nearly as large. */
const LARGEST_BOX = 64 * 1024 * 1024

/**
 * Puts a segment index for every track before the fragments of an MP4, so that players know its length and
 * can seek. `draft` holds the fragments until the last one is known. Resolves to the whole.
 */
export async function withIndex(chunks: AsyncIterable<Buffer>, draft: Draft): Promise<AsyncIterable<Buffer>> {
  const head: Buffer[] = []
  const fragments: Fragment[] = []
  let moov: Buffer | undefined
  async function* body(): AsyncGenerator<Buffer> {
    for await (const { type, data } of topLevelBoxes(chunks, LARGEST_BOX)) {
      const last = fragments.at(-1)
      if (type === 'ftyp' || type === 'moov') {
        if (type === 'moov') moov = Buffer.from(data)
        head.push(Buffer.from(data))
        continue
      }
      if (type === 'moof') fragments.push({ size: data.length, times: getTimes(data) })
      else if (type === 'mdat' && last) last.size += data.length
      else continue
      yield data
    }
  }
  const kept = await draft(body())
  return (async function* () {
    yield* head
    if (moov) yield* indexes(moov, joined(fragments))
    yield* kept()
  })()
}

/**
 * Splits a stream into top-level boxes. Throws RangeError for an invalid box, or one larger than `most`
 * bytes.
 */
async function* topLevelBoxes(
  chunks: AsyncIterable<Buffer>,
  most: number,
): AsyncGenerator<{ type: string; data: Buffer }> {
  let held: Buffer[] = []
  let length = 0
  let wanted = 8
  for await (const chunk of chunks) {
    held.push(chunk)
    length += chunk.length
    while (length >= wanted) {
      const data: Buffer = held.length === 1 ? held[0]! : Buffer.concat(held, length)
      const size = data.readUInt32BE(0)
      if (size < 8 || size > most) throw new RangeError('not a stream of MP4 boxes')
      held = [data]
      wanted = size
      if (length < size) break
      yield { type: data.toString('latin1', 4, 8), data: data.subarray(0, size) }
      held = length > size ? [data.subarray(size)] : []
      length -= size
      wanted = 8
    }
  }
}
