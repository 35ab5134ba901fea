import { OpusDecoder } from 'opus-decoder'
import { MediaError } from '../port.ts'
import type { Blocks } from './blocks.ts'
import { oggPages } from './ogg-pages.ts'
import { type Pcm, withoutStart } from './pcm.ts'

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
