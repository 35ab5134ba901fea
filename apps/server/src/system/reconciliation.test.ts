import assert from 'node:assert/strict'
import { createHash, createPublicKey } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { canonical, DAY, type TransferReconciliation } from '@custodia/contract'
import { utcDay } from '@custodia/domain'
import { custodia } from '../testing/command.ts'
import { assertVerifiedOffline } from '../testing/offline-verifier.ts'
import { requirePart } from '../testing/require-part.ts'
import { sshdAvailable } from '../testing/sshd.ts'
import { processAt } from '../testing/stored-payload.ts'
import { type TransferFixture, transferFixture } from '../testing/transfer-fixture.ts'
import { checkReconciliation } from '../transfers/reconciliation/check.ts'
import { countDays, readDay } from '../transfers/reconciliation/figures-store.ts'
import { reconcileConfig } from '../transfers/reconciliation/reconcile.ts'
import { dueReconciliations, listReconciliations } from '../transfers/reconciliation/reconciliation-store.ts'
import { reopenFailed } from '../transfers/run-store.ts'
import { verifyArchive } from '../verify/verify.ts'

/** Everything of the type. */
const REACH = [{ types: ['SMS' as const], groups: 'all' as const }]
const NEVER = new AbortController().signal
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

describe('reconciliation of transfers', requirePart('sshd', sshdAvailable()), () => {
  let fixture: TransferFixture
  let yesterday: number
  before(async () => void (fixture = await transferFixture()))
  after(() => fixture?.close())
  beforeEach(async () => {
    await fixture.clear()
    await fixture.sql('alter table transfer_reconciliations disable trigger kept')
    for (const table of [
      'transfer_reconciliations',
      'transfer_audit',
      'transfer_attempts',
      'transfer_items',
      'transfer_runs',
      'transfer_configs',
      'alerts',
    ])
      await fixture.sql(`delete from ${table}`)
    await fixture.sql('alter table transfer_reconciliations enable trigger kept')
    yesterday = utcDay(fixture.ctx.now()) - DAY
    // A month before what each test is about: a reconciliation counts every day since the first payload.
    await fixture.sql('update payloads set payload_time = $1, claimed_time = null', [yesterday - 30 * DAY])
  })

  const reconcile = (reference: string) =>
    reconcileConfig(fixture.ctx, { ...fixture.account, reference }, NEVER)
  const due = (now = fixture.ctx.now()) =>
    fixture.ctx.db.read(fixture.account.client_id, (q) => dueReconciliations(q, now))
  const listed = (from = 1) =>
    fixture.ctx.db.read(fixture.account.client_id, (q) =>
      listReconciliations(q, { from, to: 1e12 }, undefined, 100),
    )
  /** Brings messages of some times. */
  async function uploadAt(...times: number[]): Promise<string[]> {
    const references = await fixture.upload(times.length)
    for (const [i, time] of times.entries())
      await fixture.sql('update payloads set payload_time = $2 where payload_reference = $1', [
        references[i],
        time,
      ])
    return references
  }
  async function run(reference: string): Promise<string> {
    fixture.fixture.advance(10)
    const transfer_id = await fixture.start(reference)
    await fixture.carryOut(transfer_id)
    return transfer_id
  }
  async function getFile(day: number): Promise<{ text: string; file: TransferReconciliation }> {
    const path = `reconciliation/${new Date(day * 1000).toISOString().slice(0, 10).replaceAll('-', '/')}.json`
    const text = String((await fixture.files()).get(path))
    return { text, file: JSON.parse(text) as TransferReconciliation }
  }
  const publicKeys = async () =>
    (await fixture.ctx.keys.verificationKeys()).map(({ public_key_pem }) => createPublicKey(public_key_pem))
  const findings = async () => {
    const report = await verifyArchive(fixture.ctx)
    return report.findings.filter(({ check }) => ['reconciliation_wrong', 'transfer_wrong'].includes(check))
  }

  it('reports captured, delivered and missing payloads of each day once, signed', async () => {
    await fixture.config('bank')
    const [first = '', second = '', broken = '', dayAfter = ''] = await uploadAt(
      yesterday,
      yesterday + DAY - 1,
      yesterday + 5,
      yesterday - 1,
    )
    await uploadAt(yesterday + DAY)
    const upload = await fixture.loseObject(broken)
    const transfer_id = await run('bank')
    await reconcile('bank')
    const { text, file } = await getFile(yesterday)
    const { reconciliation } = file
    assert.equal(text, canonical(file))
    assert.deepEqual(
      [reconciliation.captured, reconciliation.delivered, reconciliation.missing, reconciliation.version],
      [3, 2, 1, 1],
    )
    assert.deepEqual(reconciliation.reasons, [{ reason: 'transfer_failed', count: 1 }])
    assert.deepEqual(
      reconciliation.missing_payloads.map((each) => [
        each.payload_reference,
        each.payload_type,
        each.payload_time,
      ]),
      [[broken, 'SMS', yesterday + 5]],
    )
    assert.equal(reconciliation.missing_sha256, sha256(`${broken} transfer_failed\n`))
    const items = await fixture.sql<{ item: string; decrypted_checksum: string }>(
      'select item, decrypted_checksum from transfer_items where item = any($1) order by item',
      [[first, second]],
    )
    assert.equal(
      reconciliation.delivered_sha256,
      sha256(items.map((each) => `${each.item} ${each.decrypted_checksum}\n`).join('')),
    )
    assert.equal(checkReconciliation(text, await publicKeys()).outcome, 'good')
    await assertVerifiedOffline(fixture.ctx.keys, file, 'Reconciliation of a transfer')
    assert.deepEqual((await getFile(yesterday - DAY)).file.reconciliation.delivered, 1, dayAfter)
    const days = (await listed()).map((row) => [row.payload_date, row.captured, row.sent_at !== null])
    assert.deepEqual(days, [
      [reconciliation.payload_date, 3, true],
      [new Date((yesterday - DAY) * 1000).toISOString().slice(0, 10), 1, true],
    ])
    const log = await fixture.sql(`select from portal_activities where action = 'transfers:reconcile'`)
    assert.equal(log.length, 2)
    // Without a change, no report is written or sent.
    await reconcile('bank')
    assert.equal((await fixture.sql('select from transfer_reconciliations')).length, 2)
    assert.equal(
      (await fixture.sql(`select from portal_activities where action = 'transfers:reconcile'`)).length,
      2,
    )
    // The repeat delivers, whatever it tried before; one that comes late is captured.
    await upload()
    await fixture.ctx.db.write(fixture.account.client_id, (tx) => reopenFailed(tx, transfer_id, 'bob'))
    await fixture.carryOut(transfer_id)
    const [late = ''] = await uploadAt(yesterday + 9)
    await reconcile('bank')
    const again = (await getFile(yesterday)).file.reconciliation
    assert.deepEqual([again.captured, again.delivered, again.missing, again.version], [4, 3, 1, 2])
    assert.deepEqual(
      again.missing_payloads.map((each) => [each.payload_reference, each.reason]),
      [[late, 'waiting']],
    )
    assert.equal(again.replaces, sha256(canonical(reconciliation)))
    assert.equal((await listed()).length, 2, 'the newest version of each day')
    assert.deepEqual(await findings(), [])
  })

  it('gives the reason for each missing payload', async () => {
    await fixture.config('why')
    const references = await uploadAt(...Array.from({ length: 6 }, (_, i) => yesterday + i))
    const states = [2, 3, 4, 6, 7, 9]
    await fixture.sql('alter table payloads disable trigger user')
    for (const [i, state] of states.entries())
      await fixture.sql(
        'update payloads set state = $2::int, state_before_deletion = case when $2::int = 9 then 5 end where payload_reference = $1',
        [references[i], state],
      )
    const [gone = ''] = await uploadAt(yesterday + 100)
    await fixture.sql(processAt('5', 'payload_reference = $1'), [gone])
    await run('why')
    await fixture.sql('delete from transfer_audit')
    await fixture.sql(`delete from transfer_attempts`)
    await fixture.sql(`delete from transfer_items`)
    fixture.fixture.advance(2 * 3600)
    await run('why')
    const of = { transfer_config_reference: 'why', payload_types: ['SMS' as const], reach: REACH }
    const day = await fixture.ctx.db.read(fixture.account.client_id, (q) => readDay(q, of, yesterday))
    await fixture.sql(`update payloads set state = 5, state_before_deletion = null where state <> 5`)
    await fixture.sql('alter table payloads enable trigger user')
    const reasons = new Map(day.missing_payloads.map((each) => [each.payload_reference, each.reason]))
    assert.deepEqual(
      references.map((each) => reasons.get(each)),
      ['not_uploaded', 'being_processed', 'being_processed', 'quarantined', 'processing_failed', 'deleted'],
    )
    assert.equal(reasons.get(gone), 'not_taken')
    assert.equal(day.captured, 7)
    // Other kinds of payloads are not its own.
    const others = await fixture.ctx.db.read(fixture.account.client_id, (q) =>
      countDays(q, { ...of, payload_types: ['Photo'] }, { from: yesterday, to: yesterday + DAY }),
    )
    assert.equal(others.size, 0)
  })

  it('counts what its role does not reach, and does not name it', async () => {
    await fixture.config('narrow', { role_reference: 'Auditor' })
    const [reference = ''] = await uploadAt(yesterday + 1)
    await reconcile('narrow')
    const [day] = await listed()
    assert.deepEqual(
      [day?.captured, day?.delivered, day?.missing, day?.reasons],
      [1, 0, 1, [{ reason: 'not_permitted', count: 1 }]],
    )
    const kept = await fixture.sql<{ body: string }>(
      'select body::text as body from transfer_reconciliations',
    )
    assert.ok(kept.length > 0 && kept.every(({ body }) => !body.includes(reference)))
  })

  it('lists missing payloads up to a limit and gives their full count', async () => {
    await fixture.config('many')
    await uploadAt(yesterday, yesterday + 7, yesterday + 8)
    const of = { transfer_config_reference: 'many', payload_types: ['SMS' as const], reach: REACH }
    const day = await fixture.ctx.db.read(fixture.account.client_id, (q) => readDay(q, of, yesterday, 2))
    assert.deepEqual([day.missing, day.missing_payloads.length], [3, 2])
  })

  it('waits for the first transfer run of a day and runs once a day', async () => {
    const today = utcDay(fixture.ctx.now())
    await fixture.config('due')
    assert.deepEqual(await due(), [], 'it never ran')
    await run('due')
    assert.deepEqual(await due(), ['due'])
    await reconcile('due')
    assert.deepEqual(await due(), [], 'once a day')
    assert.deepEqual(await due(today + DAY), ['due'])
    await fixture.sql('update transfer_configs set next_at = $1', [today + DAY + 7200])
    assert.deepEqual(await due(today + DAY + 60), [], 'its run comes first')
    assert.deepEqual(await due(today + DAY + 20 * 3600 - 1), [])
    assert.deepEqual(await due(today + DAY + 20 * 3600), ['due'], 'late in the day it is not waited for')
    await fixture.sql(`update transfer_configs set next_at = $1`, [today + 3 * DAY])
    assert.deepEqual(await due(today + DAY + 60), ['due'], 'none comes today')
    await fixture.sql('update transfer_configs set is_active = false')
    assert.deepEqual(await due(today + DAY), [])
  })

  it('produces one version when several workers run it', async () => {
    await fixture.config('one')
    await uploadAt(yesterday)
    await run('one')
    await Promise.all([1, 2, 3].map(() => reconcile('one')))
    const kept = await fixture.sql('select from transfer_reconciliations where payload_date = $1', [
      yesterday,
    ])
    assert.equal(kept.length, 1)
  })

  it('can be verified without the server', async () => {
    await fixture.config('offline')
    await uploadAt(yesterday)
    await run('offline')
    await reconcile('offline')
    const { text } = await getFile(yesterday)
    const folder = await mkdtemp(join(tmpdir(), 'custodia-reconciliation-'))
    try {
      const key = join(folder, 'keys.pem')
      const pems = (await fixture.ctx.keys.verificationKeys()).map(({ public_key_pem }) => public_key_pem)
      await writeFile(key, pems.join(''))
      const tried = async (content: string) => {
        const path = join(folder, 'day.json')
        await writeFile(path, content)
        const { code, out } = await custodia({}, 'certificate', path, `--key=${key}`)
        return [code, out] as const
      }
      const [code, stated] = await tried(text)
      assert.equal(code, 0, stated)
      assert.match(
        stated,
        /GOOD: reconciliation of \S+, version 1, of offline of acme: 1 captured, 1 delivered, 0 missing/,
      )
      const altered = text.replace('"captured":1', '"captured":2')
      assert.notEqual(altered, text)
      assert.equal((await tried(altered))[0], 3)
      assert.equal((await tried(text.slice(0, -9)))[0], 5)
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('sends nothing more to a target that its config leaves meanwhile', async () => {
    await fixture.config('moving')
    await uploadAt(yesterday - DAY, yesterday)
    await run('moving')
    const elsewhere = JSON.stringify({ root_directory: `${fixture.root}/elsewhere` })
    await fixture.sql(
      `create function moves() returns trigger language plpgsql as $$ begin
         update transfer_configs set params = params || '${elsewhere}'; return new; end $$;
       create trigger moves after update of sent_at on transfer_reconciliations for each row execute function moves()`,
    )
    const filesIn = async (folder: string) =>
      [...(await fixture.files()).keys()].filter((path) => path.startsWith(`${folder}reconciliation/`)).length
    try {
      await reconcile('moving')
      assert.deepEqual([await filesIn(''), await filesIn('elsewhere/')], [1, 0])
      await reconcile('moving')
    } finally {
      await fixture.sql('drop trigger moves on transfer_reconciliations; drop function moves()')
    }
    const all = await listed(0)
    assert.ok(all.length > 1 && all.every(({ sent_at }) => sent_at !== null))
    assert.deepEqual([await filesIn(''), await filesIn('elsewhere/')], [1, all.length - 1])
    assert.deepEqual(await fixture.sql('select from alerts'), [])
  })

  it('sends a file that the target refused again unchanged, and raises an alert meanwhile', async () => {
    await fixture.config('later')
    await uploadAt(yesterday)
    await run('later')
    const [config] = await fixture.sql<{ params: object }>('select params from transfer_configs')
    await fixture.sql(`update transfer_configs set params = params || '{"root_directory":"/proc/nowhere"}'`)
    await reconcile('later')
    const rows = await listed()
    assert.deepEqual([rows[0]?.sent_at, typeof rows[0]?.error_message], [null, 'string'])
    const alerts = () =>
      fixture.sql<{ alert_key: string; alert_state: string }>('select alert_key, alert_state from alerts')
    assert.deepEqual(await alerts(), [{ alert_key: 'transfer_unreconciled later', alert_state: 'Triggered' }])
    assert.deepEqual(await due(), ['later'])
    await fixture.sql('update transfer_configs set params = $1', [JSON.stringify(config?.params)])
    await reconcile('later')
    const [sent] = await listed()
    assert.ok(sent?.sent_at && sent.dest_path && sent.error_message === null)
    assert.equal(sent.reconciliation_reference, rows[0]?.reconciliation_reference)
    assert.equal(
      (await getFile(yesterday)).file.reconciliation.reconciliation_reference,
      sent.reconciliation_reference,
    )
    assert.deepEqual(await alerts(), [{ alert_key: 'transfer_unreconciled later', alert_state: 'Cleared' }])
    // A day without a capture gets a report as well, from the first day on.
    await uploadAt(yesterday + DAY)
    fixture.fixture.advance(3 * DAY)
    await reconcile('later')
    const found = (await listed(yesterday)).map(({ captured, delivered, missing }) => [
      captured,
      delivered,
      missing,
    ])
    assert.deepEqual(found, [
      [0, 0, 0],
      [0, 0, 0],
      [1, 0, 1],
      [1, 1, 0],
    ])
    await assert.rejects(
      fixture.sql('update transfer_reconciliations set captured = captured'),
      /are history/,
    )
    await assert.rejects(fixture.sql('delete from transfer_reconciliations'), /are history/)
  })
})
