import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingRight } from './page-rights.ts'

const PAGE = { action: 'transfers:list', tabs: { configs: 'transfer_configs:list' } }
const reader = (...actions: string[]) => ({ actions, payload_types: ['Call' as const] })

test('a tab needs its own permission, which also opens the page', () => {
  const configs = reader('transfer_configs:list')
  assert.equal(missingRight(PAGE, configs), undefined)
  assert.equal(missingRight(PAGE, configs, 'configs'), undefined)
  assert.equal(missingRight(PAGE, configs, 'unknown'), undefined)
  assert.deepEqual(missingRight(PAGE, reader('transfers:list'), 'configs'), {
    action: 'transfer_configs:list',
  })
  assert.deepEqual(missingRight(PAGE, reader('tags:list')), { action: 'transfers:list' })
})

test('a page of payloads is closed to a reader who may see none of its types', () => {
  const of = (service: 'calls' | 'messages') =>
    missingRight({ action: 'payloads:list', service }, reader('payloads:list'))
  assert.equal(of('calls'), undefined)
  assert.deepEqual(of('messages'), { service: 'messages' })
})
