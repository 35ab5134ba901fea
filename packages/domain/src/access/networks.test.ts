import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { getSkeleton } from './look-alikes.ts'
import { admits, compileNetworks, intersection, normaliseCidr, parseCidr, within } from './networks.ts'
import { PROVIDER_ROLES, SYSTEM_ROLES } from './system-roles.ts'

describe('CIDR ranges', () => {
  const good: Record<string, string> = {
    '10/8': '10.0.0.0/8',
    '10.1.2.3/8': '10.0.0.0/8',
    '0/0': '0.0.0.0/0',
    '192.168.1.255/25': '192.168.1.128/25',
    '128/1': '128.0.0.0/1',
  }
  for (const [text, normal] of Object.entries(good)) {
    it(`${text} is ${normal}`, () => assert.equal(normaliseCidr(text), normal))
  }
  const bad = ['256/8', '10/33', '10', '010/8', '10.0.0.0/-1', ' 10/8', '::/0', '10/8/8']
  for (const text of bad) {
    it(`${JSON.stringify(text)} is refused`, () => assert.equal(parseCidr(text), undefined))
  }
})

describe('addresses', () => {
  const table: [string, string[], boolean][] = [
    ['10.1.2.3', ['10/8'], true],
    ['9.255.255.255', ['10/8'], false],
    ['192.168.1.127', ['192.168.1.128/25'], false],
    ['192.168.1.128', ['192.168.1.128/25'], true],
    ['1.2.3.4', ['10/8', '1.2.3.4/32'], true],
    ['::ffff:10.1.2.3', ['10/8'], true],
    ['::FFFF:0a01:0203', ['10/8'], true],
    ['::10.1.2.3', ['10/8'], false],
    ['64:ff9b::10.1.2.3', ['0/0'], false],
    ['2001:db8::1', ['0/0'], false],
    ['10.1.2', ['10/8'], false],
    ['010.1.2.3', ['10/8'], false],
    ['167838211', ['10/8'], false],
    ['2001:db8::1', [], true],
    ['1.2.3.4', ['nonsense'], false],
  ]
  for (const [ip, ranges, expected] of table) {
    it(`${ip || '(none)'} ${expected ? 'is admitted by' : 'is refused by'} [${ranges.join(', ')}]`, () => {
      assert.equal(admits(compileNetworks(ranges), ip), expected)
    })
  }
  it('a missing list admits every address', () => assert.ok(admits(compileNetworks(null), '1.2.3.4')))
})

describe('networks within other networks', () => {
  const table: [string[], string[], boolean][] = [
    [[], [], true],
    [['10/8'], [], true],
    [[], ['0/0'], false],
    [['10.1/16'], ['10/8'], true],
    [['10/8'], ['10.1/16'], false],
    [['10.1/16', '11/8'], ['10/8'], false],
    [['10.1/16', '11.1/16'], ['10/8', '11/8'], true],
    [['nonsense'], ['10/8'], true],
    [['10/8'], ['nonsense'], false],
  ]
  for (const [inner, outer, expected] of table) {
    it(`[${inner.join(', ')}] ${expected ? 'are' : 'are not'} within [${outer.join(', ')}]`, () => {
      assert.equal(within(compileNetworks(inner), compileNetworks(outer)), expected)
    })
  }
  it('admit no address that the outer networks refuse', () => {
    const range = fc
      .tuple(fc.constantFrom('10.0', '10.1', '11.0'), fc.integer({ min: 6, max: 18 }))
      .map(([network, bits]) => `${network}/${bits}`)
    const ranges = fc.array(range, { maxLength: 3 }).map(compileNetworks)
    const ip = fc.constantFrom('10.0.0.1', '10.1.0.1', '11.0.0.1', '9.0.0.1', '::1')
    fc.assert(
      fc.property(ranges, ranges, ip, (inner, outer, address) => {
        if (within(inner, outer) && admits(inner, address)) assert.ok(admits(outer, address))
      }),
    )
  })
})

describe('the intersection of two network lists', () => {
  it('has the narrower ranges of both, each once', () => {
    const both = (a: string[], b: string[]) => intersection(compileNetworks(a), compileNetworks(b))
    assert.equal(both([], []), 'any')
    assert.deepEqual(both([], ['10/8']), compileNetworks(['10/8']))
    assert.deepEqual(both(['10/8', '11.1/16'], ['10.1/16', '11/8']), compileNetworks(['11.1/16', '10.1/16']))
    assert.deepEqual(both(['10/8'], ['10/8']), compileNetworks(['10/8']))
    assert.deepEqual(both(['10/8'], ['11/8']), [], 'an empty list admits no address')
  })
  it('admits exactly the addresses that both lists admit', () => {
    const range = fc
      .tuple(fc.constantFrom('10.0', '10.1', '11.0'), fc.integer({ min: 6, max: 18 }))
      .map(([network, bits]) => `${network}/${bits}`)
    const ranges = fc.array(range, { maxLength: 3 }).map(compileNetworks)
    const ip = fc.constantFrom('10.0.0.1', '10.1.0.1', '11.0.0.1', '9.0.0.1', '::1')
    fc.assert(
      fc.property(ranges, ranges, ip, (a, b, address) => {
        assert.equal(admits(intersection(a, b), address), admits(a, address) && admits(b, address))
      }),
    )
  })
})

describe('look-alike names', () => {
  for (const [how, name] of [
    ['case', 'account ADMINISTRATOR'],
    ['no space', 'AccountAdministrator'],
    ['mathematical letters', '𝐀𝐜𝐜𝐨𝐮𝐧𝐭 Administrator'],
    ['Cyrillic letters', 'Ассоunt Аdminіstrаtоr'],
    ['an accent', 'Áccount Administrator'],
    ['a dotless i', 'Account Admınıstrator'],
    ['an l for an i', 'Account Admlnistrator'],
    ['rn for m', 'Account Adrninistrator'],
    ['an invisible letter', 'Account\u3164Administrator'],
  ] as const)
    it(`differ only in ${how}`, () => assert.equal(getSkeleton(name), getSkeleton('Account Administrator')))

  it('do not include visibly different names', () => {
    for (const name of [
      'Accounts Administrator',
      'Account Auditor',
      'Kontoverwalter',
      'Администратор',
      'Desk Reviewer',
    ])
      assert.notEqual(getSkeleton(name), getSkeleton('Account Administrator'), name)
  })

  it('do not occur among the system roles', () => {
    const names = [...SYSTEM_ROLES, ...PROVIDER_ROLES].map(({ role_reference }) =>
      getSkeleton(role_reference),
    )
    assert.equal(new Set(names).size, names.length)
  })
})
