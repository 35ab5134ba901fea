/** Slices of 20 ms, the shortest stretch that speech has a loudness of. */
const SLICE = 0.02
/** Shorter pauses belong to speaking. Seconds. */
const SHORTEST = 1
/** Clicks and breaths up to this long do not end a silence. Seconds. */
const BRIDGED = 0.06

/** A share of the sorted values, 0 to 1. */
const quantile = (sorted: Uint8Array, share: number): number =>
  sorted[Math.floor(share * (sorted.length - 1))] ?? 0

/**
 * Finds sections without speech. The threshold is relative to the recording's own noise, so that a noisy line has
 * pauses too. It keeps one byte per slice (4 MB for a day).
 */
export class LoudnessMeter {
  #per_slice: number
  #levels = new Uint8Array(4096)
  #count = 0
  #energy = 0
  #filled = 0

  constructor(sample_rate: number) {
    this.#per_slice = Math.round(sample_rate * SLICE)
  }

  add(pcm: Int16Array): void {
    for (const sample of pcm) {
      this.#energy += sample * sample
      if (++this.#filled === this.#per_slice) this.#close()
    }
  }

  #close(): void {
    if (this.#count === this.#levels.length) {
      const larger = new Uint8Array(2 * this.#count)
      larger.set(this.#levels)
      this.#levels = larger
    }
    // Decibels above the smallest step of a sample, 0 to 90.
    const mean = this.#energy / this.#filled
    this.#levels[this.#count++] = mean < 1 ? 0 : Math.round(10 * Math.log10(mean))
    this.#energy = 0
    this.#filled = 0
  }

  /** Below this many decibels a slice counts as silent. */
  #threshold(): number {
    const sorted = this.#levels.slice(0, this.#count).sort()
    const noise = quantile(sorted, 0.05)
    const speech = quantile(sorted, 0.95)
    const QUIET = 30 // about -60 dB of full scale: no speech in the whole recording
    if (speech < QUIET) return QUIET
    // Without any contrast there are no pauses, only one sound from start to end.
    return speech - noise < 12 ? 0 : Math.max(QUIET, Math.min(noise + 12, speech - 15))
  }

  /** [start, end] in seconds, in order, without overlaps. */
  silences(): [number, number][] {
    const threshold = this.#threshold()
    const found: [number, number][] = []
    const seconds = (slice: number) => Math.round(slice * SLICE * 100) / 100
    let start = -1
    let last = -1
    for (let i = 0; i < this.#count; i++) {
      if (this.#levels[i]! < threshold) {
        if (start < 0) start = i
        last = i
      } else if (start >= 0 && (i - last) * SLICE > BRIDGED) {
        if ((last + 1 - start) * SLICE >= SHORTEST) found.push([seconds(start), seconds(last + 1)])
        start = -1
      }
    }
    if (start >= 0 && (last + 1 - start) * SLICE >= SHORTEST) found.push([seconds(start), seconds(last + 1)])
    return found
  }
}

/** The most pairs of one waveform: more than a wide screen has columns. */
const MAX_PAIRS = 4000

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
    if (this.#pairs.length < 2 * MAX_PAIRS) return
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

/** One pair stands for at least 10 ms. */
const FINEST_PER_SECOND = 100

/** What is drawn of a recording. `peaks` are pairs of lowest and highest sample (-128 to 127) of equal slices, over all channels. */
export interface WaveformData {
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

  draw(): WaveformData {
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
