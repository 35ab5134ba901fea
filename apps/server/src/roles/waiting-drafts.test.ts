import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import { PATTERN_LIMITS, type RoleInput } from '@custodia/contract'
import { accessFixture, allow, getCode, type Person, roleInput } from '../testing/access-fixture.ts'
import { longOnly } from '../testing/long.ts'

/** Connections for tenants' work; far fewer than drafts that wait. */
const POOL = 2
/** Saves of one client: one that is compiled and those that may wait. */
const UNDER_WAY = 11

/** As many regular expressions as a role may have, which take several times as long as a draft may. */
const { per_list, per_role } = PATTERN_LIMITS
const HOSTILE = roleInput(
  Array.from({ length: per_role / per_list }, (_, i) => ({
    actions_matching: Array.from(
      { length: per_list },
      (_, k) => `(.*a|.*e|.*r|.*s|.*t){14}${i * per_list + k}|.*Z`,
    ),
    is_regex: true,
  })),
)

const fixture = await accessFixture({ DATABASE_POOL: String(POOL) })
after(() => fixture.close())

describe('waiting role drafts', () => {
  const review = (body: RoleInput) =>
    fixture.alice.api.reviewRole({ params: { role_reference: 'Draft' }, body })
  const save = (role_reference: string, body: RoleInput, person = fixture.alice) =>
    person.api.saveRole({ params: { role_reference }, body })
  /** Resolves to the code of its refusal. */
  const saveHostile = (person?: Person) => getCode(save('Draft', HOSTILE, person))
  const saveGroup = (group_reference: string) =>
    fixture.alice.api.saveGroup({ params: { group_reference }, body: { tags: [] } })

  it('hold no database connection or lock, and are refused beyond a limit', longOnly, async () => {
    let pending = UNDER_WAY + 1
    const { promise: refused, resolve } = Promise.withResolvers<unknown>()
    const all = Array.from({ length: pending }, async () => {
      const code = await saveHostile()
      if (code === 'too_many_requests') resolve(code)
      pending--
      return code
    })
    // Where all of them are let in, none is refused and this waits until they have ended.
    assert.equal(await Promise.race([refused, Promise.all(all)]), 'too_many_requests')
    await fixture.gina.api.listPayloads({})
    await saveGroup('Made meanwhile')
    assert.ok(pending > POOL, `all this while drafts wait; ${pending} do`)
    const codes = await Promise.all(all)
    assert.equal(codes.filter((code) => code === 'invalid_input').length, UNDER_WAY)
  })

  it('repeated reviews by one user do not block saves', longOnly, async () => {
    const reviews = Promise.allSettled(Array.from({ length: UNDER_WAY }, () => review(HOSTILE)))
    await save('Plain', roleInput([allow('payloads:list')]))
    const outcomes = await reviews
    const done = outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []))
    assert.ok(done.length >= 1 && done.length < UNDER_WAY, `${done.length} were done`)
    for (const { problems } of done)
      assert.deepEqual(
        problems.map(({ code }) => code),
        ['pattern_too_complex'],
      )
    for (const each of outcomes)
      if (each.status === 'rejected') {
        assert.ok(each.reason instanceof ApiProblem)
        assert.deepEqual([each.reason.code, each.reason.status], ['too_many_requests', 429])
      }
  })

  it('a waiting save is validated against the groups that exist when it runs', async () => {
    const body = roleInput([
      { actions_matching: ['receipts:confirm'], conditions: [{ names_matching: ['Late*'] }] },
    ])
    await fixture.newAlerts()
    const administrator = await fixture.personWith(['Account Administrator'])
    // Each takes as long as a draft may: together much longer than two groups.
    const others = Array.from({ length: 3 }, () => saveHostile())
    let isSaved = false
    const saved = save('Latecomers', body, administrator).then(() => (isSaved = true))
    await saveGroup('Late one')
    await saveGroup('Late two')
    assert.equal(isSaved, false, 'the groups were made while the role waited')
    await Promise.all([...others, saved])
    assert.deepEqual(await fixture.newAlerts(), [
      'High: carol saved the role Latecomers and so granted more than their own rights: receipts:confirm (Late one, Late two)',
    ])
  })
  it('a save succeeds even while groups are written during each compilation', async () => {
    // Enough groups for those that are written meanwhile to be few among them.
    await fixture.sql(
      `insert into groups (client_id, group_reference, updated_at, updated_by)
       select client_id, 'Bulk old ' || n, 0, 'test' from clients, generate_series(1, 200) n where client = 'acme'`,
    )
    await fixture.sql(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
    let isOver = false
    // Another client's drafts make each compilation wait for as long as several groups take to be written.
    const others = Array.from({ length: 3 }, async () => {
      while (!isOver) await saveHostile(fixture.gina)
    })
    let made = 200
    const writing = (async () => {
      while (!isOver) await saveGroup(`Bulk ${made++}`)
    })()
    const body = roleInput([
      { actions_matching: ['groups:list'], conditions: [{ names_matching: ['Bulk*'] }] },
    ])
    const saved = await save('Watcher', body).finally(() => (isOver = true))
    assert.equal(saved.role_reference, 'Watcher')
    await Promise.all([...others, writing])
    const watcher = await fixture.personWith(['Watcher'])
    const seen = await watcher.api.listGroups({ query: { type: 'total' } })
    assert.equal(seen.total, made)
  })
})
