import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { LONG } from '../../../testing/long.ts'
import {
  getBytes,
  collect,
  media_files,
  skip,
  sniffBytes,
  getSource,
  tools,
} from '../../../testing/media-files.ts'
import { MP4_BOMBS } from '../bombs.test-support.ts'
import { playability } from '../playability.ts'
import { MediaError, type MediaErrorCode, type MediaOptions, type MediaSource } from '../port.ts'
import { peaks, probe } from '../probe.ts'
import { Reader } from '../reader.ts'
import { renderAudio } from '../render.ts'
import type { Measurements } from './modules.test-support.ts'
import { openSound } from './open-sound.ts'
import { decodeMp3 } from './pcm.ts'

const fails = (code: MediaErrorCode) => (error: unknown) => error instanceof MediaError && error.code === code
const amr = () => getBytes('calls/en-limit-order.amr')
const AMR = sniffBytes(amr())

/** Decodes a recording to its end. */
async function hear(source: MediaSource, sniffed = AMR, options?: MediaOptions) {
  await using sound = await openSound(source, sniffed, options)
  if (!sound?.is_heard) return { probe: sound?.probe }
  const { probe } = sound
  const heard = sound.listen(!playability(probe).playable)
  return { probe, mp3: await collect(heard.chunks()), drawn: await heard.drawn() }
}

test('computes waveform, duration and pauses of device recordings without ffmpeg', async () => {
  const recordings = media_files.filter(({ kind, file }) =>
    // One of each format; another AMR file is compared with ffmpeg below.
    LONG ? kind === 'call' || kind === 'interview' : /^calls\/en-(?!complaint)/.test(file),
  )
  let heard = 0
  for (const { file, duration, pauses } of recordings) {
    const bytes = getBytes(file)
    const { probe, mp3, drawn } = await hear(getSource(bytes), sniffBytes(bytes))
    assert.ok(probe, file)
    // Browsers play AAC and draw its waveform.
    if (!drawn) {
      assert.deepEqual([probe.audio?.codec, playability(probe).playable], ['aac', true], file)
      continue
    }
    heard++
    assert.ok(Math.abs(drawn.duration - duration!) < 0.03, `${file}: ${drawn.duration}`)
    assert.ok(drawn.peaks.length > 2000 && Math.max(...drawn.peaks) > 20, `${file} is heard`)
    for (const [start, end] of pauses!) {
      const overlap = ([from, to]: [number, number]) => Math.min(to, end) - Math.max(from, start)
      assert.ok(
        drawn.silences.some((silence) => overlap(silence) > 0.8 * (end - start) - 0.3),
        `${file} pauses at ${start}`,
      )
    }
    const needs_mp3 = /\.(amr|3gp)$/.test(file)
    assert.equal(mp3.length > 0, needs_mp3, file)
    if (!needs_mp3) continue
    // Frames of 144 bytes for 36 ms from the first byte on: constant, and no header frame.
    assert.equal(mp3.length % 144, 0)
    assert.equal(mp3.readUInt16BE(0) & 0xfff6, 0xfff2, file)
    assert.ok(!/Xing|Info|LAME/.test(mp3.toString('latin1', 0, 288)), file)
    assert.ok(Math.abs(mp3.length / 4000 - drawn.duration) < 0.15, file)
  }
  assert.ok(heard >= (LONG ? 8 : 4))
})

test('decodes the available part of a truncated recording', async () => {
  const whole = amr()
  const { drawn } = await hear(getSource(whole.subarray(0, whole.length / 2)))
  assert.ok(drawn!.duration > 19 && drawn!.duration < 22)
})

test('reports video tracks without decoding them and ignores photos', async () => {
  const film = getBytes('formats/h263-amr.3gp')
  const { probe, drawn } = await hear(getSource(film), sniffBytes(film))
  assert.deepEqual([probe?.video?.codec, probe?.audio?.codec, drawn], ['h263', 'amr_nb', undefined])
  // Only ffmpeg limits the size of a picture.
  const huge = MP4_BOMBS['a film of 65,535 pixels in each direction']!
  assert.equal((await hear(getSource(huge), sniffBytes(huge))).probe?.video?.width, 65_535)
  const photo = getBytes('formats/photo.heic')
  assert.equal((await hear(getSource(photo), sniffBytes(photo))).probe, undefined)
})

test('reports a header without sound and a film without an index as corrupt', async () => {
  await assert.rejects(hear(getSource(Buffer.from('#!AMR\n'))), fails('corrupt'))
  const film = getBytes('formats/h264-aac-moov-last.mp4')
  await assert.rejects(hear(getSource(film.subarray(0, 6000)), sniffBytes(film)), fails('corrupt'))
})

test('ends on noise after a valid header with sound or a media error', async () => {
  for (const file of ['formats/amr-nb.amr', 'formats/amr-nb.3gp', 'formats/opus.ogg', 'formats/mp3.mp3']) {
    const bytes = Buffer.from(getBytes(file))
    for (let at = 1800; at < bytes.length; at++) bytes[at] = (at * 167 + (at >> 3) * 1770) % 251
    await hear(getSource(bytes), sniffBytes(bytes)).catch((error: unknown) =>
      assert.ok(error instanceof MediaError, String(error)),
    )
  }
})

