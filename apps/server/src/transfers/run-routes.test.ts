import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import { after, before, describe, it, test } from 'node:test'
import { ApiProblem, type Client, makeClient } from '@custodia/client'
import { migration } from '@custodia/domain'
import { assertDone } from '../testing/access-fixture.ts'
import { openSession } from '../testing/alert-fixture.ts'
import { testServer } from '../testing/server.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { csvReport, jsonReport } from './facts.ts'
import type { ItemPayload } from './item-store.ts'

const code = (expected: string) => (error: unknown) => error instanceof ApiProblem && error.code === expected
const getId = (n: number) => `01TRANSFERRVN000000000000${n}`
const run = (n: number) => ({ params: { transfer_id: getId(n) } })
const BANK = { params: { transfer_config_reference: 'bank' } }
const CONFIG = {
  transfer_type: 'Payload' as const,
  payload_types: ['SMS' as const],
  schedule: null,
  pgp_key: null,
  transfer_file_format: 'Uncompressed' as const,
  params: {
    target_type: 'SFTP' as const,
    server: '127.0.0.1',
    port: 22,
    username: 'custodia',
    root_directory: '/in',
    host_key: `SHA256:${'A'.repeat(43)}`,
  },
  sftp_password: 'secret',
}

describe('transfer run routes', () => {
  let server: Awaited<ReturnType<typeof testServer>>
  let root: Client
  before(async () => {
    server = await testServer()
    const token = await openSession(server.ctx, {
      client: 'acme',
      user_reference: 'root',
      roles: ['Account Administrator', 'Compliance Manager'],
    })
    root = makeClient({ baseUrl: server.url, client: () => 'acme', credentials: async () => ({ token }) })
    await root.createTransferConfig({ ...BANK, body: { ...CONFIG, is_active: false } })
    await server.sql(
      `insert into transfer_runs (client_id, transfer_id, transfer_config_reference, transfer_type, transfer_state, created_at, completed_at, report_to, updated_by)
       select client_id, '01TRANSFERRVN000000000000' || n, case n when 3 then 'other' else 'bank' end, case n when 3 then 'Report' else 'Payload' end,
         state, n * 86400, case when state <> 'InProgress' then n * 86400 + 1 end, n * 86400, 'alice'
       from clients, (values (1, 'PartialFail'), (2, 'Succeeded'), (3, 'InProgress')) v (n, state) where client = 'acme'`,
    )
    await server.sql(
      `insert into transfer_items (client_id, transfer_id, item, transfer_config_reference, transfer_state, error_message, dest_path, transferred_at,
         encrypted_checksum, decrypted_checksum)
       select client_id, $1, 'item ' || n, 'bank', state, case state when 'Failed' then 'no_space' end, '/in', case state when 'Succeeded' then 5 end,
         repeat('a', 64), repeat('b', 64)
       from clients, (values (1, 'Succeeded'), (2, 'Failed'), (3, 'Succeeded')) v (n, state) where client = 'acme'`,
      [getId(1)],
    )
    await server.sql(
      `insert into transfer_attempts (client_id, transfer_id, item, attempted_at, attempted_by, transfer_state, error_message)
       select client_id, transfer_id, item, 5, 'alice', transfer_state, error_message from transfer_items`,
    )
  })
  after(() => server?.close())

  const listed = async (query: Parameters<Client['listTransfers']>[0]['query']) => {
    const page = await root.listTransfers({ query })
    assert.ok('data' in page)
    return page
  }
  const getIds = ({ data }: { data: readonly { transfer_id: string }[] }) =>
    data.map(({ transfer_id }) => Number(transfer_id.at(-1)))

  it('list runs newest first, by state, type, config and day, in pages', async () => {
    assert.deepEqual(getIds(await listed({})), [3, 2, 1])
    assert.deepEqual(getIds(await listed({ transfer_states: ['PartialFail', 'Succeeded'] })), [2, 1])
    assert.deepEqual(getIds(await listed({ transfer_types: ['Report'] })), [3])
    assert.deepEqual(getIds(await listed({ transfer_config_reference: 'bank' })), [2, 1])
    assert.deepEqual(getIds(await listed({ from: '1970-01-03', to: '1970-01-03' })), [2])
    const first = await listed({ limit: 2 })
    assert.deepEqual(getIds(first), [3, 2])
    assert.deepEqual(getIds(await listed({ limit: 2, last_key: first.last_key })), [1])
    assert.deepEqual(await root.listTransfers({ query: { type: 'total' } }), { total: 3 })
  })

  it('return a run with its items, failed ones first', async () => {
    const { transfers, ...result } = await root.readTransfer(run(1))
    assert.deepEqual([result.succeeded_count, result.failed_count], [2, 1])
    assert.deepEqual(
      transfers.map(({ item }) => item),
      ['item 2', 'item 1', 'item 3'],
    )
    assert.deepEqual(transfers[0]?.attempts, [
      {
        attempted_at: 5,
        attempted_by: 'alice',
        attempted_by_name: 'Alice Carter',
        error_message: 'no_space',
        transfer_state: 'Failed',
      },
    ])
    const items = await root.listTransferItems({
      ...run(1),
      query: { transfer_states: ['Succeeded'], limit: 1 },
    })
    assert.ok(items.last_key)
    const rest = await root.listTransferItems({
      ...run(1),
      query: { transfer_states: ['Succeeded'], last_key: items.last_key },
    })
    assert.deepEqual(
      [items, rest].map(({ data }) => data[0]?.item),
      ['item 1', 'item 3'],
    )
    await assert.rejects(root.readTransfer(run(9)), code('not_found'))
  })

  it('name the recording of an item to readers of that recording', async () => {
    await server.sql(
      `insert into groups (client_id, group_reference, updated_at, updated_by)
       select client_id, 'Desk', 0, 'root' from clients where client = 'acme'`,
    )
    const parties = [{ contact_name: 'Harriet Cole', phone_number: '+441632960000' }]
    const reference = await storePayload(server.ctx, { client: 'acme', group: 'Desk', document: { parties } })
    await server.sql(
      `update transfer_items i set payload_id = p.payload_id from payloads p
       where p.payload_reference = $1 and i.client_id = p.client_id and i.item = 'item 2'`,
      [reference],
    )
    const seen = async (api: Client) => (await api.readTransfer(run(1))).transfers[0]?.seen
    assert.deepEqual((await seen(root))?.parties, parties)
    const token = await openSession(server.ctx, {
      client: 'acme',
      user_reference: 'ana',
      roles: ['Account Administrator'],
    })
    const administrator = makeClient({
      baseUrl: server.url,
      client: () => 'acme',
      credentials: async () => ({ token }),
    })
    assert.equal(await seen(administrator), null)
  })

  it('queue a failed run again, only if its config is active', async () => {
    // Nothing is sent by a config that is switched off.
    await assert.rejects(root.runTransfer(run(1)), code('wrong_state'))
    await root.updateTransferConfig({ ...BANK, body: { ...CONFIG, is_active: true } })
    const { transfer_state, updated_by, completed_at } = await root.runTransfer(run(1))
    assert.deepEqual([updated_by, completed_at === null || transfer_state !== 'Pending'], ['root', true])
    await assert.rejects(root.runTransfer(run(2)), code('wrong_state'))
  })

  it('return a stable external id that is different for each account', async () => {
    const { external_id, principal } = await root.readTransferIdentity({})
    assert.match(external_id, /^custodia-[0-9a-f]{32}$/)
    assert.equal(principal, null)
    assert.deepEqual(await root.readTransferIdentity({}), { external_id, principal })
    const token = await openSession(server.ctx, {
      client: 'globex',
      user_reference: 'gina',
      roles: ['Account Administrator'],
    })
    const other = makeClient({
      baseUrl: server.url,
      client: () => 'globex',
      credentials: async () => ({ token }),
    })
    assert.notEqual((await other.readTransferIdentity({})).external_id, external_id)
  })

  it('run active configs, test targets, and return the next runs of a schedule', async () => {
    const at = { params: { transfer_config_reference: 'now' } }
    await root.createTransferConfig({ ...at, body: { ...CONFIG, is_active: false } })
    await assert.rejects(root.runTransferConfig(at), code('wrong_state'))
    const active = await assertDone(
      root.updateTransferConfig({ ...at, body: { ...CONFIG, schedule: 'rate(1 day)', is_active: true } }),
    )
    assert.equal(active.next_runs.length, 5)
    const { transfer_id } = await root.runTransferConfig(at)
    const result = await root.readTransfer({ params: { transfer_id } })
    assert.deepEqual([result.report_from, result.scheduled_for, result.updated_by], [null, null, 'root'])
    const { params } = CONFIG
    const tried = await root.testTransferTarget({ ...at, body: { params } })
    assert.deepEqual([tried.is_reached, tried.problem], [false, 'address_forbidden'])
    const { next_runs } = await root.readTransferSchedule({ query: { schedule: 'rate(1 day)' } })
    assert.deepEqual(next_runs, active.next_runs)
    await assert.rejects(root.readTransferSchedule({ query: { schedule: 'daily' } }), code('invalid_input'))
  })
})

