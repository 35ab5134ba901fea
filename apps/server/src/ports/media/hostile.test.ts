import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  getBytes,
  collect,
  inMemory,
  media_files,
  skip,
  sniffBytes,
  getSource,
  tools,
} from '../../testing/media-files.ts'
import {
  type Container,
  CONTAINERS,
  MediaError,
  type MediaErrorCode,
  type MediaSource,
  type Probe,
} from './port.ts'
import { peaks, probe } from './probe.ts'
import { renderAudio, renderVideo } from './render.ts'
import { sniff } from './sniff.ts'
import { unconfined } from './tools.ts'

const fails = (code: MediaErrorCode) => (error: unknown) => error instanceof MediaError && error.code === code
const amr = () => getBytes('calls/en-limit-order.amr')
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
    for (const [nth, text] of texts.map((text) => Buffer.from(text)).entries()) {
      await assert.rejects(probe(tools!, getSource(text), sniffBytes(text)), fails('unsupported'))
      // Even with a wrong sniffed format, every permitted demuxer refuses it.
      for (const container of nth === 0 ? CONTAINERS : []) {
        const lie = about(container)
        await assert.rejects(collect(renderAudio(tools!, getSource(text), lie).chunks), MediaError, container)
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
    const bytes = Buffer.from(getBytes(file))
    // The same garbage every time: random noise is now and then a valid recording.
    for (let at = 40; at < bytes.length; at++) bytes[at] = (at * 167 + (at >> 3) * 59) % 251
    await assert.rejects(probe(tools!, getSource(bytes), sniffBytes(getBytes(file))), fails('corrupt'), file)
  }
  const cut = getBytes('formats/h264-aac-moov-last.mp4').subarray(0, 6000)
  await assert.rejects(probe(tools!, getSource(cut), sniffBytes(cut)), fails('corrupt'))
  await assert.rejects(renderVideo(tools!, getSource(cut), about('mp4'), inMemory), fails('corrupt'))
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
  const film = getBytes('formats/h264-aac-moov-last.mp4')
  await assert.rejects(renderVideo(tools!, broken(film), about('mp4'), inMemory), forged)
})

test('ends a run at the limits of time, duration and size', { skip }, async () => {
  const render = (limits: object, probed = about('amr')) =>
    collect(renderAudio(tools!, getSource(amr()), probed, { limits }).chunks)
  await assert.rejects(render({ output_bytes: 1000 }), fails('limit'))
  await assert.rejects(
    async () => render({ media_seconds: 10 }, { ...about('amr'), duration: 41 }),
    fails('limit'),
  )
  await assert.rejects(
    peaks(tools!, getSource(amr()), about('amr'), { limits: { media_seconds: 10 } }),
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
  await assert.rejects(collect(renderAudio(missing, getSource(amr()), about('amr')).chunks), fails('no_tool'))
})

test('detects the type of every file from its bytes, not its name', () => {
  for (const { file, content_type } of media_files) {
    const sniffed = sniffBytes(getBytes(file))
    // Only ffprobe knows whether a 3GP contains pictures.
    const expected = content_type === 'audio/3gpp' ? 'video/3gpp' : content_type
    assert.equal(sniffed.content_type, expected, file)
  }
})

test('detects the audio codec from the first bytes where possible', () => {
  const codec = (file: string) => sniffBytes(getBytes(`formats/${file}`)).codec
  assert.equal(codec('amr-nb.amr'), 'amr_nb')
  assert.equal(codec('amr-wb.amr'), 'amr_wb')
  assert.equal(codec('gsm.wav'), 'gsm_ms')
  assert.equal(codec('mulaw.wav'), 'pcm_mulaw')
  assert.equal(codec('opus.ogg'), 'opus')
  assert.equal(codec('speex.ogg'), 'speex')
  assert.equal(codec('h264-amr.3gp'), undefined)
})

test('treats playlists and scripts as text and JSON as JSON', () => {
  const container = (text: string) => sniff(Buffer.from(text)).container
  assert.equal(container('#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1/x.ts\n'), 'text')
  assert.equal(container('ffconcat version 1.0\nfile /etc/passwd\n'), 'text')
  assert.equal(container("file 'x.wav'\n"), 'text')
  assert.equal(container('<MPD><BaseURL>http://127.0.0.1/</BaseURL></MPD>'), 'text')
  assert.equal(container('{"bundle_version": 1}'), 'json')
  assert.equal(container('[1, 2]'), 'json')
  assert.equal(container('[draft] hello'), 'text')
  assert.equal(container('Olá, ação'), 'text')
})

test('accepts text cut within a character and rejects control characters', () => {
  assert.equal(sniff(Buffer.from('ação').subarray(0, 3)).container, 'text')
  assert.equal(sniff(Buffer.from('a\0b')).container, 'unknown')
  assert.equal(sniff(Buffer.alloc(0)).container, 'unknown')
})

test('returns a known container for any bytes, also after a valid signature', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) =>
      CONTAINERS.includes(sniff(Buffer.from(bytes)).container),
    ),
  )
  const magic = ['#!AMR\n', 'ftyp', 'RIFF', 'OggS', 'fLaC', 'ID3', '\x1a\x45\xdf\xa3', '\xff\xfb', '\xff\xf1']
  const near = fc.tuple(fc.constantFrom(...magic), fc.uint8Array({ maxLength: 64 }))
  fc.assert(
    fc.property(near, ([head, rest]) => {
      const bytes = Buffer.concat([Buffer.from(head, 'latin1'), rest])
      return CONTAINERS.includes(sniff(bytes).container)
    }),
  )
})

