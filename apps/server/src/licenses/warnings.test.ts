import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { demoPhone } from '../testing/phones.ts'
import { openPerson } from '../testing/access-fixture.ts'
import { testServer, type TestServer } from '../testing/server.ts'
import { watchLicenses } from './jobs.ts'
import { forEachService } from './store.ts'

let server: TestServer
before(async () => {
  server = await testServer()
})
after(() => server?.close())

const phone = (name: string) => demoPhone(server.ctx.config.dataDir, server.url, name)
const limit = async (calls: number) => {
  const dave = await openPerson(server, 'admin', 'dave')
  await dave.api.saveLicenses({
    params: { client: 'acme' },
    body: { limits: { ...forEachService(() => 1000), calls } },
  })
}
/** Alerts on Acme's licences: recipient, subject, count. */
async function readState(): Promise<string[]> {
  const run = () => watchLicenses.run(server.ctx, {}, new AbortController().signal)
  await Promise.all([run(), run()])
  const rows = await server.sql<{ stated: string }>(
    `select concat_ws(' ', alert_target, alert_severity, alert_text->>'code', alert_text->'values'->>'service',
       alert_text->'values'->>'used', 'of', alert_text->'values'->>'limit', 'times', occurrence_count) as stated
     from alerts join clients using (client_id) where client = 'acme' and alert_type = 'AccountAlert' order by 1`,
  )
  return rows.map(({ stated }) => stated)
}
const both = (stated: string) => [`admin ${stated}`, `client ${stated}`]

it('notifies client and provider once when licences run out, and again only after a recovery', async () => {
  await limit(4)
  for (const name of ['Harriet', 'Imran', 'Molly']) await (await phone(name)).authenticate()
  assert.deepEqual(await readState(), [], 'three of four')
  await limit(3)
  const up = both('Medium licenses_used_up calls 3 of 3 times 1')
  assert.deepEqual(await readState(), up)
  assert.deepEqual(await readState(), up, 'an unchanged shortage raises no new alert')
  await limit(4)
  await readState()
  await limit(3)
  const again = both('Medium licenses_used_up calls 3 of 3 times 2')
  assert.deepEqual(await readState(), again)
  await server.sql(
    `insert into devices (client_id, device_reference, group_id, services, activated_at, updated_at, updated_by)
     select client_id, 'loose ' || i, group_id, '{calls}'::text[], 1, 1, 'test' from account_defaults join clients using (client_id), generate_series(1, 6) i
     where client = 'acme'`,
  )
  await limit(10)
  assert.deepEqual(await readState(), again, 'fewer than before, which is no news')
  await limit(11)
  await readState()
  await limit(10)
  const nearly = both('Low licenses_nearly_used calls 9 of 10 times 1')
  assert.deepEqual(await readState(), [...again, ...nearly].toSorted())
})

it('lists licence alerts with their client, for the provider and for the client itself', async () => {
  const dave = await openPerson(server, 'admin', 'dave')
  const alice = await openPerson(server, 'acme', 'alice')
  for (const answer of [
    await dave.api.listAlertsOfClients({ query: {} }),
    await alice.api.listAlerts({ query: {} }),
  ]) {
    assert.ok('data' in answer)
    const ours = answer.data.filter(({ alert_type }) => alert_type === 'AccountAlert')
    assert.ok(ours.length > 0 && ours.every(({ client }) => client === 'acme'))
  }
})
