import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'
import fc from 'fast-check'
import { FORMAT_SUFFIX, reconciliationPath, transferPaths, transferRoot, utcDay } from './paths.ts'
import { nextRuns, SCHEDULE_FAULTS, SCHEDULE_LENGTH, type ScheduleFault, scheduleFault } from './schedule.ts'

const at = (text: string) => Date.parse(text) / 1000
const readState = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16)
/** 2026-11-23 is a Monday. */
const FROM = at('2026-11-23T17:07:28Z')

const RUNS: Record<string, string[]> = {
  'rate(1 minute)': ['2026-11-23T17:08', '2026-11-23T17:09'],
  'rate(6 hours)': ['2026-11-23T18:00', '2026-11-24T00:00'],
  'rate(1 day)': ['2026-11-24T00:00', '2026-11-25T00:00'],
  'cron(0 12 * * ? *)': ['2026-11-24T12:00', '2026-11-25T12:00'],
  'cron(7,8 17 23 11 ? 2026)': ['2026-11-23T17:08'],
  'cron(15 10 ? * 6L 2026-2027)': ['2026-11-27T10:15', '2026-12-25T10:15'],
  'cron(0/20 8-9 ? * MON-FRI *)': [
    '2026-11-24T08:00',
    '2026-11-24T08:20',
    '2026-11-24T08:40',
    '2026-11-24T09:00',
  ],
  'cron(0 18 ? * mon *)': ['2026-11-23T18:00', '2026-11-30T18:00'],
  'cron(0 8 L * ? *)': ['2026-11-30T08:00', '2026-12-31T08:00', '2027-01-31T08:00', '2027-02-28T08:00'],
  'cron(0 8 ? * L *)': ['2026-11-28T08:00', '2026-12-05T08:00'],
  'cron(0 8 ? * 2#5 *)': ['2026-11-30T08:00', '2027-03-29T08:00'],
  // 1 August and 1 May 2027 are a Sunday and a Saturday, 31 January a Sunday.
  'cron(0 0 1W AUG ? 2027)': ['2027-08-02T00:00'],
  'cron(0 0 1W 5 ? 2027)': ['2027-05-03T00:00'],
  'cron(0 0 31W 1,4 ? 2027)': ['2027-01-29T00:00'],
  'cron(0 0 29 2 ? *)': ['2028-02-29T00:00', '2032-02-29T00:00'],
  'cron(59 23 31 12 ? 2199)': ['2199-12-31T23:59'],
}

const BAD: Record<string, ScheduleFault> = {
  '': 'schedule_syntax',
  'every day': 'schedule_syntax',
  'rate(5)': 'schedule_syntax',
  'rate(5 minutes) ': 'schedule_syntax',
  'rate(0 minutes)': 'schedule_rate',
  'rate(1.5 hours)': 'schedule_rate',
  'rate(1000000 days)': 'schedule_rate',
  'rate(1 minutes)': 'schedule_unit',
  'rate(2 minute)': 'schedule_unit',
  'rate(2 weeks)': 'schedule_unit',
  'rate(1 constructor)': 'schedule_unit',
  'cron(0 12 * * ?)': 'schedule_fields',
  'cron(60 12 * * ? *)': 'schedule_minutes',
  'cron(5-1 12 * * ? *)': 'schedule_minutes',
  'cron(*/0 12 * * ? *)': 'schedule_minutes',
  'cron(1,,2 12 * * ? *)': 'schedule_minutes',
  'cron(0 24 * * ? *)': 'schedule_hours',
  'cron(0 12 0 * ? *)': 'schedule_day_of_month',
  'cron(0 12 32W * ? *)': 'schedule_day_of_month',
  'cron(0 12 * 13 ? *)': 'schedule_month',
  'cron(0 12 * FOO ? *)': 'schedule_month',
  'cron(0 12 ? * 8 *)': 'schedule_day_of_week',
  'cron(0 12 ? * 2#6 *)': 'schedule_day_of_week',
  'cron(0 12 * * * *)': 'schedule_one_day',
  'cron(0 12 ? * ? *)': 'schedule_one_day',
  'cron(0 12 * * ? 1969)': 'schedule_year',
  'cron(0 12 * * ? 2200)': 'schedule_year',
}

