import { LoudnessMeter } from './loudness-meter.ts'
import { PeakFolder } from './peak-folder.ts'

/** One pair stands for at least 10 ms. */
const FINEST_PER_SECOND = 100

/** What is drawn of a recording. `peaks` are pairs of lowest and highest sample (-128 to 127) of equal slices, over all channels. */
export interface Drawn {
  /** Seconds, counted from the samples. */
  duration: number
  peaks: number[]
  /** Stretches of a second or more without speech, [start, end] in seconds. */
  silences: [start: number, end: number][]
}

/** Draws sound in one pass: peaks and silences. Memory does not grow with the peaks, and by a byte per 20 ms with the silences. */
export class Waveform {
  readonly #rate: number
  readonly #folder: PeakFolder
  readonly #meter: LoudnessMeter

  /** @param sample_rate samples per second and channel */
  constructor(sample_rate: number, channels: number) {
    // Two parties on two channels are not mixed: mixing halves them, and can cancel them out.
    this.#rate = sample_rate * channels
    this.#folder = new PeakFolder(Math.max(1, Math.round(this.#rate / FINEST_PER_SECOND)))
    this.#meter = new LoudnessMeter(this.#rate)
  }

  /** Samples of sixteen bits, those of several channels in turn. */
  add(pcm: Int16Array): void {
    this.#folder.add(pcm)
    this.#meter.add(pcm)
  }

  /** Seconds so far. */
  get duration(): number {
    return this.#folder.samples / this.#rate
  }

  draw(): Drawn {
    return { duration: this.duration, peaks: this.#folder.pairs(), silences: this.#meter.silences() }
  }
}

/** Samples of −1 to 1, one array per channel, as sixteen-bit samples in turn. What is no number is silence. */
export function interleaved(channels: readonly Float32Array[]): Int16Array {
  const [first = new Float32Array()] = channels
  const pcm = new Int16Array(first.length * channels.length)
  channels.forEach((samples, channel) => {
    for (let i = 0; i < samples.length; i++) {
      const sample = samples[i]! * 32768
      pcm[i * channels.length + channel] = sample > 32767 ? 32767 : sample < -32768 ? -32768 : sample
    }
  })
  return pcm
}
