import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Permission } from '@custodia/contract'
import { exceeds, widening } from './compare.ts'
import { compileRole } from './compile-role.ts'
import type { RoleRules } from './compile-role.ts'
import { indexGroups } from './group-index.ts'
import type { Holding } from './holding.ts'
import { compileNetworks } from './networks.ts'
import { NO_ALERTS } from './fixtures.test-support.ts'

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
const deny = (...actions_matching: string[]): Permission => ({ actions_matching, is_denied: true })

describe('the comparison of granted terms with the actor’s terms', () => {
  const play = allow('payloads:play')
  const limitsOf = (granted: Holding, actor: Holding) =>
    exceeds(granted, actor, ACTIONS).map(({ action, limit }) => [action, limit])
  const office = { cidr_ranges: ['10/8', '11/8'] }
  const holder = { roles: [role([play], office)], ip: '10.1.1.1' }
  it('accepts grants only within the networks of the actor’s right', () => {
    for (const cidr_ranges of [['10.1/16'], ['10/8', '11/8']])
      assert.deepEqual(limitsOf({ roles: [role([play], { cidr_ranges })] }, holder), [])
    for (const cidr_ranges of [[], ['10/8', '12/8'], ['0/0']])
      assert.deepEqual(limitsOf({ roles: [role([play], { cidr_ranges })] }, holder), [
        ['payloads:play', 'networks'],
      ])
  })
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
  it('reports a grant without the alert that the actor’s role raises', () => {
    const watched = role([play], { is_alertable: true })
    assert.deepEqual(limitsOf({ roles: [role([play])] }, { roles: [watched] }), [['payloads:play', 'watch']])
    assert.deepEqual(limitsOf({ roles: [watched] }, { roles: [watched] }), [])
    assert.deepEqual(limitsOf({ roles: [role([play])] }, { roles: [watched, role([play])] }), [])
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
  it('reports nothing for an actor without limits', () => {
    const mighty = { roles: [role([allow('*')])], ip: '192.168.1.1' }
    for (const is_alertable of [false, true])
      for (const cidr_ranges of [[], ['10/8']])
        assert.deepEqual(limitsOf({ roles: [role([allow('*')], { cidr_ranges, is_alertable })] }, mighty), [])
  })
})

describe('the widening of one’s own role', () => {
  const actions = [allow('payloads:play')]
  const limits = (before: Partial<RoleRules>, after: Partial<RoleRules>) => {
    const own = role(actions, before)
    return widening(own, role(actions, after), { roles: [own], ip: '10.1.1.1' }, ACTIONS).map(
      ({ limit }) => limit,
    )
  }
  it('is an excess when networks or the alert are removed', () => {
    assert.deepEqual(limits({ cidr_ranges: ['10/8'] }, {}), ['networks'])
    assert.deepEqual(limits({ cidr_ranges: ['10/8'] }, { cidr_ranges: ['10/8', '11/8'] }), ['networks'])
    assert.deepEqual(limits({ is_alertable: true }, {}), ['watch'])
    assert.deepEqual(limits({}, { is_alertable: true, cidr_ranges: ['10/8'] }), [])
  })
  it('is an excess when a denial is removed beyond the actor’s networks', () => {
    const own = role([allow('*')], { cidr_ranges: ['10/8'] })
    const office = { cidr_ranges: ['10/8'] }
    const brake = role([deny('payloads:play')], office)
    for (const after of [undefined, role([allow('payloads:list')], office)]) {
      const rows = widening(brake, after, { roles: [own], ip: '10.1.1.1' }, ACTIONS)
      assert.deepEqual(
        rows.map(({ action, limit }) => [action, limit]),
        [['payloads:play', 'networks']],
      )
    }
  })
})