test('detects the types and durations that the manifest states', { skip }, async () => {
  for (const { file, content_type, duration } of media_files) {
    if (duration === undefined) continue
    const bytes = getBytes(file)
    const probed = await probe(tools!, getSource(bytes), sniffBytes(bytes))
    assert.equal(probed.content_type, content_type, file)
    // The length of raw AMR and ADTS is estimated from their bit rate; a film lasts a little longer than its sound.
    assert.ok(
      Math.abs(probed.duration! - duration) < 0.25 + 0.06 * duration,
      `${file}: ${probed.duration} against ${duration}`,
    )
  }
})

test('reports dimensions and channels', { skip }, async () => {
  const ask = (file: string) => probe(tools!, getSource(getBytes(file)), sniffBytes(getBytes(file)))
  assert.deepEqual((await ask('formats/stereo.wav')).audio, {
    codec: 'pcm_s16le',
    channels: 2,
    sample_rate: 8000,
  })
  const film = await ask('formats/h264-aac-moov-last.mp4')
  assert.deepEqual(film.video, {
    codec: 'h264',
    width: 176,
    height: 144,
    pixel_format: 'yuv420p',
    frames: 24,
  })
  const photo = await ask('photos/whiteboard.jpg')
  assert.deepEqual([photo.video?.width, photo.video?.height, photo.duration], [1280, 960, undefined])
})

test('computes waveform, duration and pauses of a recorded call', { skip }, async () => {
  // AMR is compared with the built-in decoder; the others are decoded by it alone.
  const calls = media_files.filter(({ kind, file }) => kind === 'call' && file.endsWith('.m4a'))
  assert.ok(calls.length > 0)
  for (const { file, duration, pauses } of calls) {
    const bytes = getBytes(file)
    const source = getSource(bytes)
    const made = await peaks(tools!, source, await probe(tools!, source, sniffBytes(bytes)))
    assert.ok(Math.abs(made.duration - duration!) < 0.2, file)
    assert.ok(made.peaks.length > 2000 && made.peaks.length <= 8000)
    assert.ok(made.peaks.every((value) => Number.isInteger(value) && value >= -128 && value <= 127))
    assert.ok(Math.max(...made.peaks) > 20, `${file} is heard`)
    for (const [start, end] of pauses!) {
      const overlap = ([from, to]: [number, number]) => Math.min(to, end) - Math.max(from, start)
      assert.ok(
        made.silences.some((silence) => overlap(silence) > 0.8 * (end - start) - 0.3),
        `${file} pauses at ${start}`,
      )
    }
    const silent = made.silences.reduce((sum, [from, to]) => sum + to - from, 0)
    assert.ok(silent < 0.4 * made.duration, `${file} is not taken for silent`)
  }
})
