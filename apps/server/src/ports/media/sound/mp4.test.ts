import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { getBytes } from '../../../testing/media-files.ts'
import { box, u32 } from '../bombs.test-support.ts'
import { MediaError, type MediaErrorCode } from '../port.ts'
import { Reader } from '../reader.ts'
import { cutFrames, rawFrames } from './amr.ts'
import { mp4Samples, mp4Tracks } from './mp4-tracks.ts'
import { oggPages } from './opus.ts'
import { decodeWav, wavSound } from './wav.ts'

/** Frames of AMR at 12.2 kbit/s, each with its number. */
const frames = (count: number) =>
  Buffer.concat(Array.from({ length: count }, (_, i) => Buffer.alloc(32, i).fill(0x3c, 0, 1)))
const DATA = 16
const honest: Mp4File = {
  data: frames(10),
  sizes: u32(0, 32, 10),
  chunks: u32(0, 3, DATA, DATA + 4 * 32, DATA + 8 * 32),
  runs: u32(0, 2, 1, 4, 1, 3, 2, 1),
}

/** Reads all samples, and counts the fetched bytes. */
async function read(bytes: Buffer) {
  let fetched = 0
  const reader = new Reader(bytes.length, async (start, end) => {
    fetched += end - start
    return bytes.subarray(start, end)
  })
  const tracks = await mp4Tracks(reader)
  const samples: Buffer[] = []
  const [track] = tracks
  if (track?.tables)
    for await (const sample of mp4Samples(reader, track.tables)) samples.push(Buffer.from(sample))
  return { tracks, samples, fetched }
}
const fails = (code: MediaErrorCode) => (error: unknown) => error instanceof MediaError && error.code === code

test('returns samples in order from every kind of table', async () => {
  const each = u32(0, 0, 10, ...Array.from({ length: 10 }, () => 32))
  const wide = u32(0, 3, 0, DATA, 0, DATA + 4 * 32, 0, DATA + 8 * 32)
  for (const file of [honest, { ...honest, sizes: each }, { ...honest, chunks: wide, wide: true }]) {
    const { tracks, samples } = await read(mp4File(file))
    assert.equal(tracks[0]?.codec, 'amr_nb')
    assert.deepEqual(Buffer.concat(samples), frames(10))
  }
})

test('reports the encoder delay but no pause before the start', async () => {
  assert.equal((await read(mp4File({ ...honest, skipped: 50 }))).tracks[0]?.delay, 50 / 8000)
  assert.equal((await read(mp4File({ ...honest, skipped: -1 }))).tracks[0]?.delay, 0)
})

test('leaves out samples beyond the end of a truncated file', async () => {
  const { samples } = await read(mp4File({ ...honest, chunks: u32(0, 3, DATA, DATA + 4 * 32, 1e9) }))
  assert.deepEqual(Buffer.concat(samples), frames(8))
})

test('refuses impossible counts and tables as corrupt', async () => {
  const lies: Partial<Mp4File>[] = [
    { sizes: u32(0, 0, 0xffffffff) },
    { sizes: u32(0, 32, 0xffffffff) },
    { sizes: u32(0, 0xffffffff, 1) },
    { sizes: u32(0, 1_000_000, 2) },
    { chunks: u32(0, 0xffffffff, DATA) },
    { runs: u32(0, 0xffffffff, 1, 4, 1) },
    { runs: u32(0, 1, 2, 4, 1) },
    { runs: u32(0, 2, 1, 4, 1, 1, 2, 1) },
    { runs: u32(0, 1, 1, 4, 7) },
    { runs: u32(0, 0) },
  ]
  for (const lie of lies)
    await assert.rejects(read(mp4File({ ...honest, ...lie })), fails('corrupt'), JSON.stringify(lie))
})

test('refuses overlapping samples that exceed the size of the file', async () => {
  // A thousand chunks that all refer to the same ten frames.
  const chunks = u32(0, 1000, ...Array.from({ length: 1000 }, () => DATA))
  const sizes = u32(0, 0, 10_000, ...Array.from({ length: 10_000 }, () => 32))
  const file = mp4File({ ...honest, chunks, sizes, runs: u32(0, 1, 1, 10, 1) })
  await assert.rejects(read(file), fails('corrupt'))
})

test('refuses an index that scatters reads across the file', async () => {
  const data = Buffer.alloc(12 * 1024 * 1024)
  const at = (i: number) => DATA + ((i * 7_919_003) % (data.length - 1))
  const count = 40_000
  const chunks = u32(0, count, ...Array.from({ length: count }, (_, i) => at(i)))
  const file = mp4File({ data, chunks, sizes: u32(0, 1, count), runs: u32(0, 1, 1, 1, 1) })
  await assert.rejects(read(file), fails('limit'))
})

test('reports several sample entries as unsupported and a missing index as corrupt', async () => {
  const file = mp4File(honest)
  const at = file.indexOf('stsd') + 8
  const several = Buffer.from(file)
  several.writeUInt32BE(2, at)
  await assert.rejects(read(several), fails('unsupported'))
  await assert.rejects(read(file.subarray(0, 200)), fails('corrupt'))
  await assert.rejects(read(Buffer.alloc(0)), fails('corrupt'))
})

