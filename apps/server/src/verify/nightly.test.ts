import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { after, test } from 'node:test'
import { packsFolder, segmentFiles, segmentPath } from '../ports/objects/pack-record.ts'
import { ingestFixture, sealRecording } from '../testing/ingest-fixture.ts'
import { objectsRoot } from './damage.test-support.ts'
import { newestVerifyRun, verifyNightly } from './jobs.ts'
import { verifyArchive } from './verify.ts'

const DAY = 86_400

const fixture = await ingestFixture()
after(() => fixture.close())

const night = () => verifyNightly.run(fixture.ctx, {}, new AbortController().signal)
const runs = () =>
  fixture.sql<{ outcome: string; opened_part: string }>('select * from verify_runs order by run_id')
const alerts = () =>
  fixture.sql<Record<string, unknown>>('select * from alerts order by client_id, alert_key')

test('the archive is verified once a night, opened within a week, and findings alert the provider', async () => {
  const [provider] = await fixture.sql<{ client_id: number }>(
    `insert into clients (client, client_name, is_provider, account_key, created_at) values ('admin', 'Provider', true, $1, $2) returning client_id`,
    [
      await fixture.ctx.keys.wrap(Buffer.alloc(32), {
        client: 'admin',
        purpose: 'account_key',
        reference: 'admin',
      }),
      fixture.ctx.now(),
    ],
  )
  const phone = await fixture.phone('acme')
  const references: string[] = []
  for (let i = 0; i < 14; i++)
    references.push(await phone.deliver(await sealRecording(phone, 'Photo', Buffer.alloc(2000, i))))
  await fixture.work()

  await night()
  assert.deepEqual(await runs(), [], 'not in the night of the installation')
  let opened = 0
  for (let i = 0; i < 7; i++) {
    fixture.advance(DAY)
    await night()
    await night()
    opened += (await newestVerifyRun(fixture.ctx.db))?.checked.opened ?? 0
  }
  assert.equal((await runs()).length, 7, 'once a night')
  assert.equal(new Set((await runs()).map((run) => run.opened_part)).size, 7)
  assert.equal(opened, references.length, 'everything within a week')
  assert.deepEqual(
    (await runs()).map((run) => run.outcome),
    Array(7).fill('clean'),
  )
  assert.deepEqual(await alerts(), [])
  const entries = await fixture.sql<{ parameters: string }>(
    `select parameters from portal_activities where client_id = $1 and action = 'integrity:check' order by activity_time`,
    [fixture.accounts.acme.client_id],
  )
  const noted = entries.map(({ parameters }) => (JSON.parse(parameters) as { body: { opened: number } }).body)
  assert.equal(noted.length, 7, 'each check is in the log of the client')
  assert.equal(
    noted.reduce((sum, { opened }) => sum + opened, 0),
    references.length,
  )

  await fixture.sql('alter table payload_documents no force row level security')
  fixture.advance(DAY)
  // One that this night does not open, which would find once more that it is missing.
  const [lost] = await fixture.sql<{ reference: string }>(
    'select payload_reference as reference from payloads where payload_id % 7 <> $1 limit 1',
    [Math.floor(fixture.ctx.now() / DAY) % 7],
  )
  await fixture.ctx.objects.delete(`acme/${lost?.reference}/original-0`)
  await night()
  assert.equal((await newestVerifyRun(fixture.ctx.db))?.outcome, 'findings')
  const result = (await alerts()).map((row) => [
    row.client_id,
    row.alert_target,
    row.alert_type,
    row.alert_key,
    row.alert_message,
  ])
  const end = '`custodia verify` names each of them.'
  assert.deepEqual(result, [
    [
      fixture.accounts.acme.client_id,
      'admin',
      'LambdaAlert',
      'archive damaged',
      `Found: object_missing 1. ${end}`,
    ],
    [provider?.client_id, 'admin', 'LambdaAlert', 'archive damaged', `Found: protection_missing 1. ${end}`],
  ])

  // The segments of packed objects are gone, and their index still names each one.
  const packs = packsFolder(objectsRoot(fixture))
  for (const segment of segmentFiles(packs)) await rm(segmentPath(packs, segment))
  const { findings } = await verifyArchive(fixture.ctx)
  const missing = findings.filter(({ check }) => check === 'object_missing').map(({ subject }) => subject)
  assert.deepEqual([...new Set(missing)].toSorted(), references.toSorted())
})

test('a night without a complete verification raises an alert', async () => {
  fixture.advance(DAY)
  const unreachable = { ...fixture.ctx, objects: { ...fixture.ctx.objects, list: () => failing() } }
  await verifyNightly.run(unreachable, {}, new AbortController().signal)
  assert.equal((await newestVerifyRun(fixture.ctx.db))?.outcome, 'unverified')
  const result = (await alerts()).filter((row) => row.alert_key === 'archive unverified')
  assert.deepEqual(
    result.map((row) => row.alert_message),
    ['The nightly check ended early: the store does not answer'],
  )
})

// oxlint-disable-next-line require-yield
async function* failing(): AsyncGenerator<never> {
  throw new Error('the store does not answer')
}
