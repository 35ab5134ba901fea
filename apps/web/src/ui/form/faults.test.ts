import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AccountDefaultsInput, GroupInput, TagKey } from '@custodia/contract'
import { faultsAt, shapeFaults, statusFaults, textsAt, valueAt } from './faults.ts'

test('a form is validated against the contract', () => {
  assert.deepEqual(shapeFaults(GroupInput, { tags: [] }), [])
  assert.deepEqual(
    shapeFaults(GroupInput, { tags: [{ key: ' ', value: 'x' }] }).map(({ path, code }) => [path, code]),
    [['tags.0.key', 'simple_name']],
  )
  assert.deepEqual(
    shapeFaults(GroupInput, {}, 'body').map(({ path, code }) => [path, code]),
    [['body.tags', 'required']],
  )
})

test('an empty text is reported once as missing', () => {
  const faults = shapeFaults(GroupInput, { tags: [{ key: '', value: '' }] })
  assert.deepEqual(
    faults.map(({ path, code, message }) => [path, code, message]),
    [['tags.0.key', 'required', "The 'key' field is required."]],
  )
  assert.deepEqual(
    shapeFaults(TagKey, '', 'tag_key').map(({ path, code }) => [path, code]),
    [['tag_key', 'required']],
  )
})

test('a field has the faults of its parts and of no other field', () => {
  const faults = shapeFaults(AccountDefaultsInput, { user_group: 'x', role: null, cidr_ranges: ['10/99'] })
  assert.equal(faultsAt(faults, 'cidr_ranges').length, 1)
  assert.equal(faultsAt(faults, 'cidr').length, 0)
  assert.equal(faultsAt(faults, 'user_group').length, 1)
})

test('a fault of an item quotes the item, and equal texts appear once', () => {
  const values = { cidr_ranges: ['10.0.0.0/8', '10/99', ''] }
  const fault = (path: string) => ({ path, code: 'cidr' as const, message: 'no' })
  const texts = (...paths: string[]) => textsAt(paths.map(fault), 'cidr_ranges', values, () => 'no')
  assert.deepEqual(texts('cidr_ranges.1'), ['10/99: no'])
  assert.deepEqual(texts('cidr_ranges', 'cidr_ranges', 'cidr_ranges.2'), ['no'])
})

test('a path reads own properties only', () => {
  assert.equal(valueAt({ a: [{ b: 1 }] }, 'a.0.b'), 1)
  assert.equal(valueAt({ a: 1 }, 'a.b.c'), undefined)
  assert.equal(valueAt({}, 'constructor'), undefined)
})

test('a validation fault follows its value, and no new faults appear', () => {
  const check = (values: { tags: { key: string; value: string }[] }) => shapeFaults(GroupInput, values)
  const of = { tags: [{ key: '', value: 'x' }] }
  const refusal = { faults: check(of), of, isOwn: true }
  const paths = (key: string, more: { key: string; value: string }[] = []) =>
    statusFaults(refusal, { tags: [{ key, value: 'x' }, ...more] }, check).map(({ path, code }) => [
      path,
      code,
    ])
  assert.deepEqual(statusFaults(refusal, of, check), refusal.faults)
  assert.deepEqual(paths(''), [['tags.0.key', 'required']])
  assert.deepEqual(paths('desk'), [])
  assert.deepEqual(paths(' desk'), [['tags.0.key', 'simple_name']])
  assert.deepEqual(paths('desk', [{ key: '', value: '' }]), [])
})

test('a server fault stays until the value that it concerns changes', () => {
  const of = { name: 'North', tags: [{ value: 'x' }, { value: 'y' }] }
  const fault = (path: string) => ({ path, code: 'tag_value' as const, message: '' })
  const refusal = { faults: ['name', 'tags.1.value', 'elsewhere'].map(fault), of, isOwn: false }
  const paths = (values: typeof of) => statusFaults(refusal, values, () => []).map(({ path }) => path)
  assert.deepEqual(paths({ ...of, name: 'South' }), ['tags.1.value'])
  assert.deepEqual(paths({ ...of, tags: [{ value: 'z' }, { value: 'y' }] }), ['name', 'tags.1.value'])
  assert.deepEqual(paths({ ...of, tags: [{ value: 'x' }] }), ['name'])
})
