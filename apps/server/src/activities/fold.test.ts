import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { PortalActivity } from '@custodia/contract'
import fc from 'fast-check'
import { accessFixture, allow, type Person } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'

const BEGIN = 1_600_000_000
const RECORDINGS = ['a', 'b'].map((letter) => letter.repeat(26))

/** An entry of a made-up log. */
interface TestEntry {
  log_id: string
  activity_time: number
  user_reference: string
  action: string
  recording: string
  kind: 'ask' | 'use' | 'expired' | 'refused'
}

const fixture = await accessFixture()
const [acme] = await fixture.sql<{ client_id: number }>(`select client_id from clients where client = 'acme'`)
const client_id = acme?.client_id ?? 0
after(() => fixture.close())

describe('the folded audit log', () => {
  const insert = (rows: readonly TestEntry[], more: object = {}) =>
    fixture.sql(
      `insert into portal_activities (log_id, client_id, activity_time, user_reference, user_ip, action, is_allowed, denial_reason, parameters, request_id, group_id)
       select log_id, $1, activity_time, user_reference, '10.0.0.1', action, is_allowed, denial_reason, parameters, 'r', group_id
       from jsonb_populate_recordset(null::portal_activities, $2)`,
      [client_id, JSON.stringify(rows.map((row) => ({ ...logged(row), ...more })))],
    )
  const logged = ({ recording, kind, ...row }: TestEntry) => ({
    ...row,
    is_allowed: kind === 'ask' || kind === 'use',
    denial_reason:
      kind === 'expired' ? 'address_expired: expired' : kind === 'refused' ? 'not_permitted: no' : null,
    parameters: JSON.stringify(
      kind === 'ask'
        ? { params: { payload_reference: recording }, query: { action: 'play' } }
        : { payload_reference: recording, data_address: 'X', kind: 'original' },
    ),
  })
  type Query = NonNullable<Parameters<Person['api']['listActivities']>[0]['query']>
  const walk = async (query: Query, limit = 200, person = fixture.alice) => {
    const rows: PortalActivity[] = []
    let last_key: string | undefined
    do {
      const page = await person.api.listActivities({
        query: { ...query, limit, ...(last_key ? { last_key } : {}) },
      })
      assert.ok('data' in page)
      rows.push(...page.data)
      last_key = page.last_key
    } while (last_key)
    return rows
  }
  const ids = (rows: readonly { log_id: string }[]) => rows.map(({ log_id }) => log_id)

  const action = 'payloads:play'
  const [recording = ''] = RECORDINGS
  const of = (user_reference: string, entries: readonly (readonly [at: number, kind: TestEntry['kind']])[]) =>
    entries.map(([at, kind], index): TestEntry => ({
      log_id: `${user_reference}${index}`,
      activity_time: BEGIN + at,
      user_reference,
      action,
      recording,
      kind,
    }))

  it('has one row for each play and each refusal, however often the address is renewed', async () => {
    await insert(
      of('zoe', [
        [0, 'ask'],
        [0, 'use'],
        [500, 'expired'],
        [500, 'ask'],
        [501, 'use'],
        [520, 'ask'],
        [521, 'use'],
        [600, 'refused'],
        [900, 'ask'],
      ]),
    )
    const users = ['zoe']
    const rows = await walk({ users, is_folded: true })
    assert.deepEqual(
      rows.map(({ log_id, was_handed_out }) => [log_id, was_handed_out]),
      [
        ['zoe8', false],
        ['zoe7', null],
        ['zoe5', true],
        ['zoe0', true],
      ],
    )
    assert.deepEqual(
      await fixture.alice.api.listActivities({ query: { users, is_folded: true, type: 'total' } }),
      { total: 4 },
    )
    assert.equal((await walk({ users })).length, 9, 'the record itself stays whole')
    assert.deepEqual(ids(await walk({ users, is_folded: true, is_allowed: false })), ['zoe7', 'zoe2'])
    assert.equal((await walk({ users, is_folded: true, search: 'data_address' })).length, 5)
  })

  it('shows a play that began before the period by its first entry within the period', async () => {
    await insert(
      of('yan', [
        [0, 'ask'],
        [30, 'use'],
        [400, 'expired'],
        [401, 'ask'],
        [402, 'use'],
      ]),
    )
    const from = new Date((BEGIN + 10) * 1000)
      .toISOString()
      .slice(0, 19)
      .replace('T', '-')
      .replaceAll(':', '')
    assert.deepEqual(ids(await walk({ users: ['yan'], is_folded: true, from })), ['yan1'])
  })

  it('does not fold entries of different users or groups', async () => {
    const [north] = await fixture.sql<{ group_id: number }>(
      `select group_id from groups where client_id = $1 and group_reference = 'North'`,
      [client_id],
    )
    await insert(of('nia', [[0, 'ask']]))
    // From here on she belongs to a group: who reads that group's entries only must not miss them.
    await insert(
      of('nia', [[1, 'use']]).map((row) => ({ ...row, log_id: 'nia1' })),
      north,
    )
    await insert(of('oto', [[1, 'use']]), north)
    await fixture.giveRole('North log', [
      { actions_matching: ['activities:list'], conditions: [{ names_matching: ['North'] }] },
      allow('profile:*'),
    ])
    const reader = await fixture.personWith(['North log'])
    const query = { payload_reference: recording, is_folded: true, users: ['nia', 'oto'] }
    assert.deepEqual(ids(await walk(query, 200, reader)), ['oto0', 'nia1'])
    assert.deepEqual(ids(await walk(query)), ['oto0', 'nia1', 'nia0'])
  })

  it('loses and repeats no row at any page size', async () => {
    const entry = fc.record({
      gap: fc.constantFrom(0, 0, 1, 5, 9, 11, 59, 61, 400),
      user_reference: fc.constantFrom('p', 'q'),
      recording: fc.constantFrom(...RECORDINGS),
      action: fc.constantFrom('payloads:play', 'payloads:download', 'payloads:read'),
      kind: fc.constantFrom<TestEntry['kind']>('ask', 'ask', 'use', 'use', 'expired', 'refused'),
    })
    let round = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(entry, { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        async (entries, limit) => {
          const prefix = `r${String(round++).padStart(3, '0')}`
          let at = BEGIN
          const log = entries.map(({ gap, user_reference, ...row }, index): TestEntry => {
            at += gap
            const log_id = `${prefix}-${String(index).padStart(3, '0')}`
            return { ...row, log_id, activity_time: at, user_reference: `${prefix}${user_reference}` }
          })
          await insert(log)
          const query = { users: [`${prefix}p`, `${prefix}q`], is_folded: true }
          assert.deepEqual(ids(await walk(query, limit)), ids(foldedByHand(log)).toReversed())
        },
      ),
      { numRuns: 25 },
    )
  })

  it('lists accesses to one recording, with conversations, and describes it to permitted readers', async () => {
    const payload_reference = await storePayload(fixture.server.ctx, {
      client: 'acme',
      group: 'North',
      bytes: Buffer.from('a recorded call'),
    })
    await fixture.giveRole('Listener', [allow('payloads:*', 'profile:read')])
    const carol = await fixture.personWith(['Listener'])
    const { s3_url = '' } = await carol.api.readPayloadData({
      params: { payload_reference },
      query: { action: 'play' },
    })
    for (const range of ['bytes=0-3', 'bytes=4-'])
      await fixture.server.app.inject({
        url: new URL(s3_url).pathname,
        headers: { cookie: carol.cookie(), range },
      })
    await carol.api.readPayload({ params: { payload_reference } })
    await carol.api.readPayload({ params: { payload_reference } })
    // Without the very question, which is logged as well.
    const query = { payload_reference, is_background: false, is_folded: true }
    const rows = await walk(query)
    assert.deepEqual(
      rows.map((row) => [row.user_id, row.action, row.was_handed_out]),
      [
        ['carol', 'payloads:read', null],
        ['carol', 'payloads:play', true],
      ],
    )
    assert.equal((await walk({ ...query, is_folded: false })).length, 4)
    assert.equal(rows[0]?.recording?.seen?.payload_type, 'Call')
    await fixture.giveRole('Log alone', [allow('activities:*', 'profile:read')])
    const stranger = await fixture.personWith(['Log alone'])
    const seen = await walk(query, 200, stranger)
    assert.deepEqual(
      seen.map((row) => row.recording),
      [
        { payload_reference, seen: null },
        { payload_reference, seen: null },
      ],
    )

    // Entries of conversations name no recording: its own audit does.
    const conversation = of('eve', [[5, 'ask']]).map((row) => ({
      ...row,
      recording: 'no',
      action: 'devices.sms:read',
    }))
    await insert(conversation)
    await fixture.sql(
      `insert into payload_audit select client_id, payload_id, $2, 'eve0', 'eve', 'devices.sms:read' from payloads where payload_reference = $1`,
      [payload_reference, BEGIN + 5],
    )
    assert.equal((await walk(query)).at(-1)?.log_id, 'eve0')
    assert.deepEqual(ids(await walk(query, 1)), ids(await walk(query)))
    assert.equal(
      (await walk(query, 200, stranger)).some(({ log_id }) => log_id === 'eve0'),
      false,
    )
  })

  it('leaves out background requests of the portal, but never a refusal', async () => {
    const entry = { activity_time: BEGIN, user_reference: 'bea', recording: 'no', kind: 'ask' } as const
    await insert([
      { ...entry, log_id: 'bea0', action: 'profile:read' },
      { ...entry, log_id: 'bea1', action: 'profile:read', kind: 'refused' },
      { ...entry, log_id: 'bea2', action: 'groups:update' },
    ])
    const users = ['bea']
    assert.deepEqual(ids(await walk({ users, is_background: false })), ['bea2', 'bea1'])
    assert.deepEqual(ids(await walk({ users, is_background: true })), ['bea2', 'bea1', 'bea0'])
  })
})

/** The expected first entries, folded by hand from the written rule. */
function foldedByHand(log: readonly TestEntry[]): TestEntry[] {
  return log.filter((row, index) => {
    const alike = log
      .slice(0, index)
      .filter(
        (each) =>
          each.user_reference === row.user_reference &&
          each.recording === row.recording &&
          each.action === row.action,
      )
    const isDone = ({ kind }: TestEntry) => kind === 'ask' || kind === 'use'
    const within =
      (seconds: number, until = row) =>
      (each: TestEntry) =>
        until.activity_time - each.activity_time <= seconds
    const hasMore = (expired: TestEntry) =>
      alike
        .slice(0, alike.includes(expired) ? alike.indexOf(expired) : alike.length)
        .some((each) => isDone(each) && within(86_400, expired)(each))
    if (row.kind === 'refused') return true
    if (row.kind === 'expired') return !hasMore(row)
    if (row.action === 'payloads:read' || row.kind === 'use')
      return !alike.some((each) => isDone(each) && within(60)(each))
    return !alike.some((each) => each.kind === 'expired' && within(10)(each) && hasMore(each))
  })
}
