import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KeysUnavailable, KeyUnknown } from '../ports/keys/port.ts'
import { ObjectStoreUnavailable } from '../ports/objects/port.ts'
import { Problem } from './problem.ts'
import { toProblem } from './translate.ts'

test('temporary failures of keys and storage become 503 unavailable, so that callers retry', () => {
  for (const error of [new KeysUnavailable('disk'), new ObjectStoreUnavailable('S3')]) {
    const { code, status, detail } = toProblem(error)
    assert.deepEqual([code, status, detail], ['unavailable', 503, error.message])
  }
})

test('a problem stays unchanged, and an unexpected error becomes internal', () => {
  const problem = new Problem('not_found')
  assert.equal(toProblem(problem), problem)
  for (const error of [new KeyUnknown('k'), new TypeError('x'), 'text', null, undefined])
    assert.equal(toProblem(error).code, 'internal')
})
