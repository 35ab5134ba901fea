import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { addressOf } from './make-sessions.ts'

const from = (forwarded: string | undefined) =>
  ({
    headers: { 'x-forwarded-for': forwarded },
    socket: { remoteAddress: '10.0.0.1' },
  }) as unknown as IncomingMessage

test('only forwarded addresses of trusted proxies are used', () => {
  assert.equal(addressOf(from('6.6.6.6, 7.7.7.7'), 0), '10.0.0.1')
  assert.equal(addressOf(from('6.6.6.6, 7.7.7.7'), 1), '7.7.7.7')
  assert.equal(addressOf(from('6.6.6.6, 7.7.7.7'), 2), '6.6.6.6')
  assert.equal(addressOf(from('7.7.7.7'), 3), '7.7.7.7')
  assert.equal(addressOf(from(undefined), 1), '10.0.0.1')
})
