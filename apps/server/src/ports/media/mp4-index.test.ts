import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, collect, skip, sniffOf, sourceOf, tools } from '../../testing/media-files.ts'
import { boxes } from './mp4-boxes.ts'
import { withIndex } from './mp4-index.ts'
import { probe } from './probe.ts'
import { renderVideo } from './render.ts'

const film = async () => {
  const bytes = bytesOf('videos/vistoria-obra.3gp')
  const source = sourceOf(bytes)
  const probed = await probe(tools!, source, sniffOf(bytes))
  return { probed, bytes: await collect(renderVideo(tools!, source, probed).chunks) }
}

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('the index of each track leads to every fragment and adds up to the length', { skip }, async () => {
  const { probed, bytes } = await film()
  const all = boxes(bytes)
  assert.equal(all.at(-1)?.end, bytes.length)
  const moofs = all.filter((box) => box.type === 'moof').map((box) => box.start)
  assert.ok(moofs.length >= 3)
  const indexes = all.filter((box) => box.type === 'sidx')
  assert.equal(indexes.length, 2)
  for (const index of indexes) {
    const timescale = bytes.readUInt32BE(index.start + 16)
    let at = index.end + Number(bytes.readBigUInt64BE(index.start + 28))
    let ticks = 0
    const count = bytes.readUInt16BE(index.start + 38)
    const starts: number[] = []
    for (let i = 0; i < count; i++) {
      starts.push(at)
      at += bytes.readUInt32BE(index.start + 40 + 12 * i)
      ticks += bytes.readUInt32BE(index.start + 44 + 12 * i)
    }
    assert.deepEqual(starts, moofs)
    assert.equal(at, bytes.length)
    assert.ok(Math.abs(ticks / timescale - probed.duration!) < 0.25, `${ticks / timescale}`)
  }
})

test('what is larger than may be held passes through whole and unindexed', { skip }, async () => {
  const { bytes } = await film()
  const bare = Buffer.concat(
    boxes(bytes)
      .filter((box) => box.type !== 'sidx')
      .map((box) => bytes.subarray(box.start, box.end)),
  )
  const largest = Math.max(...boxes(bare).map((box) => box.end - box.start))
  assert.ok(bare.equals(await collect(withIndex(inPieces(bare, 777), largest))))
  assert.ok(bytes.equals(await collect(withIndex(inPieces(bare, 777), 1e9))), 'chunks may be cut anywhere')
})

test('what is no MP4 is refused', async () => {
  await assert.rejects(
    collect(withIndex(inPieces(Buffer.from('this is no film at all'), 5), 1e6)),
    RangeError,
  )
})
