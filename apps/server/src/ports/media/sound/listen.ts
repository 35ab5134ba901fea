import { type Drawn, interleaved, Waveform } from '@custodia/waveform'
import { MediaError } from '../port.ts'
import type { Pcm } from './amr.ts'

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
): Promise<Drawn> {
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
