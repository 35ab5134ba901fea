import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { ApiProblem } from '@custodia/client'
import { MATTER_PEOPLE_LIMIT } from '@custodia/contract'
import { writeHolds } from '../legal-holds/store.ts'
import { accessFixture, assertDone, openPerson, problem } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { addPeople, lockMatter } from './store.ts'

const REASON = 'The inquiry is over'

const fixture = await accessFixture()
after(() => fixture.close())
const alice = fixture.alice
const client_id = await fixture.server.getId('acme')

describe('legal matters', () => {
  let made = 0
  const portalUser = () => ({ target_type: 'PortalUser' as const, target: `person ${++made}@acme.example` })
  /** Creates a device user in a group, with a payload. */
  async function recorded(group = 'North') {
    const target = `matter person ${++made}`
    const payload_reference = await storePayload(fixture.server.ctx, { client: 'acme', group })
    await fixture.sql(
      `with u as (
         insert into device_users (client_id, device_user_reference, group_id, updated_at, updated_by)
         select client_id, $1, group_id, 0, 'test' from groups where client_id = $2 and group_reference = $4 returning device_user_id)
       update payloads set device_user_id = u.device_user_id from u where payload_reference = $3`,
      [target, client_id, payload_reference, group],
    )
    return { target_type: 'DeviceUser' as const, target }
  }
  const open = async (reason?: string) =>
    (await alice.api.openLegalMatter({ body: { name: `Matter ${++made}`, ...(reason && { reason }) } }))
      .matter_id
  const hold = (matter_id: string, people: { target_type: 'DeviceUser' | 'PortalUser'; target: string }[]) =>
    alice.api.holdMatterPeople({ params: { matter_id }, body: { people } })
  const close = (matter_id: string) =>
    assertDone(alice.api.closeLegalMatter({ params: { matter_id }, query: { reason: REASON } }))
  const isHeld = async (params: { target_type: 'DeviceUser' | 'PortalUser'; target: string }) =>
    (await alice.api.readLegalHold({ params })).is_active
  const getPeople = async (matter_id: string) => {
    return (await alice.api.listMatterPeople({ params: { matter_id } })).data
  }

  it('hold several people at once, report an outcome for each, and release them together', async () => {
    const matter_id = await open('Inquiry')
    const [one, two, gone] = [await recorded(), portalUser(), { ...(await recorded()), target: 'unknown' }]
    const { data } = await hold(matter_id, [one, two, gone, { ...two, target: 'retention (system)' }])
    assert.deepEqual(
      data.map(({ target, status }) => [target, status]),
      [
        [one.target, 'Ok'],
        [two.target, 'Ok'],
        ['unknown', 'NoMatchingRecord'],
        ['retention (system)', 'ReservedName'],
      ],
    )
    assert.deepEqual(
      (await hold(matter_id, [one])).data.map(({ status }) => status),
      ['AlreadyHeld'],
    )
    const people = await getPeople(matter_id)
    assert.deepEqual(
      people.map((each) => [each.target, each.is_active, each.protected, each.removed_at]),
      [
        [one.target, true, 1, null],
        [two.target, true, 0, null],
      ],
    )
    const matter = await alice.api.readLegalMatter({ params: { matter_id } })
    assert.deepEqual([matter.people, matter.opened_reason, matter.closed_reason], [2, 'Inquiry', null])
    const held = await alice.api.readLegalHold({ params: one })
    assert.deepEqual(held.matters, [matter.name])
    assert.deepEqual(
      held.periods.map(({ set_for, set_reason, released_with }) => [set_for, set_reason, released_with]),
      [[matter.name, 'Inquiry', null]],
    )
    const closed = await close(matter_id)
    assert.deepEqual([closed.people, closed.closed_by], [2, 'alice'])
    assert.deepEqual([await isHeld(one), await isHeld(two)], [false, false])
    const after = await alice.api.readLegalHold({ params: one })
    assert.equal(after.protected, 1, 'it protects for seven more days')
    assert.deepEqual(
      [after.periods[0]?.released_with, after.periods[0]?.release_reason],
      [matter.name, REASON],
    )
    assert.equal((await alice.api.readLegalMatter({ params: { matter_id } })).closed_reason, REASON)
    await assert.rejects(close(matter_id), problem('wrong_state'))
    await assert.rejects(hold(matter_id, [one]), problem('wrong_state'))
  })

  it('are exported as the recordings of the people in them', async () => {
    const matter_id = await open()
    const [held, released, other] = [await recorded(), await recorded(), await recorded()]
    await hold(matter_id, [held, released, portalUser()])
    await alice.api.releaseMatterPerson({ params: { matter_id, ...released }, query: { reason: REASON } })
    const getItems = async (query: { device_user_reference?: string }, matter = matter_id) =>
      (await alice.api.createExport({ query, body: { matter_id: matter, contents: ['originals'] } })).items
    assert.equal(await getItems({}), 1)
    assert.equal(await getItems({ device_user_reference: other.target }), 0)
    await assert.rejects(getItems({}, '01J00000000000000000000009'), problem('not_found'))
  })

  it('do not release people who are held by another matter or by a hold of their own', async () => {
    const [first, second] = [await open(), await open()]
    const [both, own, later] = [await recorded(), await recorded(), await recorded()]
    await alice.api.setLegalHold({ params: own })
    await hold(first, [both, own, later])
    await hold(second, [both])
    // A separate hold, placed after the matter.
    await alice.api.setLegalHold({ params: later })
    await close(first)
    assert.deepEqual([await isHeld(both), await isHeld(own), await isHeld(later)], [true, true, true])
    await close(second)
    assert.deepEqual([await isHeld(both), await isHeld(own), await isHeld(later)], [false, true, true])
  })

  it('prevent the release of a personal hold while the person belongs to a matter', async () => {
    const matter_id = await open()
    const person = await recorded()
    await alice.api.setLegalHold({ params: person })
    await hold(matter_id, [person])
    const release = () =>
      assertDone(alice.api.releaseLegalHold({ params: person, query: { reason: REASON } }))
    await assert.rejects(release(), problem('held_by_matter'))
    assert.equal(await isHeld(person), true)
    await alice.api.releaseMatterPerson({ params: { matter_id, ...person }, query: { reason: REASON } })
    assert.equal(await isHeld(person), true, 'the separate hold stays')
    assert.equal((await release()).is_active, false)
    await assert.rejects(
      alice.api.releaseMatterPerson({ params: { matter_id, ...person }, query: { reason: REASON } }),
      problem('not_found'),
    )
    // Removed and held again: the matter shows both.
    await hold(matter_id, [person])
    assert.deepEqual(
      (await getPeople(matter_id)).map(({ removed_by }) => removed_by),
      ['alice', null],
    )
  })

  it('hold the current members of a group, but not people who join it later', async () => {
    const matter_id = await open()
    const before = await recorded('South')
    await fixture.sql(`update device_users set deleted_at = 1 where device_user_reference = $1`, [
      (await recorded('South')).target,
    ])
    const { data } = await alice.api.holdMatterPeople({ params: { matter_id }, body: { group: 'South' } })
    const later = await recorded('South')
    assert.ok(data.some(({ target, status }) => target === before.target && status === 'Ok'))
    const [{ total } = { total: 0 }] = await fixture.sql<{ total: number }>(
      `select count(*)::int as total from device_users u join groups g using (client_id, group_id)
       where client_id = $1 and group_reference = 'South' and deleted_at is null`,
      [client_id],
    )
    assert.equal(data.length, total - 1)
    await assert.rejects(isHeld(later), problem('not_found'))
    await assert.rejects(
      alice.api.holdMatterPeople({ params: { matter_id }, body: { group: 'No such' } }),
      problem('not_found'),
    )
    await close(matter_id)
  })

  it('hold the device users of recordings that match a filter, as far as the caller may list them', async () => {
    const matter_id = await open()
    const [person, other] = [await recorded('South'), await recorded('South')]
    const query = { device_user_reference: person.target }
    const holdRecordings = (more: { query: object; body?: { payload_references: string[] } }) =>
      alice.api.holdMatterRecordings({ params: { matter_id }, body: { all: true }, ...more })
    const held = { data: [{ ...person, status: 'Ok' }], without_user: 0, is_cut: false }
    assert.deepEqual(await holdRecordings({ query }), held)
    assert.equal(await isHeld(person), true)
    const page = await alice.api.listPayloads({ query: { device_user_reference: other.target } })
    const without = await storePayload(fixture.server.ctx, { client: 'acme', group: 'South' })
    const chosen = [...page.data.map(({ payload_reference }) => payload_reference), without]
    const { data, without_user } = await holdRecordings({ query, body: { payload_references: chosen } })
    assert.deepEqual([data, without_user], [[{ ...other, status: 'Ok' }], 1])
    await close(matter_id)
  })

  it('hold device users, and the holders of devices, that are chosen or match a filter', async () => {
    const matter_id = await open()
    const [one, two, three] = [await recorded('South'), await recorded('South'), await recorded()]
    const withDevice = async (device_reference: string, holder: string | null) => {
      await fixture.sql(
        `insert into devices (client_id, device_reference, group_id, device_user_id, updated_at, updated_by)
         select g.client_id, $2, g.group_id, u.device_user_id, 0, 'test' from groups g
         left join device_users u on u.client_id = g.client_id and u.device_user_reference = $3
         where g.client_id = $1 and g.group_reference = 'South'`,
        [client_id, device_reference, holder],
      )
      return device_reference
    }
    const phone = await withDevice(`matter phone ${++made}`, two.target)
    const unclaimed = await withDevice(`matter phone ${++made}`, null)
    const params = { matter_id }
    const confined = await fixture.personWith(['Compliance Manager'], ['North'])
    const body = { device_user_references: [one.target, three.target] }
    assert.deepEqual((await confined.api.holdMatterUsers({ params, body })).data, [
      { ...three, status: 'Ok' },
    ])
    const byDevice = { device_references: [phone, unclaimed] }
    assert.deepEqual(await confined.api.holdMatterDevices({ params, body: byDevice }), {
      data: [],
      without_user: 0,
    })
    await fixture.sql(`update device_users set is_legacy = true where device_user_reference = $1`, [
      one.target,
    ])
    const legacy = { is_legacy: true }
    assert.deepEqual((await alice.api.holdMatterUsers({ params, query: legacy, body: { all: true } })).data, [
      { ...one, status: 'Ok' },
    ])
    assert.deepEqual(await alice.api.holdMatterDevices({ params, body: byDevice }), {
      data: [{ ...two, status: 'Ok' }],
      without_user: 1,
    })
    const query = { search: phone }
    assert.deepEqual(await alice.api.holdMatterDevices({ params, query, body: { all: true } }), {
      data: [{ ...two, status: 'AlreadyHeld' }],
      without_user: 0,
    })
    for (const person of [one, two, three]) assert.equal(await isHeld(person), true)
    await close(matter_id)
  })

  it(`hold at most ${MATTER_PEOPLE_LIMIT} people`, async () => {
    const matter_id = await open()
    const people = Array.from({ length: MATTER_PEOPLE_LIMIT }, portalUser)
    for (let i = 0; i < people.length; i += 100) await hold(matter_id, people.slice(i, i + 100))
    await assert.rejects(hold(matter_id, [portalUser()]), (error: ApiProblem) => {
      assert.deepEqual([error.code, error.faults.map(({ code }) => code)], ['wrong_state', ['matter_full']])
      return true
    })
    assert.deepEqual((await hold(matter_id, people.slice(0, 1))).data[0]?.status, 'AlreadyHeld')
    assert.equal((await close(matter_id)).people, MATTER_PEOPLE_LIMIT)
    const [{ held } = { held: -1 }] = await fixture.sql<{ held: number }>(
      'select count(*)::int as held from legal_holds where target = any($1) and is_active',
      [people.map(({ target }) => target)],
    )
    assert.equal(held, 0)
  })

  it('wait for people who are being added before they close, and release them too', async () => {
    const matter_id = await open()
    const person = portalUser()
    const by = 'alice'
    let closing: Promise<unknown> | undefined
    await fixture.server.ctx.db.write(client_id, async (tx) => {
      assert.equal((await lockMatter(tx, matter_id))?.is_open, true)
      const isClosed = (closing = close(matter_id)).then(() => 'closed')
      assert.equal(await Promise.race([isClosed, pause(500, 'waits')]), 'waits')
      await writeHolds(tx, [{ ...person, device_user_id: null }], {
        act: 'set',
        by,
        reason_id: null,
        matter_id,
      })
      await addPeople(tx, matter_id, [person], by)
    })
    await closing
    assert.equal(await isHeld(person), false)
    assert.deepEqual(
      (await getPeople(matter_id)).map(({ removed_by }) => removed_by),
      ['alice'],
    )
  })

  it('cannot be changed or deleted in the database, nor can their people', async () => {
    const matter_id = await open()
    await hold(matter_id, [portalUser()])
    for (const sql of [
      `delete from legal_matter_people where matter_id = '${matter_id}'`,
      `delete from legal_matters where matter_id = '${matter_id}'`,
      `update legal_matters set name = 'Another' where matter_id = '${matter_id}'`,
      `update legal_matter_people set added_by = 'mallory' where matter_id = '${matter_id}'`,
    ])
      await assert.rejects(fixture.sql(sql), /history/, sql)
    await close(matter_id)
    await assert.rejects(
      fixture.sql(
        `update legal_matters set closed_at = null, closed_by = null, closed_reason_id = null where matter_id = '${matter_id}'`,
      ),
      /history/,
    )
  })

  it('are listed newest first by name and state, and are invisible to other clients', async () => {
    const matter_id = await open()
    const { name } = await alice.api.readLegalMatter({ params: { matter_id } })
    const page = await alice.api.listLegalMatters({ query: { search: name.toUpperCase(), is_open: true } })
    assert.deepEqual(
      page.data.map((each) => each.matter_id),
      [matter_id],
    )
    await close(matter_id)
    const none = await alice.api.listLegalMatters({ query: { search: name, is_open: true } })
    assert.ok(none.data.length === 0)
    await assert.rejects(
      alice.api.openLegalMatter({ body: { name: 'x'.repeat(121) } }),
      problem('invalid_input'),
    )
    const reviewer = await fixture.personWith(['Compliance Reviewer'])
    await assert.rejects(reviewer.api.listLegalMatters({}), problem('not_permitted'))
    const gina = await openPerson(fixture.server, 'globex', 'gina', { roles: ['Compliance Manager'] })
    for (const call of [
      () => gina.api.readLegalMatter({ params: { matter_id } }),
      () => gina.api.listMatterPeople({ params: { matter_id } }),
      () => gina.api.holdMatterPeople({ params: { matter_id }, body: { people: [portalUser()] } }),
    ])
      await assert.rejects(call, problem('not_found'))
  })
})
