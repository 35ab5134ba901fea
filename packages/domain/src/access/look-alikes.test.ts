import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { skeletonOf } from './look-alikes.ts'
import { PROVIDER_ROLES, SYSTEM_ROLES } from './system-roles.ts'

describe('look-alike names', () => {
  for (const [how, name] of [
    ['case', 'account ADMINISTRATOR'],
    ['spaces', 'Account  Administrator'],
    ['no space', 'AccountAdministrator'],
    ['a dot for the space', 'Account.Administrator'],
    ['wide letters', 'Ａｃｃｏｕｎｔ Administrator'],
    ['mathematical letters', '𝐀𝐜𝐜𝐨𝐮𝐧𝐭 Administrator'],
    ['Cyrillic letters', 'Ассоunt Аdminіstrаtоr'],
    ['Greek letters', 'Αccουnt Administrator'],
    ['an accent', 'Áccount Administrator'],
    ['a combining mark', 'Account Administratoŕ'],
    ['a dotless i', 'Account Admınıstrator'],
    ['one for an i', 'Account Adm1nistrator'],
    ['an l for an i', 'Account Admlnistrator'],
    ['zero for an o', 'Acc0unt Administrat0r'],
    ['rn for m', 'Account Adrninistrator'],
    ['an invisible letter', 'Account\u3164Administrator'],
    ['a joiner', 'Account Admin\u200distrator'],
    ['a ligature', 'Account Admi\ufb06rator'.replace('\ufb06', 'nist')],
  ] as const)
    it(`differ only in ${how}`, () => assert.equal(skeletonOf(name), skeletonOf('Account Administrator')))

  it('do not include visibly different names', () => {
    for (const name of [
      'Accounts Administrator',
      'Account Auditor',
      'Kontoverwalter',
      'Администратор',
      'Desk Reviewer',
    ])
      assert.notEqual(skeletonOf(name), skeletonOf('Account Administrator'), name)
  })

  it('do not occur among the system roles', () => {
    const names = [...SYSTEM_ROLES, ...PROVIDER_ROLES].map(({ role_reference }) => skeletonOf(role_reference))
    assert.equal(new Set(names).size, names.length)
  })
})