/** Days that no month has, or that are over. */
const NEVER = [
  'cron(0 0 30 2 ? *)',
  'cron(0 0 31 2 ? *)',
  'cron(0 0 31W 2,4,6,9,11 ? *)',
  'cron(0 0 29 2 ? 2027)',
  'cron(0 0 29 2 ? 2100)',
  'cron(0 0 ? 2 2#5 2027)',
  'cron(0 0 1 1 ? 2025)',
  'cron(7 17 23 11 ? 2026)',
]

describe('the EventBridge schedule parser', () => {
  for (const [expression, runs] of Object.entries(RUNS))
    it(`finds the next runs of ${expression}`, () => {
      assert.equal(scheduleFault(expression, FROM), undefined)
      assert.deepEqual(nextRuns(expression, FROM, Math.max(runs.length, 1)).map(readState), runs)
    })

  for (const [expression, fault] of Object.entries(BAD))
    it(`refuses ${JSON.stringify(expression)} as ${fault}`, () => {
      assert.equal(scheduleFault(expression, FROM), fault)
      assert.throws(() => nextRuns(expression, FROM, 1), { message: SCHEDULE_FAULTS[fault] })
    })

  for (const expression of NEVER)
    it(`refuses ${expression}, which never runs`, () => {
      assert.equal(scheduleFault(expression, FROM), 'schedule_never')
      assert.deepEqual(nextRuns(expression, FROM, 1), [])
    })

  it('refuses a schedule from its last run on', () => {
    const last = at('2026-11-23T17:08Z')
    assert.equal(scheduleFault('cron(8 17 23 11 ? 2026)', last - 1), undefined)
    assert.equal(scheduleFault('cron(8 17 23 11 ? 2026)', last), 'schedule_never')
  })

  it(`accepts at most ${SCHEDULE_LENGTH} characters`, () => {
    const long = (length: number) => `rate(${' '.repeat(length - 15)}2 minutes)`
    assert.equal(long(SCHEDULE_LENGTH).length, SCHEDULE_LENGTH)
    assert.equal(scheduleFault(long(SCHEDULE_LENGTH), FROM), undefined)
    assert.equal(scheduleFault(long(SCHEDULE_LENGTH + 1), FROM), 'schedule_syntax')
  })

  const moments = fc.integer({ min: 0, max: at('2190-01-01T00:00Z') })
  const field = (min: number, max: number) =>
    fc
      .array(fc.integer({ min, max }), { minLength: 1, maxLength: 4 })
      .map((numbers) => ({ text: numbers.join(','), has: (value: number) => numbers.includes(value) }))

  it('finds exactly the minutes that the fields name', () => {
    fc.assert(
      fc.property(field(0, 59), field(0, 23), field(1, 7), moments, (minutes, hours, days, from) => {
        const runs = nextRuns(`cron(${minutes.text} ${hours.text} ? * ${days.text} *)`, from, 3)
        const expected: number[] = []
        for (let now = (Math.floor(from / 60) + 1) * 60; expected.length < 3; now += 60) {
          const date = new Date(now * 1000)
          if (
            minutes.has(date.getUTCMinutes()) &&
            hours.has(date.getUTCHours()) &&
            days.has(date.getUTCDay() + 1)
          )
            expected.push(now)
        }
        assert.deepEqual(runs, expected)
      }),
      { numRuns: 200 },
    )
  })

  it('handles any text without an exception', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^(rate|cron)\([-0-9LW#?*,/ a-z]{0,30}\)$/), moments, (text, from) => {
        const fault = scheduleFault(text, from)
        if (fault === undefined || fault === 'schedule_never')
          assert.equal(nextRuns(text, from, 5).length > 0, fault === undefined)
      }),
    )
  })
})

const file = {
  root: '/in/custodia/',
  payload_time: 1_719_791_999,
  payload_reference: '01JABCDEFGHJKMNPQRSTVWXYZ0',
  extension: 'opus',
  format: 'Uncompressed',
} as const

