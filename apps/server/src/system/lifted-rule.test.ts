import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AuditLog } from '../http/audit.ts'
import { liftTwoPeople } from '../proposals/lift.ts'
import { accessWorld, type AccessWorld } from '../testing/access-world.ts'
import type { Person } from '../testing/person.ts'
import { ruleOfTwo } from '../testing/past-triggers.ts'
import { PROPOSALS } from '../verify/proposals.ts'

describe('dual control', () => {
  let world: AccessWorld
  let alice: Person
  before(async () => {
    world = await accessWorld()
    alice = world.alice
    await ruleOfTwo(world.sql, true)
  })
  after(() => world?.close())

  it('is disabled by the operator with a reason in the audit log of the account', async () => {
    const parts = { ...world.server.house, now: () => Math.floor(Date.now() / 1000) }
    const [acme] = await world.sql<{ client_id: number }>(
      `select client_id from clients where client = 'acme'`,
    )
    const lift = () => liftTwoPeople(parts, { client_id: acme?.client_id ?? 0, reason: 'Ines has left' })
    const entries = () =>
      world.sql<{ user_reference: string; parameters: string }>(
        `select user_reference, parameters from portal_activities where action = 'operator:lift_two_people'`,
      )
    const broken = new AuditLog(world.server.house.db)
    broken.appendWithin = () => Promise.reject(new Error('the disk is full'))
    await assert.rejects(
      liftTwoPeople({ ...parts, audit: broken }, { client_id: acme?.client_id ?? 0, reason: 'x' }),
      /disk is full/,
    )
    assert.ok((await alice.api.readTwoPeople({ query: {} })).is_required, 'not without an entry')
    assert.equal(await lift(), true)
    assert.equal((await alice.api.readTwoPeople({ query: {} })).is_required, false)
    const [entry, ...more] = await entries()
    assert.equal(more.length, 0)
    assert.equal(entry?.user_reference, 'operator (system)')
    assert.match(entry.parameters, /Ines has left/)
    assert.equal(await lift(), false)
    const found = async () =>
      (
        await world.sql<{ subject: string }>(
          PROPOSALS.replaceAll('$1', String(acme?.client_id)).replaceAll('$2', 'null'),
        )
      ).map(({ subject }) => subject)
    const [{ version } = { version: 0 }] = await world.sql<{ version: number }>(
      'select max(version) as version from two_people_versions',
    )
    assert.ok(!(await found()).includes(`two-person rule ${version}`), 'verify knows who did it')
    await world.sql(`update portal_activities set action = 'else' where action = 'operator:lift_two_people'`)
    assert.ok((await found()).includes(`two-person rule ${version}`), 'and finds it without its entry')
  })
})
