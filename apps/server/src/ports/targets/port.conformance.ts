import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { TransferProblem } from '@custodia/contract'
import { type DeliveryItem, TargetProblem, type TargetSession } from './port.ts'

export const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

/** Expects a problem with this reason and detail. */
export const refuses = (work: Promise<unknown>, reason: TransferProblem, detail = /./) =>
  assert.rejects(work, (error) => {
    assert.ok(error instanceof TargetProblem, String(error))
    assert.equal(error.reason, reason, error.message)
    assert.match(error.message, detail)
    return true
  })

/** An unwrapped item that counts how often it was opened. */
export function getItem(path: string, content: Uint8Array): DeliveryItem & { opened(): number } {
  let opened = 0
  return {
    path,
    opened: () => opened,
    async *open() {
      opened++
      yield* briefPieces(content, () => 99_999)
    },
    sha256: sha256(content),
    size: content.length,
    format: { type: 'Uncompressed' },
  }
}

/** A target under test. */
interface TestedTarget {
  open(): Promise<TargetSession>
  /** The path of an item, by its path in an empty folder. */
  path(below: string): string
  /** What a delivery reports as its place. */
  place(path: string): string
  read(path: string): Promise<Buffer>
  /** All files in a folder of that path, also hidden and unfinished ones. */
  list(below: string): Promise<string[]>
}

/** The tests of every target. `sizes`: of whole items, and of items whose delivery fails. */
export function conformance(tested: () => TestedTarget, sizes: { whole: number[]; failing: number[] }) {
  test('receives items of any size whole, in new folders, and keeps one file after a repeat', async () => {
    const { open, path, place, read, list } = tested()
    const session = await open()
    for (const size of sizes.whole) {
      const content = randomBytes(size)
      const to = path(`a/2026/11/r%2F${size}.bin`)
      for (let times = 0; times < 2; times++) {
        const sum = sha256(content)
        assert.deepEqual(await session.deliver(getItem(to, content)), {
          dest_path: place(to),
          bytes: size,
          checksums: { decrypted: sum, encrypted: sum },
        })
      }
      assert.ok((await read(to)).equals(content))
    }
    await session.close()
    assert.equal((await list('a/2026/11')).length, sizes.whole.length)
  })

  test('keeps the previous file and nothing else after a failed delivery', async () => {
    const { open, path, read, list } = tested()
    const session = await open()
    for (const size of sizes.failing) {
      const to = path(`c/${size}.bin`)
      const content = randomBytes(size)
      await session.deliver(getItem(to, content))
      const other = getItem(to, randomBytes(size))
      await refuses(session.deliver({ ...other, sha256: sha256(content) }), 'source_differs')
      await refuses(session.deliver({ ...other, size: size + 1 }), 'source_differs')
      const broken = async function* () {
        yield randomBytes(size - 1)
        throw new Error('the archive cannot be read')
      }
      await refuses(session.deliver({ ...other, open: broken }), 'source_unreadable')
      assert.ok((await read(to)).equals(content))
    }
    await session.close()
    assert.equal((await list('c')).length, sizes.failing.length)
  })

  test('is tested with a file that is verified and removed', async () => {
    const { open, path, list } = tested()
    const session = await open()
    assert.deepEqual(await session.prove(path('probe')), { is_verified: true, is_removed: true })
    await session.close()
    assert.deepEqual(await list('probe'), [])
  })
}

/** Content in pieces whose memory is reused for the next piece. */
export function* briefPieces(content: Uint8Array, getSize: (last: number) => number): Generator<Buffer> {
  for (let at = 0, size = getSize(0); at < content.length; at += size, size = getSize(size)) {
    const piece = Buffer.from(content.subarray(at, at + size))
    yield piece
    piece.fill(0xee)
  }
}