async function* whole(text: string) {
  yield text
}

async function* pages(...each: ItemPayload[][]) {
  yield* each
}

const PAYLOAD: ItemPayload = {
  payload_id: 1,
  payload_reference: 'P1',
  payload_type: 'SMS',
  payload_time: 0,
  payload_end_time: null,
  processed_at: null,
  device_reference: 'D',
  device_user_reference: null,
  group_id: 1,
  group: 'one\ntwo',
  is_late: false,
}

test('a report in pages is the same text as in one page', async () => {
  const run = { report_from: null, report_to: 0 }
  const [a, b, c] = ['A', 'B', 'C'].map((payload_reference) => ({ ...PAYLOAD, payload_reference }))
  assert.ok(a && b && c)
  for (const each of [[], [[a]], [[a, b], [c]]]) {
    const json = await text(jsonReport(run, pages(...each)))
    assert.equal(json, `${JSON.stringify(JSON.parse(json), undefined, 2)}\n`)
    const result = JSON.parse(json) as { payloads: { payload_reference: string }[] }
    assert.deepEqual(
      result.payloads.map(({ payload_reference }) => payload_reference),
      each.flat().map(({ payload_reference }) => payload_reference),
    )
    assert.equal(await text(csvReport(pages(...each))), await text(csvReport(pages(each.flat()))))
  }
})

test('a report contains no formulas, and no cell breaks its row', async () => {
  for (const begin of ['=', '+', '-', '@', '\t', '\r', '\n', '＝']) {
    const hostile = `${begin}cmd|"/c calc"!A1,2\r\nb`
    const payload = { ...PAYLOAD, device_reference: hostile, device_user_reference: hostile, group: hostile }
    const rows = []
    for await (const { cells } of migration.csvLines(whole(await text(csvReport(pages([payload]))))))
      rows.push(cells)
    const [heading = [], row = [], ...others] = rows
    assert.deepEqual(others, [])
    assert.equal(row.length, heading.length)
    for (const column of ['device_reference', 'device_user_reference', 'group'])
      assert.equal(row[heading.indexOf(column)], `'${hostile}`)
  }
})
