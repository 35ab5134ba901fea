import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf } from '../../../testing/media-files.ts'
import { MediaError, type MediaErrorCode } from '../port.ts'
import { Blocks } from './blocks.ts'
import { type Mp4File, mp4File, words } from './mp4-file.test-support.ts'
import { mp4Samples } from './mp4-samples.ts'
import { mp4Tracks } from './mp4-tracks.ts'

/** Frames of AMR at 12.2 kbit/s, each with its number. */
const frames = (count: number) =>
  Buffer.concat(Array.from({ length: count }, (_, i) => Buffer.alloc(32, i).fill(0x3c, 0, 1)))
const DATA = 16
const honest: Mp4File = {
  data: frames(10),
  sizes: words(0, 32, 10),
  chunks: words(0, 3, DATA, DATA + 4 * 32, DATA + 8 * 32),
  runs: words(0, 2, 1, 4, 1, 3, 2, 1),
}

/** Reads all samples, and counts the fetched bytes. */
async function read(bytes: Buffer) {
  let fetched = 0
  const blocks = new Blocks(bytes.length, async (start, end) => {
    fetched += end - start
    return bytes.subarray(start, end)
  })
  const tracks = await mp4Tracks(blocks)
  const samples: Buffer[] = []
  const [track] = tracks
  if (track?.tables)
    for await (const sample of mp4Samples(blocks, track.tables)) samples.push(Buffer.from(sample))
  return { tracks, samples, fetched }
}
const fails = (code: MediaErrorCode) => (error: unknown) => error instanceof MediaError && error.code === code

test('returns samples in order from every kind of table', async () => {
  const each = words(0, 0, 10, ...Array.from({ length: 10 }, () => 32))
  const wide = words(0, 3, 0, DATA, 0, DATA + 4 * 32, 0, DATA + 8 * 32)
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
  const { samples } = await read(mp4File({ ...honest, chunks: words(0, 3, DATA, DATA + 4 * 32, 1e9) }))
  assert.deepEqual(Buffer.concat(samples), frames(8))
})

test('returns all samples of a real recording', async () => {
  const { samples } = await read(bytesOf('calls/en-wire-callback.3gp'))
  assert.equal(samples.length, 1675)
})

test('refuses impossible counts and tables as corrupt', async () => {
  const lies: Partial<Mp4File>[] = [
    { sizes: words(0, 0, 0xffffffff) },
    { sizes: words(0, 32, 0xffffffff) },
    { sizes: words(0, 0xffffffff, 1) },
    { sizes: words(0, 1_000_000, 2) },
    { chunks: words(0, 0xffffffff, DATA) },
    { runs: words(0, 0xffffffff, 1, 4, 1) },
    { runs: words(0, 1, 2, 4, 1) },
    { runs: words(0, 2, 1, 4, 1, 1, 2, 1) },
    { runs: words(0, 1, 1, 4, 7) },
    { runs: words(0, 0) },
  ]
  for (const lie of lies)
    await assert.rejects(read(mp4File({ ...honest, ...lie })), fails('corrupt'), JSON.stringify(lie))
})

test('refuses overlapping samples that exceed the size of the file', async () => {
  // A thousand chunks that all refer to the same ten frames.
  const chunks = words(0, 1000, ...Array.from({ length: 1000 }, () => DATA))
  const sizes = words(0, 0, 10_000, ...Array.from({ length: 10_000 }, () => 32))
  const file = mp4File({ ...honest, chunks, sizes, runs: words(0, 1, 1, 10, 1) })
  await assert.rejects(read(file), fails('corrupt'))
})

test('refuses an index that scatters reads across the file', async () => {
  const data = Buffer.alloc(12 * 1024 * 1024)
  const at = (i: number) => DATA + ((i * 7_919_003) % (data.length - 1))
  const count = 40_000
  const chunks = words(0, count, ...Array.from({ length: count }, (_, i) => at(i)))
  const file = mp4File({ data, chunks, sizes: words(0, 1, count), runs: words(0, 1, 1, 1, 1) })
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
    bytesOf('formats/amr-nb.3gp'),
    bytesOf('formats/h264-aac-moov-last.mp4'),
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
    { numRuns: 1500 },
  )
})
