import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { timeWarningsOf } from './time-warnings.ts'

// 2026-09-21T14:13:20Z
const DUBLIN = {
  payload_time: 1_790_000_000,
  timezone: 'Europe/Dublin',
  timezone_offset: 60,
  local_time: '2026-09-21T15:13:20',
}

describe('metadata warnings', () => {
  for (const [name, change, warnings] of [
    ['are absent for consistent metadata', {}, []],
    ['are absent for a device that missed the end of summer time', { timezone_offset: 0 }, []],
    ['report an unknown time zone', { timezone: 'Mars/Olympus' }, ['timezone']],
    ['report a malformed time zone', { timezone: '🙂' }, ['timezone']],
    ['report an offset of another zone', { timezone_offset: -180 }, ['timezone']],
    ['report the 30th of February', { local_time: '2026-02-30T14:13:20' }, ['local_time']],
    ['report the 25th hour', { local_time: '2026-09-21T25:00:00' }, ['local_time']],
    ['report a local time more than a day before', { local_time: '2026-09-20T14:13:19' }, ['local_time']],
    ['are absent for a local time exactly a day before', { local_time: '2026-09-20T14:13:20' }, []],
    ['report a local time a year after', { local_time: '2027-09-21T14:13:20' }, ['local_time']],
    [
      'report time zone and local time together',
      { timezone: 'Nowhere', local_time: '0000-00-00T00:00:00' },
      ['timezone', 'local_time'],
    ],
  ] as const) {
    it(name, () => assert.deepEqual(timeWarningsOf({ ...DUBLIN, ...change }), warnings))
  }

  it('support zones west of Greenwich and at half hours', () => {
    const at = { payload_time: DUBLIN.payload_time, local_time: '2026-09-21T18:43:20' }
    assert.deepEqual(timeWarningsOf({ ...at, timezone: 'Asia/Kolkata', timezone_offset: 330 }), [])
    assert.deepEqual(timeWarningsOf({ ...at, timezone: 'America/Sao_Paulo', timezone_offset: -180 }), [])
    assert.deepEqual(timeWarningsOf({ ...at, timezone: 'UTC', timezone_offset: 0 }), [])
  })
})
