import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { clamdScanner } from '../../ports/scanner/clamd.ts'
import { noScanner } from '../../ports/scanner/none.ts'
import { ScannerUnavailable } from '../../ports/scanner/port.ts'
import { clamdAvailable, eicar, startClamd } from '../../testing/clamd.ts'
import { ingestFixture, sealRecording } from '../../testing/ingest-fixture.ts'
import { requirePart } from '../../testing/require-part.ts'

const withClamd = requirePart('clamd', clamdAvailable())

test('infected and unscannable payloads are quarantined', withClamd, async (t) => {
  const clamd = await startClamd({ limit: 1 << 20 })
  t.after(() => clamd.stop())
  const scanned = await ingestFixture({ scanner: clamdScanner({ path: clamd.path }) })
  t.after(() => scanned.close())
  const mine = await scanned.phone('acme')
  for (const [data, failure] of [
    [eicar, 'malware_found'],
    [randomBytes(3 << 20), 'scan_limit_exceeded'],
    [Buffer.from('clean'), null],
  ] as const) {
    const reference = await mine.deliver(await sealRecording(mine, 'Diagnostics', data))
    await scanned.work()
    const row = await scanned.state(reference)
    assert.deepEqual([row?.state, row?.failure], [failure ? 'Quarantined' : 'Processed', failure])
    // The evidence is stored and intact: the device may delete its copy.
    assert.deepEqual(await mine.status(reference), [{ payload_reference: reference, status: 'processed' }])
  }
  assert.deepEqual(await scanned.sql(`select alert_severity from alerts where alert_scope = 'sec'`), [
    { alert_severity: 'High' },
  ])
})

test('payloads wait while the scanner is unavailable, and none passes unscanned', async (t) => {
  const unreachable = clamdScanner({ path: '/nonexistent.sock' })
  const scanned = await ingestFixture({ scanner: unreachable })
  t.after(() => scanned.close())
  const mine = await scanned.phone('acme')
  const reference = await mine.deliver(await sealRecording(mine, 'SMS', Buffer.from('{"text":"hello"}')))
  const [job] = scanned.sent
  assert.ok(job)
  await assert.rejects(scanned.work(), ScannerUnavailable)
  assert.equal((await scanned.state(reference))?.state, 'Scanning')
  assert.equal((await mine.status(reference))[0]?.status, 'pending')
  Object.assign(scanned.ctx, { scanner: noScanner })
  scanned.sent.push(job)
  await scanned.work()
  assert.equal((await scanned.state(reference))?.state, 'Processed')
})
