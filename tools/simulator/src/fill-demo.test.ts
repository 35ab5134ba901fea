/** Simulated devices against the real server. The journeys fill the demo, too, and check that every payload arrives. */
import assert from 'node:assert/strict'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { longOnly } from '../../../apps/server/src/testing/long.ts'
import { testServer } from '../../../apps/server/src/testing/server.ts'
import { type DemoOptions, fillDemo } from './fill-demo.ts'
import { runLoad } from './main.ts'
import { demoAccounts } from './media.ts'

// Without ffmpeg: other tests cover conversions, which take a minute for a fleet.
const server = await testServer({}, { hasWorker: true })
const { ctx } = server
const phonesFolder = join(ctx.config.dataDir, 'demo', 'phones')
after(() => server.close())
const enrolments = await demoAccounts(ctx.config.dataDir)
const options: DemoOptions = { serverUrl: server.url, enrolments, now: ctx.now(), phonesFolder }

async function getStates(client: string): Promise<Record<string, number>> {
  const { rows: clients } = await ctx.db.global((q) =>
    q.query<{ client_id: number }>('select client_id from clients where client = $1', [client]),
  )
  const { rows } = await ctx.db.read(clients[0]?.client_id ?? 0, (q) =>
    q.query<{ name: string; count: number }>(
      `select s.name, count(*)::int as count from payloads p join payload_states s on s.code = p.state group by s.name`,
      [],
    ),
  )
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

describe('the demo fleet', () => {
  let total = 0

  it('uploads every payload, and only the tampered one fails', longOnly, async () => {
    const seen: number[] = []
    const report = await fillDemo({ ...options, onProgress: (done) => seen.push(done) })
    total = report.total
    assert.deepEqual(report, { total, processed: total - 1, refused: 1, waiting: 0 })
    assert.equal(Math.max(...seen), total)
    const [acme, globex] = [await getStates('acme'), await getStates('globex')]
    assert.deepEqual(Object.keys(acme).toSorted(), ['Failed', 'NotRecorded', 'Processed'])
    assert.equal(acme.Failed, 1)
    assert.deepEqual(Object.keys(globex).toSorted(), ['NotRecorded', 'Processed'])
    const count = [acme, globex]
      .flatMap((states) => Object.values(states))
      .reduce((sum, each) => sum + each, 0)
    assert.equal(count, total)
  })

  it(
    'creates no duplicate payloads after devices lose everything except their device keys',
    longOnly,
    async () => {
      for (const account of await readdir(phonesFolder))
        for (const phone of await readdir(join(phonesFolder, account)))
          for (const lost of ['queue', 'sealed', 'key.json'])
            await rm(join(phonesFolder, account, phone, lost), { recursive: true, force: true })
      const before = await getStates('acme')
      const report = await fillDemo(options)
      assert.deepEqual([report.processed, report.refused], [total - 1, 1])
      assert.deepEqual(await getStates('acme'), before)
    },
  )
})

describe('the load generator', () => {
  it('uploads every recording until it is processed', async () => {
    const log: string[] = []
    const report = await runLoad({
      serverUrl: server.url,
      enrolments,
      phones: 3,
      minutes: 0.03,
      rate: 200,
      log: (line) => log.push(line),
    })
    assert.deepEqual(log, [])
    assert.ok(report.recorded > 6)
    assert.equal(report.processed, report.recorded)
  })
})
