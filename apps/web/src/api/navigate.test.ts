import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openExternal } from './navigate.ts'

const allowed = ['https://login.example.com', 'http://127.0.0.1:4000']

function opened(address: string): string | undefined {
  let target: string | undefined
  openExternal(address, allowed, (gone) => void (target = gone))
  return target
}

test('opens allowed origins', () => {
  assert.equal(opened('https://login.example.com/auth?x=1'), 'https://login.example.com/auth?x=1')
  assert.equal(opened('http://127.0.0.1:4000/oidc/auth'), 'http://127.0.0.1:4000/oidc/auth')
})

for (const address of [
  'https://login.example.com.evil.test/',
  'https://login.example.com@evil.test/',
  'http://login.example.com/',
  'https://login.example.com:8443/',
  '//evil.test',
  '/relative',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:https://login.example.com/x',
  '',
]) {
  test(`refuses ${JSON.stringify(address)}`, () => {
    assert.throws(() => opened(address), /External navigation refused/)
  })
}
