// Measures speed and memory of converting a long AMR call to MP3 and waveform without ffmpeg: `npm run sound-speed --
// [hours]`.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type MediaSource, openSound, sniff } from '../../apps/server/src/ports/media/index.ts'
import { ROOT } from '../../scripts/run.ts'

/** Frames per second, and bytes per frame at 12.2 kbit/s. */
const [FRAMES, FRAME] = [50, 32]
const MB = 1024 * 1024

const hours = Number(process.argv[2] ?? 2)
const call = readFileSync(join(ROOT, 'tools/simulator/media/calls/en-limit-order.amr'))
const head = 6
const speech = call.subarray(head)

/** Repeats the call as a stream. */
const source: MediaSource = {
  size: head + hours * 3600 * FRAMES * FRAME,
  async *read(start, end) {
    const bytes = Buffer.alloc(end - start)
    for (let at = start; at < end; at++)
      bytes[at - start] = at < head ? call[at]! : speech[(at - head) % speech.length]!
    yield bytes
  },
}

const before = process.memoryUsage.rss()
let peak = before
const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 50)
const started = performance.now()
const cpu = process.cpuUsage()
await using sound = await openSound(source, sniff(call))
if (!sound) throw new Error('AMR has a built-in reader')
const heard = sound.listen(true)
let written = 0
for await (const chunk of heard.chunks()) written += chunk.length
const { duration, peaks } = await heard.drawn()
clearInterval(watch)
const { user, system } = process.cpuUsage(cpu)
const seconds = (performance.now() - started) / 1000
console.log(
  `${(duration / 3600).toFixed(1)} h of AMR: ${(duration / seconds).toFixed(0)} × real time, ` +
    `${(duration / ((user + system) / 1e6)).toFixed(0)} × per second of processor time`,
)
console.log(
  `${(written / MB).toFixed(1)} MiB of MP3, ${peaks.length / 2} peaks; whole process ${(peak / MB).toFixed(0)} MiB, ${(before / MB).toFixed(0)} MiB before`,
)