test('reads little and fails only with media errors after any change to a file', async () => {
  const originals = [
    mp4File(honest),
    getBytes('formats/amr-nb.3gp'),
    getBytes('formats/h264-aac-moov-last.mp4'),
  ]
  const change = fc.record({
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    value: fc.constantFrom(0, 1, 2, 7, 8, 0x7f, 0x80, 0xff),
    length: fc.integer({ min: 1, max: 9 }),
  })
  const input = fc.record({
    original: fc.constantFrom(...originals),
    changes: fc.array(change, { minLength: 1, maxLength: 6 }),
    kept: fc.double({ min: 0.05, max: 1, noNaN: true }),
  })
  await fc.assert(
    fc.asyncProperty(input, async ({ original, changes, kept }) => {
      const bytes = Buffer.from(original.subarray(0, Math.ceil(original.length * kept)))
      // Half of the changes affect the index, where they matter.
      const index = Math.max(0, bytes.indexOf('moov'))
      changes.forEach(({ at, value, length }, i) => {
        const from = i % 2 ? index : 0
        const start = from + Math.floor(at * (bytes.length - from))
        bytes.fill(value, start, Math.min(start + length, bytes.length))
      })
      try {
        const { samples, fetched } = await read(bytes)
        assert.ok(samples.reduce((sum, { length }) => sum + length, 0) <= bytes.length)
        assert.ok(fetched <= 16 * (bytes.length + 8 * 256 * 1024))
      } catch (error) {
        assert.ok(error instanceof MediaError, String(error))
      }
    }),
    { numRuns: 300 },
  )
})

interface Mp4File {
  data: Buffer
  sizes: Buffer
  chunks: Buffer
  runs: Buffer
  /** Units of 1/8000 s. */
  skipped?: number
  entry?: string
  wide?: boolean
}

/** One AMR track behind its data, which begins at byte 16. */
function mp4File({ data, sizes, chunks, runs, skipped, entry = 'samr', wide = false }: Mp4File): Buffer {
  const description = Buffer.concat([u32(36 + 9, 0), Buffer.alloc(28), box('damr', Buffer.alloc(1))])
  description.write(entry, 4, 'latin1')
  const index = box(
    'stbl',
    box('stsd', u32(0, 1), description),
    box('stsz', sizes),
    box(wide ? 'co64' : 'stco', chunks),
    box('stsc', runs),
  )
  const media = box(
    'mdia',
    box('mdhd', u32(0, 0, 0, 8000, 160_000, 0)),
    box('hdlr', u32(0, 0), Buffer.from('soun'), Buffer.alloc(12)),
    box('minf', index),
  )
  const edits = skipped === undefined ? [] : [box('edts', box('elst', u32(0, 1, 1000, skipped, 0x10000)))]
  return Buffer.concat([box('ftyp'), box('mdat', data), box('moov', box('trak', ...edits, media))])
}

const getReader = (bytes: Buffer) =>
  new Reader(bytes.length, async (start, end) => bytes.subarray(start, end))
async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const held: T[] = []
  for await (const item of items) held.push(item)
  return held
}

test('cuts frames at their ends and replaces unknown types with silence of the same length', () => {
  const speech = Buffer.alloc(13, 0x55).fill(0x04, 0, 1)
  const unknown = Buffer.from([0x5c]) // Type 11.
  const cut = cutFrames('amr_nb', Buffer.concat([speech, unknown, speech, speech.subarray(0, 5)]))
  assert.equal(cut.count, 3)
  assert.deepEqual(cut.bytes, Buffer.concat([speech, Buffer.from([0x7c]), speech]))
  assert.deepEqual(cut.rest, speech.subarray(0, 5))
  assert.equal(cutFrames('amr_wb', Buffer.from([0x74, 0x6c])).bytes.toString('hex'), '747c')
})

test('joins Ogg packets across pages and loses only one page to damage', async () => {
  const bytes = getBytes('calls/en-fx-quote.ogg')
  const pages = await all(oggPages(getReader(bytes)))
  assert.equal(pages[0]?.packets[0]?.toString('latin1', 0, 8), 'OpusHead')
  assert.equal(pages[1]?.packets[0]?.toString('latin1', 0, 8), 'OpusTags')
  assert.ok(pages.at(-1)?.is_last)
  const broken = Buffer.from(bytes)
  const third = bytes.indexOf('OggS', bytes.indexOf('OggS', bytes.indexOf('OggS', 4) + 4) + 4)
  broken.write('Oggs', third, 'latin1')
  assert.equal((await all(oggPages(getReader(broken)))).length, pages.length - 1)
})

test('fails only with media errors on noise and returns no more data than exists', async () => {
  const originals = [
    'formats/opus.ogg',
    'formats/pcm.wav',
    'formats/mulaw.wav',
    'formats/stereo.wav',
    'formats/amr-wb.amr',
  ].map(getBytes)
  const input = fc.record({
    original: fc.constantFrom(...originals),
    noise: fc.uint8Array({ minLength: 1, maxLength: 40 }),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    near: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(input, async ({ original, noise, at, near }) => {
      const bytes = Buffer.from(original)
      bytes.set(noise, Math.floor(at * ((near ? 100 : bytes.length) - noise.length)))
      const reader = getReader(bytes)
      const packets = (await all(oggPages(reader))).flatMap((page) => page.packets)
      assert.ok(packets.reduce((sum, packet) => sum + packet.length, 0) <= bytes.length)
      for (const codec of ['amr_nb', 'amr_wb'] as const) {
        const frames = await all(rawFrames(reader, codec))
        assert.ok(frames.reduce((sum, piece) => sum + piece.bytes.length, 0) <= bytes.length)
      }
      try {
        const pcm = await all(decodeWav(reader, await wavSound(reader)))
        assert.ok(pcm.reduce((sum, { samples }) => sum + samples[0]!.length, 0) <= bytes.length)
      } catch (error) {
        assert.ok(error instanceof MediaError, String(error))
      }
    }),
    { numRuns: 200 },
  )
})
