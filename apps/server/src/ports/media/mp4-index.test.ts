import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, collect, inMemory, skip, sniffOf, sourceOf, tools } from '../../testing/media-files.ts'
import { boxes } from './mp4-boxes.ts'
import { withIndex } from './mp4-index.ts'
import { probe } from './probe.ts'
import { renderVideo } from './render.ts'

const film = async () => {
  const bytes = bytesOf('videos/vistoria-obra.3gp')
  const source = sourceOf(bytes)
  const probed = await probe(tools!, source, sniffOf(bytes))
  return { probed, bytes: await collect((await renderVideo(tools!, source, probed, inMemory)).chunks) }
}

async function* inPieces(bytes: Buffer, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('writes an index per track that covers every fragment and the whole duration', { skip }, async () => {
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

test(
  'accepts chunks cut anywhere and groups fragments when there are too many for one index',
  { skip },
  async () => {
    const { bytes } = await film()
    const all = boxes(bytes).filter((box) => box.type !== 'sidx')
    const bare = Buffer.concat(all.map((box) => bytes.subarray(box.start, box.end)))
    assert.ok(bytes.equals(await collect(await withIndex(inPieces(bare, 777), inMemory))))

    const [moof, mdat] = ['moof', 'mdat'].map((type) => all.find((box) => box.type === type)!)
    const fragment = Buffer.concat([
      bytes.subarray(moof!.start, moof!.end),
      Buffer.from([0, 0, 0, 8]),
      Buffer.from('mdat'),
    ])
    assert.ok(mdat)
    async function* long() {
      for (const { type, start, end } of all)
        if (type === 'ftyp' || type === 'moov') yield bytes.subarray(start, end)
      for (let i = 0; i < 70_000; i++) yield fragment
    }
    let size = 0
    const made = await withIndex(long(), async (chunks) => {
      for await (const chunk of chunks) size += chunk.length
      return async function* () {}
    })
    const head = await collect(made)
    const [index] = boxes(head).filter((box) => box.type === 'sidx')
    const count = head.readUInt16BE(index!.start + 38)
    assert.equal(count, 35_000)
    let named = 0
    for (let i = 0; i < count; i++) named += head.readUInt32BE(index!.start + 40 + 12 * i)
    assert.equal(named, size)
  },
)

test('refuses a file that is not MP4', async () => {
  await assert.rejects(withIndex(inPieces(Buffer.from('this is no film at all'), 5), inMemory), RangeError)
})
