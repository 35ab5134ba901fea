import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { dayFolder, FORMAT_SUFFIX, reconciliationPath, transferPaths, transferRoot, utcDay } from './paths.ts'

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

test('day folders match the calendar in any year', () => {
  const times = fc.integer({ min: -62_135_596_800, max: 253_402_300_799 })
  fc.assert(
    fc.property(times, (seconds) => {
      const iso = new Date(seconds * 1000).toISOString().slice(0, 10)
      assert.equal(dayFolder(seconds), iso.replaceAll('-', '/'))
    }),
  )
  for (const day of ['2000-02-29', '2100-02-28', '2100-03-01', '1999-12-31', '2024-02-29']) {
    const end = Date.parse(`${day}T23:59:59Z`) / 1000
    assert.equal(dayFolder(end), day.replaceAll('-', '/'))
    assert.notEqual(dayFolder(end + 1), dayFolder(end))
  }
  assert.throws(() => dayFolder(Number.NaN), RangeError)
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
      assert.equal(names.get(facts) ?? reference.toWellFormed(), reference.toWellFormed())
      names.set(facts, reference.toWellFormed())
    }),
  )
  assert.throws(() => transferPaths({ ...file, payload_reference: '' }), RangeError)
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
