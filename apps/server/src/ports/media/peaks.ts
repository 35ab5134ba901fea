import { limitsOf } from './limits.ts'
import {
  MediaError,
  type MediaOptions,
  type MediaPeaks,
  type MediaSource,
  type MediaTools,
  type Probe,
} from './port.ts'
import { channelsOf } from './probe.ts'
import { runTool } from './run.ts'
import { LoudnessMeter } from './silences.ts'

const RATE = 8000
const MOST_PAIRS = 4000
/** One pair stands for at least 10 ms. */
const FINEST = 80

/** Folds samples into pairs of minimum and maximum; whenever there are too many pairs, two become one. */
export class PeakFolder {
  samples = 0
  samples_per_peak: number
  #pairs: number[] = []
  #low = 32767
  #high = -32768
  #filled = 0

  constructor(samples_per_peak: number) {
    this.samples_per_peak = samples_per_peak
  }

  add(pcm: Int16Array): void {
    for (const sample of pcm) {
      if (sample < this.#low) this.#low = sample
      if (sample > this.#high) this.#high = sample
      if (++this.#filled === this.samples_per_peak) this.#close()
    }
    this.samples += pcm.length
  }

  #close(): void {
    this.#pairs.push(this.#low >> 8, this.#high >> 8)
    this.#low = 32767
    this.#high = -32768
    this.#filled = 0
    if (this.#pairs.length < 2 * MOST_PAIRS) return
    const folded: number[] = []
    for (let i = 0; i < this.#pairs.length; i += 4) {
      folded.push(
        Math.min(this.#pairs[i]!, this.#pairs[i + 2]!),
        Math.max(this.#pairs[i + 1]!, this.#pairs[i + 3]!),
      )
    }
    this.#pairs = folded
    this.samples_per_peak *= 2
  }

  /** All pairs so far; the last may stand for a shorter slice. */
  pairs(): number[] {
    return this.#filled > 0 ? [...this.#pairs, this.#low >> 8, this.#high >> 8] : [...this.#pairs]
  }
}

/** Sixteen-bit samples of a byte stream whose chunks may end within one. */
async function* samplesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Int16Array> {
  let odd: Buffer | undefined
  for await (const chunk of chunks) {
    const bytes: Buffer = odd ? Buffer.concat([odd, chunk]) : chunk
    const even = bytes.length & ~1
    odd = bytes.length > even ? bytes.subarray(even) : undefined
    const aligned = new Uint8Array(even)
    aligned.set(bytes.subarray(0, even))
    yield new Int16Array(aligned.buffer)
  }
}

/** Draws the waveform and finds the silences in one pass over the sound. Memory does not grow with the waveform, little with time. */
export async function peaks(
  tools: MediaTools,
  source: MediaSource,
  probe: Probe,
  options?: MediaOptions,
): Promise<MediaPeaks> {
  if (!probe.audio) throw new MediaError('unsupported', 'there is no sound')
  const { media_seconds } = limitsOf(options)
  // Two parties on two channels are not mixed: mixing halves them, and can cancel them out.
  const channels = channelsOf(probe)
  const output = [
    '-map',
    '0:a:0',
    '-sn',
    '-dn',
    '-vn',
    '-ac',
    String(channels),
    '-ar',
    String(RATE),
    '-c:a',
    'pcm_s16le',
    '-f',
    's16le',
    'pipe:1',
  ]
  const chunks = runTool({
    program: tools.ffmpeg,
    source,
    container: probe.container,
    by: 'pipe',
    args: (input) => ['-nostdin', '-v', 'error', '-nostats', ...input, ...output],
    // The samples of the longest recording, so that a longer one is refused and not cut.
    options: {
      ...options,
      limits: { ...options?.limits, output_bytes: Math.ceil(media_seconds * RATE) * 2 * channels },
    },
  })
  const folder = new PeakFolder(FINEST * channels)
  const meter = new LoudnessMeter(RATE * channels)
  for await (const pcm of samplesOf(chunks)) {
    folder.add(pcm)
    meter.add(pcm)
  }
  return {
    sample_rate: RATE,
    samples_per_peak: folder.samples_per_peak / channels,
    duration: folder.samples / channels / RATE,
    peaks: folder.pairs(),
    silences: meter.silences(),
  }
}
