import assert from 'node:assert/strict'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { bytesOf, collect, inMemory, skip, sniffOf, sourceOf, tools } from '../../testing/media-files.ts'
import { unconfined } from './confinement.ts'
import { peaks } from './peaks.ts'
import {
  type Container,
  CONTAINERS,
  MediaError,
  type MediaErrorCode,
  type MediaSource,
  type Probe,
} from './port.ts'
import { probe } from './probe.ts'
import { renderAudio, renderVideo } from './render.ts'

const fails = (code: MediaErrorCode) => (error: unknown) => error instanceof MediaError && error.code === code
const amr = () => bytesOf('calls/en-limit-order.amr')
const about = (container: Container): Probe => ({
  content_type: 'audio/amr',
  container,
  audio: { codec: 'amr_nb', channels: 1, sample_rate: 8000 },
  video: { codec: 'h264', width: 16, height: 16 },
})

test('prevents ffmpeg from opening the addresses in a disguised playlist', { skip }, async () => {
  let visits = 0
  const bait = createServer((socket) => {
    visits++
    socket.destroy()
  })
  await new Promise<void>((resolve) => bait.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(bait.address() as AddressInfo).port}/x.wav`
  const texts = [
    `#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n${url}\n#EXT-X-ENDLIST\n`,
    `ffconcat version 1.0\nfile '${url}'\n`,
    `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>${url}</BaseURL></MPD>`,
  ]
  try {
    for (const text of texts.map((text) => Buffer.from(text))) {
      await assert.rejects(probe(tools!, sourceOf(text), sniffOf(text)), fails('unsupported'))
      // Even with a wrong sniffed format, every permitted demuxer refuses it.
      for (const container of CONTAINERS) {
        const lie = about(container)
        await assert.rejects(collect(renderAudio(tools!, sourceOf(text), lie).chunks), MediaError, container)
      }
    }
    assert.equal(visits, 0)
  } finally {
    bait.close()
  }
})

test('reports corrupt content after a valid header', { skip }, async () => {
  for (const file of [
    'formats/h264-aac.mp4',
    'formats/flac.flac',
    'formats/opus.ogg',
    'formats/vp9-opus.webm',
  ]) {
    const bytes = Buffer.from(bytesOf(file))
    // The same garbage every time: random noise is now and then a valid recording.
    for (let at = 40; at < bytes.length; at++) bytes[at] = (at * 167 + (at >> 3) * 59) % 251
    await assert.rejects(probe(tools!, sourceOf(bytes), sniffOf(bytesOf(file))), fails('corrupt'), file)
  }
  const cut = bytesOf('formats/h264-aac-moov-last.mp4').subarray(0, 6000)
  await assert.rejects(probe(tools!, sourceOf(cut), sniffOf(cut)), fails('corrupt'))
  await assert.rejects(renderVideo(tools!, sourceOf(cut), about('mp4'), inMemory), fails('corrupt'))
})

test('passes on read errors of the source unchanged, by pipe and by address', { skip }, async () => {
  const broken = (bytes: Buffer): MediaSource => ({
    size: bytes.length,
    async *read(start) {
      yield bytes.subarray(start, start + 500)
      throw new RangeError('segment 3 is forged')
    },
  })
  const forged = { name: 'RangeError', message: 'segment 3 is forged' }
  await assert.rejects(collect(renderAudio(tools!, broken(amr()), about('amr')).chunks), forged)
  await assert.rejects(peaks(tools!, broken(amr()), about('amr')), forged)
  const film = bytesOf('formats/h264-aac-moov-last.mp4')
  await assert.rejects(renderVideo(tools!, broken(film), about('mp4'), inMemory), forged)
})

test('ends a run at the limits of time, duration and size', { skip }, async () => {
  const render = (limits: object, probed = about('amr')) =>
    collect(renderAudio(tools!, sourceOf(amr()), probed, { limits }).chunks)
  await assert.rejects(render({ output_bytes: 1000 }), fails('limit'))
  await assert.rejects(
    async () => render({ media_seconds: 10 }, { ...about('amr'), duration: 41 }),
    fails('limit'),
  )
  await assert.rejects(
    peaks(tools!, sourceOf(amr()), about('amr'), { limits: { media_seconds: 10 } }),
    fails('limit'),
  )
  const slow: MediaSource = {
    size: 1e6,
    async *read() {
      yield amr().subarray(0, 100)
      await new Promise((resolve) => setTimeout(resolve, 1500))
    },
  }
  await assert.rejects(
    collect(renderAudio(tools!, slow, about('amr'), { limits: { run_seconds: 0.3 } }).chunks),
    fails('limit'),
  )
})

test('lets the caller abort a run and ends ffmpeg when the caller stops reading', { skip }, async () => {
  const signal = AbortSignal.timeout(50)
  const endless: MediaSource = {
    size: Number.MAX_SAFE_INTEGER,
    async *read() {
      yield Buffer.from('#!AMR\n')
      for (;;) yield amr().subarray(6)
    },
  }
  await assert.rejects(collect(renderAudio(tools!, endless, about('amr'), { signal }).chunks), {
    name: 'TimeoutError',
  })
  for await (const chunk of renderAudio(tools!, endless, about('amr')).chunks) {
    assert.ok(chunk.length > 0)
    break
  }
})

test('reports no_tool when the program is missing', async () => {
  const missing = {
    ffmpeg: '/nowhere/ffmpeg',
    ffprobe: '/nowhere/ffprobe',
    ffmpeg_version: '0',
    ffprobe_version: '0',
    confinement: unconfined,
  }
  await assert.rejects(collect(renderAudio(missing, sourceOf(amr()), about('amr')).chunks), fails('no_tool'))
})
