import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { releaseAfterUse, kept } from './release-after-use.ts'

/** Like real consumers: reads each piece before it requests the next. */
async function* given(...pieces: Uint8Array[]) {
  yield* pieces
}

test('keeps a piece until the next one is requested and then releases its memory', async () => {
  const pieces = [randomBytes(200_000), randomBytes(70_000)].map((each) => new Uint8Array(each))
  const seen: Buffer[] = []
  for await (const piece of releaseAfterUse(given(...pieces))) {
    seen.push(Buffer.from(piece))
    assert.deepEqual(
      pieces.map(({ length }) => length),
      seen.length === 1 ? [200_000, 70_000] : [0, 70_000],
    )
  }
  assert.deepEqual(
    seen.map(({ length }) => length),
    [200_000, 70_000],
  )
  assert.deepEqual(
    pieces.map(({ buffer }) => buffer.byteLength),
    [0, 0],
  )
})

test('does not release shared or pooled memory', async () => {
  const whole = randomBytes(100_000)
  const pooled = Buffer.from('of the pool')
  const shared = new Uint8Array(new SharedArrayBuffer(1000))
  // A piece that fills a whole pool still belongs to the pool.
  const pool = new Uint8Array(Buffer.from('x').buffer)
  const pieces = [whole.subarray(0, 99_999), pooled, shared, pool]
  for await (const _ of releaseAfterUse(given(...pieces))) continue
  assert.deepEqual(
    pieces.map(({ length }) => length > 0),
    [true, true, true, true],
  )
})

test('keeps copies after the original memory is released', async () => {
  const content = new Uint8Array(randomBytes(100_000))
  const before = Buffer.from(content)
  const copies: Buffer[] = []
  for await (const piece of kept(releaseAfterUse(given(content)))) copies.push(piece)
  assert.deepEqual(Buffer.concat(copies), before)
})
