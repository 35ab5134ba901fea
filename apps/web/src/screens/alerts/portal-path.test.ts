import assert from 'node:assert/strict'
import { test } from 'node:test'
import { portalPath } from './portal-path.ts'

test('paths of signed-in pages are links', () => {
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
  test(`${link} is no portal path`, () => assert.equal(portalPath(link), undefined))
}