test('a payload and its facts file are stored under the UTC day of the payload', () => {
  assert.deepEqual(transferPaths(file), {
    payload: '/in/custodia/2024/06/30/01JABCDEFGHJKMNPQRSTVWXYZ0.opus',
    facts: '/in/custodia/2024/06/30/01JABCDEFGHJKMNPQRSTVWXYZ0.json',
  })
  assert.deepEqual(transferPaths({ ...file, root: '', extension: 'json', format: 'PGP' }), {
    payload: '2024/06/30/01JABCDEFGHJKMNPQRSTVWXYZ0.data.json.pgp',
    facts: '2024/06/30/01JABCDEFGHJKMNPQRSTVWXYZ0.json.pgp',
  })
})

test('usual references name their file; letters of the other case are encoded', () => {
  const getName = (payload_reference: string) =>
    transferPaths({ ...file, root: '', payload_reference }).facts.slice('2024/06/30/'.length)
  const uuid = '0190a3c5-9d7e-7b1f-8c3d-2f6a1b0c4d5e'
  assert.deepEqual(
    [getName(file.payload_reference), getName(uuid)],
    [`${file.payload_reference}.json`, `${uuid}.json`],
  )
  assert.equal(getName('01JABCDEFGHJKMNPQRSTVWXYz0'), '01JABCDEFGHJKMNPQRSTVWXY%7A0.json')
  assert.equal(getName('Payload-1'), '%50ayload-1.json')
})

test('a day begins at UTC midnight and has its own reconciliation file', () => {
  const midnight = Date.parse('2026-03-01T00:00:00Z') / 1000
  assert.deepEqual(
    [-1, 0, 86_399, 86_400].map((after) => utcDay(midnight + after) - midnight),
    [-86_400, 0, 0, 86_400],
  )
  assert.equal(
    reconciliationPath({ root: '/in/', day: midnight, format: 'Uncompressed' }),
    '/in/reconciliation/2026/03/01.json',
  )
  assert.equal(
    reconciliationPath({ root: '', day: midnight - 1, format: 'PGP' }),
    'reconciliation/2026/02/28.json.pgp',
  )
})

test('no reference or extension escapes its folder, hides a file or collides with another', () => {
  const hostile = fc.oneof(
    fc.string({ minLength: 1, unit: 'binary' }),
    fc.mixedCase(fc.constantFrom('0190a3c5-9d7e-7b1f', file.payload_reference)),
    fc.constantFrom('..', '../../etc/passwd', '.ssh', 'a/b', 'a\\b', 'C:x', '\0', 'a\nb', '%2E%2E', '\ud800'),
  )
  const names = new Map<string, string>()
  fc.assert(
    fc.property(hostile, hostile, fc.constantFrom(...keys(FORMAT_SUFFIX)), (reference, extension, format) => {
      const at = transferPaths({ ...file, payload_reference: reference, extension, format })
      for (const path of [at.payload, at.facts]) {
        const [, name = ''] = path.split('/in/custodia/2024/06/30/')
        assert.match(name, /^[A-Za-z0-9_%-][A-Za-z0-9_%.-]*$/)
      }
      assert.notEqual(at.payload, at.facts)
      const facts = transferPaths({ ...file, payload_reference: reference }).facts
      // Some servers do not tell names apart by case.
      const name = facts.toLowerCase()
      assert.equal(names.get(name) ?? reference.toWellFormed(), reference.toWellFormed())
      names.set(name, reference.toWellFormed())
    }),
  )
  assert.throws(() => transferPaths({ ...file, payload_reference: '' }), RangeError)
  assert.throws(() => transferPaths({ ...file, payload_time: Number.NaN }), RangeError)
})

test('a root with parent folders is rejected and extra slashes are removed', () => {
  for (const root of ['..', 'a/../b', '/..', 'a/..', 'a\\..\\b', 'a\0b', 'a\r\nb'])
    assert.throws(() => transferRoot(root), RangeError, root)
  assert.deepEqual(['', '/', './a//b/', '/a/./b', 'a..b'].map(transferRoot), [
    '',
    '/',
    'a/b/',
    '/a/b/',
    'a..b/',
  ])
})

const keys = <T extends object>(of: T) => Object.keys(of) as (keyof T)[]
