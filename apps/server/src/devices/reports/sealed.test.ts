import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { REPORT_SIZE_LIMIT, type Telemetry } from '@custodia/contract'
import { newDek, newKeyPair, sealMeta, wrapDek } from '@custodia/envelope'
import { ulid } from 'ulid'
import { accessFixture } from '../../testing/access-fixture.ts'
import { demoPhone } from '../../testing/phones.ts'

/** The kinds that devices seal: the path and list of their call, and the names of id and time. */
const KINDS = {
  telemetry: { path: 'telemetry', list: 'telemetry', id: 'telemetry_id', time: 'telemetry_time' },
  positions: { path: 'gps', list: 'points', id: 'gps_reference', time: 'timestamp' },
} as const
interface Item {
  id?: string
  at?: number
  document: unknown
  client?: string
  kind?: string
  iv?: string
}

const fixture = await accessFixture()
after(() => fixture.close())
const harriet = await demoPhone(fixture.server.ctx.config.dataDir, fixture.server.url, 'Harriet')
await harriet.authenticate()
const key = await harriet.key()
const now = fixture.server.ctx.now()

describe('sealed reports', () => {
  const report = (more: Partial<Telemetry> = {}): Telemetry => ({
    telemetry_id: `${ulid()}-${ulid()}`,
    telemetry_time: now,
    timezone: 'Europe/London',
    os_version: '16',
    model: 'Google Pixel 10',
    app_version: '4.12.0',
    battery_percentage: 81,
    ...more,
  })
  const position = () => ({
    gps_reference: ulid(),
    timestamp: now,
    latitude: 1,
    longitude: 1,
    timezone: 'UTC',
  })
  /** Uploads reports that a genuine device never sends. */
  const upload = async (
    { path, list, id: idName, time }: (typeof KINDS)[keyof typeof KINDS],
    items: readonly Item[],
    more: { kek?: string; key_id?: string } = {},
  ) => {
    const dek = newDek()
    const token = (await harriet.authenticate()).access_token
    const response = await fetch(`${fixture.server.url}/device/v1/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        key_id: more.key_id ?? key.key_id,
        encrypted_dek: wrapDek(more.kek ?? key.kek, dek),
        [list]: items.map(({ document, client = 'acme', ...item }) => {
          const id = item.id ?? (Reflect.get(Object(document), idName) as string)
          const kind = item.kind ?? (path === 'gps' ? 'position' : path)
          const sealed = sealMeta(dek, { client, payload_reference: id, kind }, document)
          return { [idName]: id, [time]: item.at ?? now, ...sealed }
        }),
      }),
    })
    const body = (await response.json()) as Record<
      string,
      { status: string; reason?: string; path?: string }[]
    >
    return { status: response.status, results: body[list] ?? [] }
  }
  const outcomes = async (...documents: unknown[]) => {
    const { results } = await upload(
      KINDS.telemetry,
      documents.map((document) => ({ document })),
    )
    return results.map(({ status, reason, path }) =>
      [status, reason, path].filter((each) => each !== undefined).join(' '),
    )
  }

  for (const [name, kind] of Object.entries(KINDS))
    it(`are rejected when sealed for another key, client, kind, id or time: ${name}`, async () => {
      const document: Record<string, unknown> = kind === KINDS.telemetry ? { ...report() } : position()
      const failure = async (item: Partial<Item>, more?: Parameters<typeof upload>[2]) =>
        (await upload(kind, [{ id: document[kind.id] as string, document, ...item }], more)).results[0]
          ?.reason
      const stranger = (await newKeyPair()).publicKeyPem
      assert.equal(await failure({}, { kek: stranger }), 'undecryptable_key')
      assert.equal(await failure({}, { key_id: ulid() }), 'undecryptable_key')
      const [{ key_id, public_key } = { key_id: '', public_key: '' }] = await fixture.sql<{
        key_id: string
        public_key: string
      }>(`select key_id, public_key from client_keys join clients using (client_id) where client = 'globex'`)
      assert.equal(await failure({}, { key_id, kek: public_key }), 'undecryptable_key', 'of another client')
      assert.equal(await failure({ client: 'globex' }), 'undecryptable_meta')
      const otherKind = kind === KINDS.telemetry ? 'position' : 'telemetry'
      assert.equal(await failure({ kind: otherKind }), 'undecryptable_meta')
      assert.equal(await failure({ id: `${ulid()}-${ulid().slice(0, 9)}` }), 'meta_mismatch')
      assert.equal(await failure({ at: now + 1 }), 'meta_mismatch')
      assert.equal(await failure({ document: 7 }), 'malformed_meta')
      const deep = JSON.parse(`${'['.repeat(17)}${']'.repeat(17)}`) as unknown
      assert.equal(await failure({ document: deep }), 'malformed_meta')
      if (kind === KINDS.telemetry)
        assert.equal(await failure({ document: Array(50_001).fill(0) }), 'malformed_meta')
      // One invalid report does not affect the others, and one call contains no id twice.
      const good = { document }
      const bad = { id: `${ulid()}-${ulid().slice(0, 9)}`, document }
      const { results } = await upload(kind, [bad, good])
      assert.deepEqual(
        results.map(({ status, reason }) => reason ?? status),
        ['meta_mismatch', 'stored'],
      )
      assert.equal((await upload(kind, [good, good])).status, 400)
    })

  it('are rejected one by one with their fault, which stores the other reports of the call', async () => {
    const good = report({ model: 'Next to invalid ones' })
    assert.deepEqual(
      await outcomes(
        good,
        report({ battery_percentage: 101 }),
        { ...report(), colour: 'red' },
        report({ installed_applications: [{ package_name: '' }] }),
      ),
      [
        'stored',
        'failed malformed_meta battery_percentage',
        'failed malformed_meta colour',
        'failed malformed_meta installed_applications.0.package_name',
      ],
    )
    const stored = await fixture.sql(
      `select from telemetry join telemetry_facts using (client_id, facts_id) where facts->>'model' = 'Next to invalid ones'`,
    )
    assert.equal(stored.length, 1)
  })

  it('are accepted at each limit of telemetry and rejected beyond it', async () => {
    const apps = (length: number) => Array.from({ length }, (_, i) => ({ package_name: `a${i}` }))
    const sim = (slot_index: number) => ({ slot_index, sim_state: 'ready' as const })
    const edges: [Partial<Telemetry>, Partial<Telemetry>, string][] = [
      [{ battery_percentage: 100 }, { battery_percentage: 100.5 }, 'battery_percentage'],
      [{ model: 'm'.repeat(255) }, { model: 'm'.repeat(256) }, 'model'],
      [
        { installed_applications: apps(2000) },
        { installed_applications: apps(2001) },
        'installed_applications',
      ],
      [{ sims: Array.from({ length: 10 }, (_, i) => sim(i)) }, { sims: [sim(10)] }, 'sims.0.slot_index'],
      [{ sims: [sim(0), sim(1)] }, { sims: [sim(1), sim(1)] }, 'sims'],
      [{ os: 'Ændroid' }, { os: 'nul \u0000' }, 'os'],
    ]
    for (const [good, bad, path] of edges) {
      const { telemetry_time = now } = good
      const kept = report(good)
      const { results } = await upload(KINDS.telemetry, [{ at: telemetry_time, document: kept }])
      assert.deepEqual(results, [{ telemetry_id: kept.telemetry_id, status: 'stored' }], path)
      assert.deepEqual(await outcomes(report(bad)), [`failed malformed_meta ${path}`])
    }
  })

  it('are accepted up to 100 in a call, none of them too large', async () => {
    const many = (length: number) =>
      upload(
        KINDS.telemetry,
        Array.from({ length }, () => ({ document: report() })),
      )
    assert.equal((await many(100)).status, 200)
    assert.equal((await many(101)).status, 400)
    assert.equal((await many(0)).status, 400)
    const padded = (size: number) => {
      const document = report({ wifi_name: '' })
      const room = size - Buffer.byteLength(JSON.stringify(document))
      return { ...document, padding: 'x'.repeat(room - '"padding":"",'.length) }
    }
    const largest = padded(REPORT_SIZE_LIMIT)
    // The size is accepted: the failure is an unknown field, so the report was opened.
    assert.deepEqual(await outcomes(largest), ['failed malformed_meta padding'])
    const larger = padded(REPORT_SIZE_LIMIT + 3)
    assert.equal((await upload(KINDS.telemetry, [{ document: larger }])).status, 400)
  })
})
