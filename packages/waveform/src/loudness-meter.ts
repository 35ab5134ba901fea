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
