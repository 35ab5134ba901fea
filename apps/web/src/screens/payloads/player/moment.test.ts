import assert from 'node:assert/strict'
import { test } from 'node:test'
import { momentSearch } from './moment.ts'

test('an address keeps a valid time in seconds and drops an invalid one', () => {
  assert.deepEqual(momentSearch({ t: 93 }), { t: 93 })
  assert.deepEqual(momentSearch({ t: '12.5' }), { t: 12.5 })
  assert.deepEqual(momentSearch({ t: 0 }), { t: 0 })
  for (const t of [undefined, '', -1, '-1', 'x', Number.NaN, Infinity, null, [], true])
    assert.deepEqual(momentSearch({ t }), {}, String(t))
})
