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
