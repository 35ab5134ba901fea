import { type WaveformData, interleaved, Waveform } from '@custodia/waveform'
import { MediaError } from '../port.ts'
import type { Reader } from '../reader.ts'

/** Decoded sound: one array of samples (−1 to 1) per channel, one or two of the same length. */
export interface Pcm {
  /** Samples per second. */
  sample_rate: number
  samples: Float32Array[]
}

/** Skips so many samples per channel at the start. */
export async function* withoutStart(pieces: AsyncIterable<Pcm>, count: number): AsyncGenerator<Pcm> {
  let left = count
  for await (const { sample_rate, samples } of pieces) {
    const length = samples[0]?.length ?? 0
    const cut = Math.min(left, length)
    left -= cut
    if (cut < length) yield { sample_rate, samples: samples.map((channel) => channel.subarray(cut)) }
  }
}

/** A few seconds of speech. */
const PIECE = 16 * 1024

/** mpg123 in WebAssembly, with fixed memory. It returns two channels, equal for mono. */
export async function* decodeMp3(reader: Reader): AsyncGenerator<Pcm> {
  const { MPEGDecoder } = await import('mpg123-decoder')
  const mpg123 = new MPEGDecoder()
  await mpg123.ready
  for (let at = 0; at < reader.size; at += PIECE) {
    const { channelData, samplesDecoded, sampleRate } = mpg123.decode(await reader.bytes(at, PIECE))
    if (samplesDecoded > 0) yield { sample_rate: sampleRate, samples: channelData }
  }
}

/** Like `renderAudio` with ffmpeg, for the same reasons: constant bit rate, no header frame. */
const MP3 = { channels: 1, bitrate: 32, outputSampleRate: 16_000 } as const

/**
 * Decodes sound once: makes its waveform, and MP3 for `onMp3` (mono only). LAME gets only samples, a second
 * at a time, never bytes of the device.
 */
export async function listen(
  pieces: AsyncIterable<Pcm>,
  media_seconds: number,
  onMp3: ((bytes: Uint8Array) => void) | undefined,
): Promise<WaveformData> {
  let waveform: Waveform | undefined
  const mp3 = onMp3 && (await (await import('wasm-media-encoders')).createMp3Encoder())
  for await (const { sample_rate, samples } of pieces) {
    if (!waveform) {
      waveform = new Waveform(sample_rate, samples.length)
      mp3?.configure({ ...MP3, sampleRate: sample_rate })
    }
    waveform.add(interleaved(samples))
    if (waveform.duration > media_seconds) throw new MediaError('limit', 'the recording is too long')
    // The encoder returns a view of its own memory.
    if (mp3) onMp3(mp3.encode(samples).slice())
  }
  if (!waveform || waveform.duration === 0)
    throw new MediaError('corrupt', 'the data contains nothing decodable')
  if (mp3) onMp3(mp3.finalize().slice())
  return waveform.draw()
}
