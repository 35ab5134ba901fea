import { OpusDecoder } from 'opus-decoder'
import { MediaError } from '../port.ts'
import { type Blocks, Cursor } from './cursor.ts'
import { type Pcm, withoutStart } from './amr.ts'

/** A page of an Ogg file (RFC 3533): the packets that end in it. */
interface OggPage {
  serial: number
  /** Position of the stream after these packets, in its own units; undefined when none ends here. */
  position: number | undefined
  is_last: boolean
  packets: Buffer[]
}

const MARK = Buffer.from('OggS')
const HEAD = 27
/** Most bytes of a sound packet. */
const OGG_PAGES_LARGEST_PACKET = 64 * 1024

/** Moves to the next page mark; false when there is none. */
async function findMark(cursor: Cursor): Promise<boolean> {
  while (cursor.left >= HEAD) {
    const start = cursor.at
    const piece = await cursor.takeUpTo(16 * 1024)
    const found = piece.indexOf(MARK)
    cursor.at = found >= 0 ? start + found : start + piece.length - MARK.length + 1
    if (found >= 0) return cursor.left >= HEAD
  }
  return false
}

/** The pages of the file's first stream; skips others. Damage loses only its page. */
export async function* oggPages(blocks: Blocks): AsyncGenerator<OggPage> {
  const cursor = new Cursor(blocks, 0)
  let stream: number | undefined
  let begun: Buffer[] = []
  let length = 0
  while (await findMark(cursor)) {
    const head = await cursor.take(HEAD)
    const [flags, serial, position] = [head[5]!, head.readUInt32LE(14), head.readBigInt64LE(6)]
    const segments = head[26]!
    if (cursor.left < segments) return
    const sizes = Buffer.from(await cursor.take(segments))
    const size = sizes.reduce((sum, one) => sum + one, 0)
    if (cursor.left < size) return
    const body = Buffer.from(await cursor.take(size))
    stream ??= serial
    if (serial !== stream) continue
    if (!(flags & 1)) [begun, length] = [[], 0]
    const packets: Buffer[] = []
    let at = 0
    for (const part of sizes) {
      length += part
      if (length <= OGG_PAGES_LARGEST_PACKET) begun.push(body.subarray(at, at + part))
      at += part
      if (part === 255) continue
      if (length <= OGG_PAGES_LARGEST_PACKET) packets.push(Buffer.concat(begun))
      ;[begun, length] = [[], 0]
    }
    yield {
      serial,
      position: position < 0n ? undefined : Number(position),
      is_last: (flags & 4) !== 0,
      packets,
    }
  }
}

/**
 * The decoder supports several rates; this one suffices for speech, in a third of the time. Divides 48,000.
 */
const RATE = 16_000
/** Stream positions and the start offset use this rate, whatever was recorded. */
const CLOCK = 48_000
/** Buffer of the module per channel: 256 kbit/s in the longest packet. */
const LARGEST_PACKET = 3840

/** The first packet (RFC 7845). Throws MediaError `unsupported` for more than two channels. */
function headOf(packet: Buffer | undefined): { channels: 1 | 2; skip: number } {
  if (!packet || packet.length < 19 || packet.toString('latin1', 0, 8) !== 'OpusHead')
    throw new MediaError('corrupt', 'the stream has no valid head')
  const channels = packet[9]
  if ((channels !== 1 && channels !== 2) || packet[18] !== 0)
    throw new MediaError('unsupported', 'sound of more than two channels')
  return { channels, skip: packet.readUInt16LE(10) }
}

/** libopus in WebAssembly, with fixed memory. */
export async function* decodeOpus(blocks: Blocks): AsyncGenerator<Pcm> {
  const pages = oggPages(blocks)
  const first = await pages.next()
  const { channels, skip } = headOf(first.done ? undefined : first.value.packets[0])
  const opus = new OpusDecoder({ channels, sampleRate: RATE })
  await opus.ready
  const pieces = async function* (): AsyncGenerator<Pcm> {
    let played = 0
    let is_tagged = false
    for await (const { packets, position, is_last } of pages) {
      // The second packet contains tags.
      const sound = (is_tagged ? packets : packets.slice(1)).filter(
        ({ length }) => length > 0 && length <= LARGEST_PACKET * channels,
      )
      is_tagged ||= packets.length > 0
      if (sound.length === 0) continue
      const { channelData, samplesDecoded } = opus.decodeFrames(sound)
      played += samplesDecoded
      // The last page gives the end of the sound within its packets.
      const end = is_last && position !== undefined ? Math.round((position * RATE) / CLOCK) : played
      const kept = Math.max(0, samplesDecoded - Math.max(0, played - end))
      yield { sample_rate: RATE, samples: channelData.map((channel) => channel.subarray(0, kept)) }
    }
  }
  yield* withoutStart(pieces(), Math.round((skip * RATE) / CLOCK))
}
