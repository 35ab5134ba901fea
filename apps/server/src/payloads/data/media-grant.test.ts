import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { associatedData, EnvelopeError, type OpenedRange, seal } from '@custodia/envelope'
import fc from 'fast-check'
import type { AppContext } from '../../app-context.ts'
import { readWhole } from '../data-objects.ts'
import { readRange } from './data-headers.ts'
import { type Grant, openedObjects } from './media-grant.ts'

const CASES: [header: string | undefined, size: number, expected: [number, number] | 'whole' | undefined][] =
  [
    [undefined, 100, 'whole'],
    ['bytes=0-0', 100, [0, 1]],
    ['bytes=0-99', 100, [0, 100]],
    ['bytes=0-100', 100, [0, 100]],
    ['bytes=99-', 100, [99, 100]],
    ['bytes=100-', 100, undefined],
    ['bytes=5-4', 100, 'whole'],
    ['bytes=-10', 100, [90, 100]],
    ['bytes=-1000', 100, [0, 100]],
    ['bytes=-0', 100, undefined],
    ['bytes=-5', 0, undefined],
    ['bytes=0-', 0, undefined],
    ['bytes=-', 100, 'whole'],
    ['bytes=0-1,5-6', 100, 'whole'],
    ['items=0-1', 100, 'whole'],
    ['bytes=a-b', 100, 'whole'],
    ['Bytes=1-2', 100, [1, 3]],
    ['bytes=9999999999999999999-', 100, 'whole'],
  ]

for (const [header, size, expected] of CASES) {
  it(`reads ${header} of ${size} bytes`, () => {
    const range = readRange(header, size)
    assert.deepEqual(range && (range.is_partial ? [range.start, range.end] : 'whole'), expected)
  })
}

it('never returns a range outside the object', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(), fc.nat(), fc.nat(50), (noise, a, b, size) => {
      for (const header of [noise, `bytes=${noise}`, `bytes=${a}-${b}`, `bytes=-${a}`]) {
        const range = readRange(header, size)
        if (!range) continue
        assert.ok(range.start >= 0 && range.start <= range.end && range.end <= size)
        if (range.is_partial) assert.ok(range.start < range.end)
      }
    }),
  )
})

const DEK = randomBytes(32)
const PLAINTEXT = randomBytes(600_000)
const IDS = { client: 'acme', payload_reference: 'p', kind: 'original' } as const

/** A server of one sealed object that counts how often its key was unwrapped. */
async function singleClientContext() {
  const chunks: Buffer[] = []
  for await (const chunk of seal(DEK, associatedData(IDS), [PLAINTEXT] as never)) chunks.push(chunk)
  const sealed = Buffer.concat(chunks)
  const handedOut: Buffer[] = []
  const ctx = {
    now: () => 1000,
    keys: {
      unwrap: async () => {
        const dek = Buffer.from(DEK)
        handedOut.push(dek)
        return dek
      },
    },
    objects: {
      async *read(_key: string, { start, end }: { start: number; end: number }) {
        yield sealed.subarray(start, end)
      },
    },
  } as unknown as Pick<AppContext, 'keys' | 'objects' | 'now'>
  const grant = (address_id: string, seconds: number): Grant =>
    ({
      ...IDS,
      address_id,
      expires_at: 1000 + seconds,
      object: { ...IDS, object_key: 'k', sealed_size: sealed.length },
    }) as unknown as Grant
  return { ctx, grant, handedOut }
}

const isForgotten = (opened: OpenedRange) =>
  readWhole(opened).then(
    () => false,
    (error: unknown) => error instanceof EnvelopeError,
  )

it('opens an object once per address, and erases the data key', async () => {
  const { ctx, grant, handedOut } = await singleClientContext()
  const objects = openedObjects(ctx)
  for (const address of ['a', 'a', 'b', 'a'])
    assert.deepEqual(await objects.use(grant(address, 60), readWhole), PLAINTEXT)
  assert.equal(handedOut.length, 2)
  assert.ok(handedOut.every((dek) => dek.equals(Buffer.alloc(32))))
})

it('serves parallel first readers from one opened object', async () => {
  const { ctx, grant } = await singleClientContext()
  const objects = openedObjects(ctx)
  const all = await Promise.all(Array.from({ length: 8 }, () => objects.use(grant('a', 60), readWhole)))
  for (const each of all) assert.ok(each.equals(PLAINTEXT))
  assert.equal(objects.size, 1)
})

it('erases the opened key when the address expires, but not during a read', async () => {
  const { ctx, grant } = await singleClientContext()
  const objects = openedObjects(ctx)
  const [idle, read] = await Promise.all([
    objects.use(grant('idle', 0.02), async (opened) => opened),
    objects.use(grant('read', 0.02), async (opened) => {
      await pause(100)
      assert.equal(objects.size, 0)
      assert.deepEqual(await readWhole(opened), PLAINTEXT)
      return opened
    }),
  ])
  assert.deepEqual([await isForgotten(idle), await isForgotten(read)], [true, true])
})

it('keeps the 500 newest addresses', async () => {
  const { ctx, grant } = await singleClientContext()
  const objects = openedObjects(ctx)
  const first = await objects.use(grant('0', 60), async (opened) => opened)
  for (let i = 1; i <= 500; i++) await objects.use(grant(String(i), 60), async () => undefined)
  assert.equal(objects.size, 500)
  assert.equal(await isForgotten(first), true)
})
