import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type AccessFixture, accessFixture, allow, type Person } from '../testing/access-fixture.ts'

describe('the group of audit entries', () => {
  let fixture: AccessFixture
  let lead: Person
  before(async () => {
    fixture = await accessFixture()
    await fixture.giveRole('North Lead', [
      {
        actions_matching: ['groups:*', 'activities:list', 'device_activities:list'],
        conditions: [{ keys_matching: ['region'], values_matching: ['North'] }],
      },
      allow('profile:read'),
    ])
    lead = await fixture.personWith(['North Lead'])
  })
  after(() => fixture?.close())

  const saveGroup = (group_reference: string) =>
    lead.api.saveGroup({
      params: { group_reference },
      query: {},
      body: { tags: [{ key: 'region', value: 'North' }] },
    })
  const idOf = async (group_reference: string) =>
    (
      await fixture.sql<{ group_id: number }>(
        `select group_id from groups join clients using (client_id) where client = 'acme' and group_reference = $1`,
        [group_reference],
      )
    )[0]?.group_id
  const entriesOf = (user_reference: string) =>
    fixture.sql<{ user_group: string | null; group_id: number | null }>(
      `select user_group, group_id from portal_activities where user_reference = $1 and action = 'groups:list' order by log_id`,
      [user_reference],
    )
  /** What the lead of North sees of a person. */
  const seenOf = async (user_reference: string) => {
    const answer = await lead.api.listActivities({
      query: { users: [user_reference], actions: ['groups:list'] },
    })
    assert.ok('data' in answer)
    const total = await lead.api.listActivities({
      query: { users: [user_reference], actions: ['groups:list'], type: 'total' },
    })
    assert.deepEqual(total, { total: answer.data.length })
    return answer.data.map(({ group }) => group)
  }

  it('user entries without a group stay hidden after a group of that name is created', async () => {
    await fixture.sql(`update portal_sessions set user_group = 'Board' where user_reference = 'alice'`)
    await fixture.alice.api.listGroups({ query: {} })
    assert.deepEqual(await entriesOf('alice'), [{ user_group: 'Board', group_id: null }])
    await saveGroup('Board')
    assert.deepEqual(await seenOf('alice'), [])

    await fixture.alice.api.listGroups({ query: {} })
    assert.deepEqual(
      (await entriesOf('alice')).map(({ group_id }) => group_id),
      [null, await idOf('Board')],
    )
    assert.deepEqual(await seenOf('alice'), ['Board'], 'what happens from now on is of the new group')

    await lead.api.deleteGroup({ params: { group_reference: 'Board' }, query: {} })
    assert.deepEqual(await seenOf('alice'), [])
    await saveGroup('Board')
    assert.deepEqual(await seenOf('alice'), [], 'the next group of that name is another one')
  })

  it('device entries stay with their group, not with a new group of the same name', async () => {
    await saveGroup('Desk 7')
    const write = (log_id: string, group_id: number | undefined) =>
      fixture.sql(
        `insert into device_activities (log_id, client_id, device_ip, device_reference, activity_time, group_reference, group_id, action,
           is_allowed, parameters, request_id)
         select $1, client_id, '10.0.0.1', 'phone 7', 1600000000, 'Desk 7', $2, 'POST payloads', true, '{}', 'r'
         from clients where client = 'acme'`,
        [log_id, group_id ?? null],
      )
    const seen = async () => {
      const answer = await lead.api.listDeviceActivities({ query: { device_reference: 'phone 7' } })
      assert.ok('data' in answer)
      return answer.data.map(({ log_id }) => log_id)
    }
    await write('none', undefined)
    await write('first', await idOf('Desk 7'))
    assert.deepEqual(await seen(), ['first'])
    await lead.api.deleteGroup({ params: { group_reference: 'Desk 7' }, query: {} })
    await saveGroup('Desk 7')
    await write('second', await idOf('Desk 7'))
    assert.deepEqual(await seen(), ['second'])
    const all = await fixture.alice.api.listDeviceActivities({ query: { groups: ['Desk 7'] } })
    assert.ok('data' in all)
    assert.deepEqual(
      all.data.map(({ log_id }) => log_id).toSorted(),
      ['first', 'none', 'second'],
      'asking for a group goes by its name',
    )
  })

  it('entries of provider staff name no group of the client, even with the same name', async () => {
    await fixture.sql(
      `insert into groups (client_id, group_reference, updated_at, updated_by)
       select client_id, 'Same', 0, 'test' from clients`,
    )
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
    const { ctx } = fixture.server
    const ids = await fixture.sql<{ client_id: number; client: string }>(
      'select client_id, client from clients',
    )
    const client_id = (client: string) => ids.find((each) => each.client === client)?.client_id ?? 0
    const entry = {
      caller: {
        kind: 'portal',
        client_id: client_id('globex'),
        user_reference: 'staff',
        user_group: 'Same',
        group_id: 7,
        roles: [],
      },
      ip: '::1',
      browser: undefined,
      activity_time: 1,
      activity_end_time: 1,
      duration: 0,
      action: 'groups:list',
      is_allowed: true,
      denial_reason: null,
      parameters: '{}',
      status_code: 200,
      request_id: 'r',
    } as const
    await ctx.audit.append({ ...entry, log_id: 'own' })
    await ctx.audit.append({ ...entry, log_id: 'theirs', client_id: client_id('acme') })
    assert.deepEqual(
      (await entriesOf('staff')).map(({ group_id }) => group_id),
      [7, null],
    )
  })
})
