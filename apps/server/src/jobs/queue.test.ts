import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as z from 'zod/mini'
import { ingestFixture, type IngestFixture } from '../testing/ingest-fixture.ts'
import { until } from '../testing/waits.ts'
import { jobKind } from './kind.ts'
import { openQueue } from './queue.ts'

let fixture: IngestFixture
before(async () => {
  fixture = await ingestFixture()
})
after(() => fixture.close())

test('a job that finally fails raises an alert for the provider', async () => {
  const provider = await fixture.sql<{ client_id: number }>(
    `insert into clients (client, client_name, is_provider, account_key, created_at) values ('admin', 'Provider', true, '', 0)
     returning client_id`,
  )
  const failing = jobKind({
    name: 'test.fails',
    input: z.object({}),
    retries: 0,
    run: () => Promise.reject(new Error('on purpose')),
  })
  const queue = await openQueue(fixture.ctx.db, [failing], () => undefined)
  try {
    await queue.work(fixture.ctx, [failing])
    await fixture.ctx.db.globalWrite((tx) => queue.send(tx, failing, {}))
    const raised = () => fixture.sql<Record<string, unknown>>('select * from alerts')
    const [alert] = await until('the alert', raised, (found) => found.length > 0)
    assert.deepEqual(
      [alert?.client_id, alert?.alert_target, alert?.alert_type, alert?.alert_key],
      [provider[0]?.client_id, 'admin', 'LambdaAlert', 'job test.fails'],
    )
  } finally {
    await queue.stop()
  }
})
