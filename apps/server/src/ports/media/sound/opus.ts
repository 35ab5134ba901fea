import { MediaError } from '../port.ts'
import type { Reader } from '../reader.ts'
import { type Pcm, withoutStart } from './pcm.ts'

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
const SEARCHED = 16 * 1024
/** Most bytes of a sound packet. */
const LARGEST_JOINED = 64 * 1024

/** The position of the next page mark; undefined when there is none. */
async function findMark(reader: Reader, from: number): Promise<number | undefined> {
  for (let at = from; at + HEAD <= reader.size; at += SEARCHED - MARK.length + 1) {
    const found = (await reader.bytes(at, SEARCHED)).indexOf(MARK)
    if (found >= 0) return at + found
  }
  return undefined
}

/** The pages of the file's first stream; skips others. Damage loses only its page. */
export async function* oggPages(reader: Reader): AsyncGenerator<OggPage> {
  let stream: number | undefined
  let begun: Buffer[] = []
  let length = 0
  let end = 0
  for (let at = await findMark(reader, 0); at !== undefined; at = await findMark(reader, end)) {
    const head = await reader.bytes(at, HEAD + 255)
    const sizes = head.subarray(HEAD, HEAD + (head[26] ?? 0))
    const body = at + HEAD + sizes.length
    end = body + sizes.reduce((sum, size) => sum + size, 0)
    if (end > reader.size) return
    const [flags, serial, position] = [head[5]!, head.readUInt32LE(14), head.readBigInt64LE(6)]
    stream ??= serial
    if (serial !== stream) continue
    if (!(flags & 1)) [begun, length] = [[], 0]
    const packets: Buffer[] = []
    const data = await reader.bytes(body, end - body)
    let next = 0
    for (const size of sizes) {
      length += size
      if (length <= LARGEST_JOINED) begun.push(data.subarray(next, next + size))
      next += size
      if (size === 255) continue
      if (length <= LARGEST_JOINED) packets.push(Buffer.concat(begun))
      ;[begun, length] = [[], 0]
    }
    const is_last = (flags & 4) !== 0
    yield { serial, position: position < 0n ? undefined : Number(position), is_last, packets }
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
function getHead(packet: Buffer | undefined): { channels: 1 | 2; skip: number } {
  if (!packet || packet.length < 19 || packet.toString('latin1', 0, 8) !== 'OpusHead')
    throw new MediaError('corrupt', 'the stream has no valid head')
  const channels = packet[9]
  if ((channels !== 1 && channels !== 2) || packet[18] !== 0)
    throw new MediaError('unsupported', 'sound of more than two channels')
  return { channels, skip: packet.readUInt16LE(10) }
}

/** libopus in WebAssembly, with fixed memory. */
export async function* decodeOpus(reader: Reader): AsyncGenerator<Pcm> {
  const pages = oggPages(reader)
  const first = await pages.next()
  const { channels, skip } = getHead(first.done ? undefined : first.value.packets[0])
  const { OpusDecoder } = await import('opus-decoder')
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