test('passes on read errors of the source unchanged', async () => {
  const broken: MediaSource = {
    size: amr().length,
    async *read(start) {
      yield amr().subarray(start, start + 500)
      throw new RangeError('segment 3 is forged')
    },
  }
  await assert.rejects(hear(broken), { name: 'RangeError', message: 'segment 3 is forged' })
})

test('ends at the limits of time, duration and size', async () => {
  const limited = (limits: MediaOptions['limits']) => hear(getSource(amr()), AMR, { limits })
  await assert.rejects(limited({ output_bytes: 1000 }), fails('limit'))
  await assert.rejects(limited({ media_seconds: 10 }), fails('limit'))
  const silent: MediaSource = { size: 1e6, read: () => ({ [Symbol.asyncIterator]: () => ({ next: never }) }) }
  await assert.rejects(hear(silent, AMR, { limits: { run_seconds: 0.3 } }), fails('limit'))
})
const never = () => new Promise<IteratorResult<Uint8Array>>(() => {})

test('stops a file of empty frames at the duration limit', async () => {
  const bytes = Buffer.alloc(1024 * 1024, 0x7c)
  bytes.write('#!AMR\n', 'latin1')
  await assert.rejects(hear(getSource(bytes), AMR, { limits: { media_seconds: 60 } }), fails('limit'))
})

test('lets the caller abort decoding and ends the thread when the caller stops reading', async () => {
  const endless: MediaSource = {
    size: 1e9,
    async *read(start, end) {
      yield Buffer.alloc(end - start, amr().subarray(6))
    },
  }
  const signal = AbortSignal.timeout(300)
  await assert.rejects(hear(endless, AMR, { signal }), { name: 'TimeoutError' })
  await using sound = await openSound(endless, AMR)
  for await (const chunk of sound!.listen(true).chunks()) {
    assert.ok(chunk.length > 0)
    break
  }
})

async function getSamples(mp3: Buffer): Promise<Float32Array> {
  const pieces: number[] = []
  const reader = new Reader(mp3.length, async (start, end) => mp3.subarray(start, end))
  for await (const { samples } of decodeMp3(reader)) for (const sample of samples[0]!) pieces.push(sample)
  return Float32Array.from(pieces)
}

/** Similarity of two sounds (1: the same), with the second shifted by so many samples. */
function correlation(a: Float32Array, b: Float32Array, moved: number): number {
  let [ab, aa, bb] = [0, 0, 0]
  for (let i = Math.max(0, -moved); i < a.length && i + moved < b.length; i++) {
    const [x, y] = [a[i]!, b[i + moved]!]
    ab += x * y
    aa += x * x
    bb += y * y
  }
  return ab / Math.sqrt(aa * bb)
}

test('decodes and draws AMR like ffmpeg', { skip }, async () => {
  const files = media_files
    .map(({ file }) => file)
    .filter((file) => /\.amr$|calls.*3gp$|amr-nb\.3gp$/.test(file))
    .filter((file) => LONG || /^formats|en-complaint/.test(file))
  assert.ok(files.length >= (LONG ? 8 : 4))
  for (const file of files) {
    const bytes = getBytes(file)
    const source = getSource(bytes)
    const probed = await probe(tools!, source, sniffBytes(bytes))
    const theirs = await collect(renderAudio(tools!, source, probed).chunks)
    const drawn = await peaks(tools!, source, probed)
    await using sound = await openSound(source, sniffBytes(bytes))
    const heard = sound!.listen(true)
    const ours = await collect(heard.chunks())
    const own = await heard.drawn()

    assert.ok(
      Math.abs(ours.length - theirs.length) <= 144,
      `${file}: ${ours.length} against ${theirs.length}`,
    )
    assert.ok(Math.abs(own.duration - drawn.duration) < 0.001, `${file}: ${own.duration} s`)
    assert.equal(own.silences.length, drawn.silences.length, file)
    const [a, b] = [await getSamples(ours), await getSamples(theirs)]
    // Resampling filters delay by a few samples; a second of sound shows the delay.
    const [c, d] = [a.subarray(8000, 24_000), b.subarray(8000, 24_000)]
    const delays = Array.from({ length: 81 }, (_, i) => ({ moved: i - 40, alike: correlation(c, d, i - 40) }))
    const { moved } = delays.reduce((best, one) => (one.alike > best.alike ? one : best))
    const alike = correlation(a, b, moved)
    assert.ok(alike > 0.99, `${file}: ${alike}`)
  }
})

const MiB = 16

const thread = new Worker(new URL('modules.test-support.ts', import.meta.url))
const [measured] = (await once(thread, 'message')) as [Measurements]
await thread.terminate()

test('limits the memory of each decoder as its module declares', () => {
  assert.deepEqual(
    measured.amr.map(({ most }) => most),
    [16 * MiB],
  )
  for (const [found, most] of [
    [measured.mp3, 17],
    [measured.opus, 28],
  ] as const) {
    // Another module unpacks the decoder and sees nothing else.
    const memory = found.at(-1)
    assert.ok(memory && memory.most <= most * MiB, `${memory?.most} pages`)
    assert.equal(memory.used, memory.most)
  }
})

test('encodes one second at a time, so that the memory of the encoder does not grow', () => {
  assert.deepEqual(
    measured.encoder.map(({ used }) => used),
    [16 * MiB],
  )
  assert.ok(Math.abs(measured.bytes / 4000 - 30) < 0.2)
})
