import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ApiProblem } from '@custodia/client'
import type { RoleInput } from '@custodia/contract'
import { type AccessWorld, accessWorld, roleInput } from '../access/access-world.test-support.ts'

/** Connections for tenants' work; far fewer than drafts that wait. */
const POOL = 2
/** Of one client: one that is compiled and those that may wait. */
const UNDER_WAY = 11

/** 5,000 regular expressions, which take longer than a draft may. */
const HOSTILE = roleInput(
  Array.from({ length: 100 }, (_, i) => ({
    actions_matching: Array.from({ length: 50 }, (_, k) => `(.*${i * 50 + k}){2}(.{0,20}x){3}|.*Z`),
    is_regex: true,
  })),
)

describe('while drafts of roles wait', () => {
  let world: AccessWorld
  before(async () => {
    world = await accessWorld({ DATABASE_POOL: String(POOL) })
  })
  after(() => world?.close())

  const review = (body: RoleInput) =>
    world.alice.api.reviewRole({ params: { role_reference: 'Draft' }, query: {}, body })
  const save = (role_reference: string, body: RoleInput) =>
    world.alice.api.saveRole({ params: { role_reference }, query: {}, body })
  const saveGroup = (group_reference: string) =>
    world.alice.api.saveGroup({ params: { group_reference }, query: {}, body: { tags: [] } })

  it('nobody holds a connection or the lock on the client’s rights, and too many are refused', async () => {
    let pending = UNDER_WAY + 1
    const { promise: refused, resolve } = Promise.withResolvers<unknown>()
    const all = Array.from({ length: pending }, () =>
      review(HOSTILE)
        .catch((error: unknown) => resolve(error))
        .finally(() => pending--),
    )
    // Where all of them are let in, none is refused and this waits until they have ended.
    const refusal = await Promise.race([refused, Promise.all(all)])
    assert.ok(refusal instanceof ApiProblem)
    assert.deepEqual([refusal.code, refusal.status], ['too_many_requests', 429])
    const list = await world.gina.api.listPayloads({ query: {} })
    assert.ok('data' in list)
    await saveGroup('Made meanwhile')
    assert.ok(pending > POOL, `all this while drafts wait; ${pending} do`)
    const reviews = (await Promise.all(all)).filter((each) => each !== undefined)
    assert.equal(reviews.length, UNDER_WAY)
    for (const { problems } of reviews)
      assert.deepEqual(
        problems.map(({ code }) => code),
        ['pattern_too_complex'],
      )
  })

  it('groups may change: a save is judged with those of its own moment', async () => {
    const others = Array.from({ length: 2 }, () => review(HOSTILE))
    const body = roleInput([
      { actions_matching: ['receipts:confirm'], conditions: [{ names_matching: ['Late*'] }] },
    ])
    await world.newAlerts()
    let isSaved = false
    const saved = save('Latecomers', body).then(() => (isSaved = true))
    await saveGroup('Late one')
    await saveGroup('Late two')
    assert.equal(isSaved, false, 'the groups were made while the role waited')
    await Promise.all([...others, saved])
    assert.deepEqual(await world.newAlerts(), [
      'High: alice saved the role Latecomers and so granted more than their own rights: receipts:confirm (Late one, Late two)',
    ])
  })
})
