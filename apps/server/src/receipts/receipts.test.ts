import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Client, makeClient } from '@custodia/client'
import { openPerson, type Person, problem, roleInput } from '../testing/access-fixture.ts'
import { opensslAvailable, testIssuer, type TestIssuer } from '../testing/issuer.ts'
import { requirePart } from '../testing/require-part.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { storePayload } from '../testing/stored-payload.ts'

describe('receipts', requirePart('openssl', opensslAvailable()), () => {
  let server: TestServer
  let issuer: TestIssuer
  let alice: Person
  before(async () => {
    issuer = await testIssuer()
    server = await testServer({ EGRESS_ALLOW: issuer.issuer })
    alice = await openPerson(server, 'acme', 'alice')
  })
  after(async () => {
    await server?.close()
    await issuer?.close()
  })

  /** An app of acme with this role. */
  async function app(app_reference: string, role: string): Promise<Client> {
    const { issuer: iss, jwks_uri } = issuer
    await alice.api.createClientApp({
      params: { app_reference },
      body: {
        oidc_config: { issuer: iss, audience: `audience ${app_reference}`, jwks_uri },
        group: null,
        roles: [role],
        cidr_ranges: [],
      },
    })
    const now = server.ctx.now()
    const token = await issuer.sign({ iss, aud: `audience ${app_reference}`, iat: now, exp: now + 600 })
    return makeClient({ baseUrl: server.url, client: () => 'acme', credentials: async () => ({ token }) })
  }
  const confirm = async (by: Client, ...payload_references: string[]) =>
    (await by.confirmReceipts({ body: { payload_references } })).receipts
  const store = (more: Partial<Parameters<typeof storePayload>[1]> = {}) =>
    storePayload(server.ctx, { client: 'acme', group: 'North', ...more })

  it('are confirmed by each app for itself, and the first time counts', async () => {
    const archive = await app('Archive', 'Receipt App')
    const call = await store()
    const sms = await store({ payload_type: 'SMS' })
    const waiting = await store({ payload_state: 'Uploaded' })
    const blocked = await store({ payload_type: 'BlockedCall', payload_state: 'Uploaded' })
    const foreign = await store({ client: 'globex', group: 'Brokers' })
    const made_up = '0'.repeat(26)
    const first = await confirm(archive, call, waiting, blocked, foreign, made_up)
    assert.deepEqual(
      first.map((each) => each.status),
      ['Ok', 'NoMatchingRecord', 'NoMatchingRecord', 'NoMatchingRecord', 'NoMatchingRecord'],
    )
    assert.deepEqual(
      first.slice(1).map((each) => each.confirmed_at),
      [null, null, null, null],
    )
    await server.sql('update payload_receipts set confirmed_at = confirmed_at - 100')
    const again = await confirm(archive, sms, call)
    assert.deepEqual(
      again.map((each) => each.status),
      ['Ok', 'Ok'],
    )
    assert.equal(again[1]?.confirmed_at, (first[0]?.confirmed_at ?? 0) - 100)
    const detail = await alice.api.readPayload({ params: { payload_reference: call } })
    assert.deepEqual(
      [detail.receipt_confirmed_at, detail.receipt_confirmed_by],
      [again[1]?.confirmed_at, 'Archive'],
    )
    const audit = await alice.api.readPayloadAudit({ params: { payload_reference: call } })
    assert.deepEqual(audit.receipts, [
      { client_app_user: 'Archive', confirmed_at: again[1]?.confirmed_at, is_person: false },
    ])
    assert.deepEqual(audit.records, [], 'an app is no portal user')
    const second = await app('Second', 'Receipt App')
    await confirm(second, call)
    const both = await alice.api.readPayloadAudit({ params: { payload_reference: call } })
    assert.deepEqual(
      both.receipts.map((each) => each.client_app_user),
      ['Second', 'Archive'],
    )
  })

  it('are confirmed for blocked and aborted calls, which have no content', async () => {
    const ledger = await app('Ledger', 'Receipt App')
    const blocked = await store({ payload_type: 'BlockedCall', payload_state: 'NotRecorded' })
    const [receipt] = await confirm(ledger, blocked)
    assert.equal(receipt?.status, 'Ok')
    const detail = await alice.api.readPayload({ params: { payload_reference: blocked } })
    assert.equal(detail.receipt_confirmed_by, 'Ledger')
  })

  it('are stored once when parallel calls confirm them', async () => {
    const busy = await app('Busy', 'Receipt App')
    const call = await store()
    await Promise.all(Array.from({ length: 8 }, () => confirm(busy, call)))
    const rows = await server.sql(
      `select count(*)::int as n from payload_receipts where client_app_user = 'Busy'`,
    )
    assert.equal(rows[0]?.n, 1)
  })

  it('follow the groups and payload types of the app', async () => {
    await server.sql(
      `insert into roles select client_id, 'North Calls', $1, 0, 'test' from clients where client = 'acme'`,
      [
        {
          role_reference: 'North Calls',
          ...roleInput(
            [{ actions_matching: ['receipts:confirm'], conditions: [{ names_matching: ['North'] }] }],
            { payload_types: ['Call'] },
          ),
          is_system: false,
        },
      ],
    )
    await server.sql(`update clients set access_epoch = access_epoch + 1 where client = 'acme'`)
    const north = await app('North', 'North Calls')
    const answers = await confirm(
      north,
      await store(),
      await store({ payload_type: 'SMS' }),
      await store({ group: 'South' }),
    )
    assert.deepEqual(
      answers.map((each) => each.status),
      ['Ok', 'TypeNotAuthorised', 'GroupNotAuthorised'],
    )
  })

  it('distinguish users from apps of the same name', async () => {
    const app_named_alice = await app('alice', 'Receipt App')
    const call = await store()
    const other = await store()
    await confirm(app_named_alice, call)
    await server.sql('update payload_receipts set confirmed_at = confirmed_at - 100')
    const [first] = await confirm(alice.api as Client, call)
    assert.equal(first?.status, 'Ok')
    assert.deepEqual(await confirm(alice.api as Client, call), [first], 'the first time counts')
    const { receipts } = await alice.api.readPayloadAudit({ params: { payload_reference: call } })
    assert.deepEqual(
      receipts.map(({ client_app_user, is_person }) => [client_app_user, is_person]),
      [
        ['alice', true],
        ['alice', false],
      ],
    )
    const detail = await alice.api.readPayload({ params: { payload_reference: call } })
    assert.deepEqual([detail.receipt_confirmed_by, detail.receipt_is_of_person], ['alice', true])
    const listed = async (has_receipt?: boolean) => {
      const query = { include: ['receipt' as const], ...(has_receipt !== undefined && { has_receipt }) }
      const page = await alice.api.listPayloads({ query })
      const total = await alice.api.listPayloads({ query: { ...query, type: 'total' } })
      if (has_receipt !== undefined) assert.deepEqual(total, { total: page.data.length })
      return page.data
    }
    const row = (await listed()).find(({ payload_reference }) => payload_reference === call)
    assert.deepEqual(
      [row?.receipt_confirmed_by, row?.receipt_is_of_person, row?.receipt_confirmed_at],
      ['alice', true, first.confirmed_at],
    )
    const has = (rows: { payload_reference: string }[], reference: string) =>
      rows.some(({ payload_reference }) => payload_reference === reference)
    const [confirmed, open] = [await listed(true), await listed(false)]
    assert.deepEqual([has(confirmed, call), has(confirmed, other)], [true, false])
    assert.deepEqual([has(open, call), has(open, other)], [false, true])
    const bob = await openPerson(server, 'acme', 'bob')
    await assert.rejects(confirm(bob.api as Client, other), problem('not_permitted'))
  })
})
