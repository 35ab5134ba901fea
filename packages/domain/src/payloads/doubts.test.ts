import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { doubtsOf } from './doubts.ts'

// 2026-09-21T14:13:20Z
const DUBLIN = {
  payload_time: 1_790_000_000,
  timezone: 'Europe/Dublin',
  timezone_offset: 60,
  local_time: '2026-09-21T15:13:20',
}

describe('doubts', () => {
  for (const [name, change, doubts] of [
    ['none of what fits', {}, []],
    ['none of a phone that missed the end of summer time', { timezone_offset: 0 }, []],
    ['a zone that nobody knows', { timezone: 'Mars/Olympus' }, ['timezone']],
    ['a zone that is no word', { timezone: '🙂' }, ['timezone']],
    ['an offset of another zone', { timezone_offset: -180 }, ['timezone']],
    ['the 30th of February', { local_time: '2026-02-30T14:13:20' }, ['local_time']],
    ['the 25th hour', { local_time: '2026-09-21T25:00:00' }, ['local_time']],
    ['a day and a second before', { local_time: '2026-09-20T14:13:19' }, ['local_time']],
    ['none of a day before, to the second', { local_time: '2026-09-20T14:13:20' }, []],
    ['a year after', { local_time: '2027-09-21T14:13:20' }, ['local_time']],
    ['both', { timezone: 'Nowhere', local_time: '0000-00-00T00:00:00' }, ['timezone', 'local_time']],
  ] as const) {
    it(name, () => assert.deepEqual(doubtsOf({ ...DUBLIN, ...change }), doubts))
  }

  it('know zones west of Greenwich and at half hours', () => {
    const at = { payload_time: DUBLIN.payload_time, local_time: '2026-09-21T18:43:20' }
    assert.deepEqual(doubtsOf({ ...at, timezone: 'Asia/Kolkata', timezone_offset: 330 }), [])
    assert.deepEqual(doubtsOf({ ...at, timezone: 'America/Sao_Paulo', timezone_offset: -180 }), [])
    assert.deepEqual(doubtsOf({ ...at, timezone: 'UTC', timezone_offset: 0 }), [])
  })
})
