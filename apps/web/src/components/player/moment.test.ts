import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentSearch } from './moment.ts'

test('an address names a moment in seconds; what is none drops', () => {
  assert.deepEqual(momentSearch({ t: 93 }), { t: 93 })
  assert.deepEqual(momentSearch({ t: '12.5' }), { t: 12.5 })
  assert.deepEqual(momentSearch({ t: 0 }), { t: 0 })
  for (const t of [undefined, '', -1, '-1', 'x', Number.NaN, Infinity, null, [], true])
    assert.deepEqual(momentSearch({ t }), {}, String(t))
})
