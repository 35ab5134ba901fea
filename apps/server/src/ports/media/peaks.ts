import { type Drawn, Waveform } from '@custodia/waveform'
import { limitsOf } from './limits.ts'
import { MediaError, type MediaOptions, type MediaSource, type MediaTools, type Probe } from './port.ts'
import { channelsOf } from './probe.ts'
import { runTool } from './run.ts'

const RATE = 8000

/** Sixteen-bit samples of a byte stream whose chunks may split one. */
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

/**
 * Computes waveform and silences in one pass. Memory does not grow with the waveform, and little with time.
 */
export async function peaks(
  tools: MediaTools,
  source: MediaSource,
  probe: Probe,
  options?: MediaOptions,
): Promise<Drawn> {
  if (!probe.audio) throw new MediaError('unsupported', 'no sound')
  const { media_seconds } = limitsOf(options)
  // Two parties on two channels are not mixed, because mixing halves them and can cancel them out.
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
    tools,
    program: 'ffmpeg',
    source,
    container: probe.container,
    args: (input) => ['-nostdin', '-v', 'error', '-nostats', ...input, ...output],
    // The samples of the longest recording, so that a longer one is refused and not cut.
    options: {
      ...options,
      limits: { ...options?.limits, output_bytes: Math.ceil(media_seconds * RATE) * 2 * channels },
    },
  })
  const waveform = new Waveform(RATE, channels)
  for await (const pcm of samplesOf(chunks)) waveform.add(pcm)
  return waveform.draw()
}
