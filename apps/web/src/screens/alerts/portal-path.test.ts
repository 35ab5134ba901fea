import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portalPath } from './portal-path.ts'

test('pages behind the sign-in are links', () => {
  assert.equal(portalPath('/dashboard/account/audit?tab=devices'), '/dashboard/account/audit?tab=devices')
  assert.equal(portalPath('/internal/support'), '/internal/support')
})

for (const link of [
  undefined,
  '',
  'dashboard',
  '//evil.test/dashboard',
  'https://evil.test/dashboard',
  'javascript:alert(1)',
  '/dashboardish',
  '/dashboard/../sign-in',
  '/sign-in?code=x',
]) {
  test(`${link} is none`, () => assert.equal(portalPath(link), undefined))
}
