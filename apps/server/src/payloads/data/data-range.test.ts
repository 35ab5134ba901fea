import assert from 'node:assert/strict'
import { it } from 'node:test'
import fc from 'fast-check'
import { readRange } from './data-range.ts'

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
