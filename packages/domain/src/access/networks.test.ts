import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { admits, compileNetworks, intersection, normaliseCidr, parseCidr, within } from './networks.ts'
import type { Permission } from '@custodia/contract'
import { exceeds, widening } from './compare.ts'
import { compileRole, type RoleRules } from './role-sum.ts'
import { indexGroups } from './group-index.ts'
import type { Holding } from './holding.ts'
import { NO_ALERTS } from './fixtures.test-support.ts'

describe('CIDR ranges', () => {
  const good: Record<string, string> = {
    '10/8': '10.0.0.0/8',
    '10.1/16': '10.1.0.0/16',
    '10.1.2.3/32': '10.1.2.3/32',
    '10.1.2.3/8': '10.0.0.0/8',
    '0/0': '0.0.0.0/0',
    '255.255.255.255/32': '255.255.255.255/32',
    '192.168.1.255/25': '192.168.1.128/25',
    '128/1': '128.0.0.0/1',
  }
  for (const [text, normal] of Object.entries(good)) {
    it(`${text} is ${normal}`, () => assert.equal(normaliseCidr(text), normal))
  }
  const bad = [
    '999.1/99',
    '256/8',
    '10/33',
    '10',
    '10/',
    '/8',
    '10.0.0.0.0/8',
    '010/8',
    '10/08',
    '10.0.0.0/-1',
    '10..1/8',
    ' 10/8',
    '10/8 ',
    '10/8\n',
    '::/0',
    'a/8',
    '1e1/8',
    '10/8/8',
  ]
  for (const text of bad) {
    it(`${JSON.stringify(text)} is refused`, () => assert.equal(parseCidr(text), undefined))
  }
})

describe('addresses', () => {
  const table: [string, string[], boolean][] = [
    ['10.1.2.3', ['10/8'], true],
    ['11.0.0.0', ['10/8'], false],
    ['9.255.255.255', ['10/8'], false],
    ['10.255.255.255', ['10/8'], true],
    ['192.168.1.127', ['192.168.1.128/25'], false],
    ['192.168.1.128', ['192.168.1.128/25'], true],
    ['200.1.1.1', ['128/1'], true],
    ['1.2.3.4', ['0/0'], true],
    ['1.2.3.4', ['10/8', '1.2.3.4/32'], true],
    ['::ffff:10.1.2.3', ['10/8'], true],
    ['::FFFF:0a01:0203', ['10/8'], true],
    ['0:0:0:0:0:ffff:10.1.2.3', ['10/8'], true],
    ['::ffff:11.1.2.3', ['10/8'], false],
    ['::10.1.2.3', ['10/8'], false],
    ['64:ff9b::10.1.2.3', ['0/0'], false],
    ['2001:db8::1', ['0/0'], false],
    ['fe80::1%eth0', ['0/0'], false],
    ['10.1.2', ['10/8'], false],
    ['10.1.2.3.4', ['10/8'], false],
    ['010.1.2.3', ['10/8'], false],
    ['167838211', ['10/8'], false],
    ['', ['0/0'], false],
    ['2001:db8::1', [], true],
    ['1.2.3.4', ['nonsense'], false],
    ['1.2.3.4', ['nonsense', '1/8'], true],
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
    [['10/8'], ['10/8'], true],
    [['10.1/16', '11/8'], ['10/8'], false],
    [['10.1/16', '11.1/16'], ['10/8', '11/8'], true],
    [['nonsense'], ['10/8'], true],
    [['10/8'], ['nonsense'], false],
    [['128/1'], ['0/0'], true],
  ]
  for (const [inner, outer, expected] of table) {
    it(`[${inner.join(', ')}] ${expected ? 'are' : 'are not'} within [${outer.join(', ')}]`, () => {
      assert.equal(within(compileNetworks(inner), compileNetworks(outer)), expected)
    })
  }
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

const ACTIONS = ['payloads:list', 'payloads:play']
const groupIndex = indexGroups([{ group_id: 1, group_reference: 'Alpha', tags: [] }])
const role = (permissions: Permission[], rest: Partial<RoleRules> = {}) =>
  compileRole(
    {
      role_reference: 'Test',
      permissions,
      payload_types: [],
      cidr_ranges: [],
      alert_permissions: NO_ALERTS,
      is_alertable: false,
      ...rest,
    },
    groupIndex,
    ACTIONS,
  )
const allow = (...actions_matching: string[]): Permission => ({ actions_matching })
describe('the comparison of granted terms with the actor’s terms', () => {
  const play = allow('payloads:play')
  const limitsOf = (granted: Holding, actor: Holding) =>
    exceeds(granted, actor, ACTIONS).map(({ action, limit }) => [action, limit])
  const office = { cidr_ranges: ['10/8', '11/8'] }
  const holder = { roles: [role([play], office)], ip: '10.1.1.1' }
  it('respects network limits of the receiver and of the actor', () => {
    const free = role([play])
    const app = (...ranges: string[]) => ({ roles: [free], networks: compileNetworks(ranges) })
    assert.deepEqual(limitsOf(app('10.1/16'), holder), [])
    assert.deepEqual(limitsOf(app('12/8'), holder), [['payloads:play', 'networks']])
    assert.deepEqual(limitsOf(app(), holder), [['payloads:play', 'networks']])
    assert.deepEqual(limitsOf(app('10.1/16'), app('10/8')), [])
    assert.deepEqual(limitsOf(app(), app('10/8')), [['payloads:play', 'networks']])
    const both = { roles: [role([play], office)], networks: compileNetworks(['11.1/16', '12/8']) }
    assert.deepEqual(limitsOf(both, app('11/8')), [])
  })
  it('includes alert permissions', () => {
    const alert_permissions = { ...NO_ALERTS, sec_read: true }
    const held = role([allow('*')], { ...office, alert_permissions })
    assert.deepEqual(
      limitsOf({ roles: [role([play], { ...office, alert_permissions })] }, { roles: [held] }),
      [],
    )
    assert.deepEqual(
      widening(held, role([allow('*')], { alert_permissions }), { roles: [held] }, []).map(
        ({ action, limit }) => [action, limit],
      ),
      [['alerts.sec_read', 'networks']],
    )
  })
})
