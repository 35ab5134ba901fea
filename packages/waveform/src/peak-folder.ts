/** The most pairs of one waveform: more than a wide screen has columns. */
const MOST_PAIRS = 4000

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
