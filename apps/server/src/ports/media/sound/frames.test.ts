import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf } from '../../../testing/media-files.ts'
import { MediaError } from '../port.ts'
import { cutFrames, rawFrames } from './amr-frames.ts'
import { Blocks } from './blocks.ts'
import { oggPages } from './ogg-pages.ts'
import { decodeWav, wavSound } from './wav.ts'

const blocksOf = (bytes: Buffer) => new Blocks(bytes.length, async (start, end) => bytes.subarray(start, end))
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

test('reads all frames of a raw file without loss', async () => {
  for (const [file, codec] of [
    ['calls/en-limit-order.amr', 'amr_nb'],
    ['calls/en-complaint.amr', 'amr_wb'],
  ] as const) {
    const bytes = bytesOf(file)
    const pieces = await all(rawFrames(blocksOf(bytes), codec))
    const start = codec === 'amr_nb' ? 6 : 9
    assert.deepEqual(Buffer.concat(pieces.map((piece) => piece.bytes)), bytes.subarray(start))
  }
})

test('joins Ogg packets across pages and loses only one page to damage', async () => {
  const bytes = bytesOf('calls/en-fx-quote.ogg')
  const pages = await all(oggPages(blocksOf(bytes)))
  assert.equal(pages[0]?.packets[0]?.toString('latin1', 0, 8), 'OpusHead')
  assert.equal(pages[1]?.packets[0]?.toString('latin1', 0, 8), 'OpusTags')
  assert.ok(pages.at(-1)?.is_last)
  const broken = Buffer.from(bytes)
  const third = bytes.indexOf('OggS', bytes.indexOf('OggS', bytes.indexOf('OggS', 4) + 4) + 4)
  broken.write('Oggs', third, 'latin1')
  assert.equal((await all(oggPages(blocksOf(broken)))).length, pages.length - 1)
})

test('fails only with media errors on noise and returns no more data than exists', async () => {
  const originals = [
    'formats/opus.ogg',
    'formats/pcm.wav',
    'formats/mulaw.wav',
    'formats/stereo.wav',
    'formats/amr-wb.amr',
  ].map(bytesOf)
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
      const blocks = blocksOf(bytes)
      const packets = (await all(oggPages(blocks))).flatMap((page) => page.packets)
      assert.ok(packets.reduce((sum, packet) => sum + packet.length, 0) <= bytes.length)
      for (const codec of ['amr_nb', 'amr_wb'] as const) {
        const frames = await all(rawFrames(blocks, codec))
        assert.ok(frames.reduce((sum, piece) => sum + piece.bytes.length, 0) <= bytes.length)
      }
      try {
        const pcm = await all(decodeWav(blocks, await wavSound(blocks)))
        assert.ok(pcm.reduce((sum, { samples }) => sum + samples[0]!.length, 0) <= bytes.length)
      } catch (error) {
        assert.ok(error instanceof MediaError, String(error))
      }
    }),
    { numRuns: 200 },
  )
})
