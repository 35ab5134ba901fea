import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AuditLog } from '../http/audit.ts'
import { disableDualControl } from '../proposals/disable-dual-control.ts'
import { accessFixture, type AccessFixture, type Person } from '../testing/access-fixture.ts'
import { ruleOfTwo } from '../testing/test-context.ts'
import { PROPOSALS } from '../verify/retention.ts'

describe('dual control', () => {
  let fixture: AccessFixture
  let alice: Person
  before(async () => {
    fixture = await accessFixture()
    alice = fixture.alice
    await ruleOfTwo(fixture.sql, true)
  })
  after(() => fixture?.close())

  it('is disabled by the operator with a reason in the audit log of the account', async () => {
    const parts = { ...fixture.server.ctx, now: () => Math.floor(Date.now() / 1000) }
    const [acme] = await fixture.sql<{ client_id: number }>(
      `select client_id from clients where client = 'acme'`,
    )
    const lift = () => disableDualControl(parts, { client_id: acme?.client_id ?? 0, reason: 'Ines has left' })
    const entries = () =>
      fixture.sql<{ user_reference: string; parameters: string }>(
        `select user_reference, parameters from portal_activities where action = 'operator:lift_two_people'`,
      )
    const broken = new AuditLog(fixture.server.ctx.db)
    broken.appendWithin = () => Promise.reject(new Error('the disk is full'))
    await assert.rejects(
      disableDualControl({ ...parts, audit: broken }, { client_id: acme?.client_id ?? 0, reason: 'x' }),
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
        await fixture.sql<{ subject: string }>(
          PROPOSALS.replaceAll('$1', String(acme?.client_id)).replaceAll('$2', 'null'),
        )
      ).map(({ subject }) => subject)
    const [{ version } = { version: 0 }] = await fixture.sql<{ version: number }>(
      'select max(version) as version from dual_control_versions',
    )
    assert.ok(!(await found()).includes(`two-person rule ${version}`), 'verify knows who did it')
    await fixture.sql(
      `update portal_activities set action = 'else' where action = 'operator:lift_two_people'`,
    )
    assert.ok((await found()).includes(`two-person rule ${version}`), 'and finds it without its entry')
  })
})
