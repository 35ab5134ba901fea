import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { after, before, beforeEach, describe, it } from 'node:test'
import type { PayloadType, RoleInput } from '@custodia/contract'
import { generateKey } from 'openpgp'
import { openDatabase } from '../ports/database/pool.ts'
import { readHolders } from '../sealed-log/holder-store.ts'
import { shareCheckpoint } from '../sealed-log/share.ts'
import { roleInput } from '../testing/access-fixture.ts'
import { requirePart } from '../testing/require-part.ts'
import { sealAll } from '../testing/seal-all.ts'
import { sshdAvailable } from '../testing/sshd.ts'
import { processAt } from '../testing/stored-payload.ts'
import { type TransferFixture, transferFixture } from '../testing/transfer-fixture.ts'
import { until, untilBlocked } from '../testing/waits.ts'
import { carryOutRun } from './engine.ts'
import { checkpointTargets, startDue, watchKeys } from './jobs.ts'
import { reopenFailed } from './run-store.ts'

const NEVER = new AbortController().signal
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex')

describe('a transfer run to an SFTP server', requirePart('sshd', sshdAvailable()), () => {
  let fixture: TransferFixture
  before(async () => void (fixture = await transferFixture()))
  after(() => fixture?.close())
  beforeEach(async () => {
    await fixture.clear()
    for (const table of [
      'transfer_audit',
      'transfer_attempts',
      'transfer_items',
      'transfer_runs',
      'transfer_configs',
      'alerts',
    ])
      await fixture.sql(`delete from ${table}`)
  })

  const processedAt = (references: readonly string[], at: number) =>
    fixture.sql(processAt('$2', 'payload_reference = any($1)'), [references, at])
  const alerts = () =>
    fixture.sql<{ alert_type: string; alert_key: string; alert_state: string }>(
      'select alert_type, alert_key, alert_state from alerts order by alert_key',
    )

  it('delivers each recording with its metadata once, and records it', async () => {
    await fixture.config('bank')
    const [reference = ''] = await fixture.upload(3)
    fixture.fixture.advance(10)
    const done = await fixture.run('bank')
    assert.equal(done.transfer_state, 'Succeeded')
    assert.equal(done.payload_count, 3)
    const files = await fixture.files()
    assert.equal(files.size, 6)
    const item = done.items.find((each) => each.item === reference)
    assert.ok(item?.dest_path && item.source_path && item.transferred_at)
    const file = files.get(item.dest_path.slice(fixture.root.length + 1))
    assert.ok(file)
    assert.deepEqual(
      [item.encrypted_checksum, item.decrypted_checksum, item.attempts.length],
      [sha256(file), sha256(file), 1],
    )
    const facts = [...files].find(([path]) => path.endsWith(`/${reference}.json`))?.[1]
    const result = JSON.parse(String(facts)) as Record<string, unknown>
    assert.equal(result['payload_reference'], reference)
    assert.equal(result['decrypted_checksum'], sha256(file))
    assert.ok(result['device_reference'] && result['meta'] && result['group'])
    const again = await fixture.run('bank')
    assert.deepEqual([again.transfer_state, again.payload_count], ['Succeeded', 0])
    assert.equal((await fixture.files()).size, 6)
  })

  it('puts checkpoints of the sealed log into a folder of their own', async () => {
    await fixture.config('bank')
    const { ctx } = fixture
    const account = { ...fixture.account, client: 'acme' }
    await sealAll(ctx, account)
    await shareCheckpoint(ctx, account, await checkpointTargets(ctx, account), new AbortController().signal)
    const [held] = await ctx.db.read(account.client_id, readHolders)
    assert.equal(held?.holder, 'transfer bank')
    const files = await fixture.files()
    assert.equal(String(files.get(`checkpoints/acme-${held.size}.txt`)), held.checkpoint)
  })

  it('excludes the end of its time window, and delivers late items with the next run', async () => {
    await fixture.config('window')
    const all = await fixture.upload(2)
    const now = fixture.ctx.now()
    await fixture.sql(processAt('5'))
    await processedAt(all.slice(0, 1), now - 1)
    await processedAt(all.slice(1), now)
    const first = await fixture.run('window')
    assert.equal(first.report_to, now)
    const items = first.items.map(({ item }) => item)
    assert.ok(items.includes(all[0] ?? '') && !items.includes(all[1] ?? ''))
    fixture.fixture.advance(60)
    const next = await fixture.run('window')
    assert.equal(next.report_from, now)
    assert.deepEqual(
      next.items.map(({ item }) => item),
      all.slice(1),
    )
    // A payload that became visible after its window is delivered by the next run.
    const late = await fixture.upload(1)
    await processedAt(late, now - 100)
    fixture.fixture.advance(60)
    assert.deepEqual(
      (await fixture.run('window')).items.map(({ item }) => item),
      late,
    )
  })

  it('reports failed items with a reason, and repeats only those', async () => {
    await fixture.config('partial')
    const [gone = '', ...rest] = await fixture.upload(3)
    fixture.fixture.advance(10)
    const back = await fixture.loseObject(gone)
    const broken = await fixture.run('partial')
    assert.equal(broken.transfer_state, 'PartialFail')
    assert.deepEqual(
      broken.items.filter(({ transfer_state }) => transfer_state === 'Failed').map(({ item }) => item),
      [gone],
    )
    assert.match(broken.items[0]?.error_message ?? '', /^source_unreadable/)
    assert.deepEqual(await alerts(), [
      { alert_type: 'TransferAlert', alert_key: 'transfer_failed partial', alert_state: 'Triggered' },
    ])
    const before = new Map(broken.items.map(({ item, transferred_at }) => [item, transferred_at]))
    await back()
    fixture.fixture.advance(100)
    const { transfer_id } = broken
    assert.ok(
      await fixture.ctx.db.write(fixture.account.client_id, (tx) => reopenFailed(tx, transfer_id, 'bob')),
    )
    await fixture.carryOut(transfer_id)
    const repaired = await fixture.read(transfer_id)
    assert.equal(repaired.transfer_state, 'Succeeded')
    for (const { item, attempts, transferred_at } of repaired.items) {
      assert.equal(attempts.length, item === gone ? 2 : 1)
      if (rest.includes(item)) assert.equal(transferred_at, before.get(item))
    }
    assert.deepEqual(
      repaired.items
        .find(({ item }) => item === gone)
        ?.attempts.map((each) => [each.attempted_by, each.transfer_state]),
      [
        ['alice', 'Failed'],
        ['bob', 'Succeeded'],
      ],
    )
    assert.equal((await alerts())[0]?.alert_state, 'Cleared')
    assert.equal(
      await fixture.ctx.db.write(fixture.account.client_id, (tx) => reopenFailed(tx, transfer_id, 'bob')),
      false,
    )
  })

  it('records a delivery under the day that its device claimed, as its folder', async () => {
    await fixture.config('days')
    const midnight = Date.parse('2026-03-01T00:00:00Z') / 1000
    const [reference] = await fixture.upload(1)
    await fixture.sql(
      'update payloads set payload_time = $2, claimed_time = $3 where payload_reference = $1',
      [reference, midnight, midnight + 10 * 86_400 + 7],
    )
    fixture.fixture.advance(10)
    await fixture.run('days')
    const days = await fixture.sql(
      `select (payload_date - $1)::int / 86400 as day from transfer_audit join payloads using (client_id, payload_id)
       where payload_reference = $2`,
      [midnight, reference],
    )
    assert.deepEqual(days, [{ day: 10 }])
  })

  it('records no delivery without its audit entry, and no entry without a delivery', async () => {
    await fixture.config('together')
    await fixture.upload(1)
    fixture.fixture.advance(10)
    await fixture.sql(
      `create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`,
    )
    try {
      for (const table of ['transfer_audit', 'payload_audit']) {
        await fixture.sql(
          `create trigger refused before insert on ${table} for each row execute function refuse()`,
        )
        const transfer_id = await fixture.start('together')
        await assert.rejects(fixture.carryOut(transfer_id))
        await fixture.sql(`drop trigger refused on ${table}`)
        assert.deepEqual(await fixture.sql('select from transfer_audit'), [], table)
        assert.deepEqual(await fixture.sql('select from transfer_attempts'), [], table)
        const { items } = await fixture.read(transfer_id)
        assert.ok(
          items.every(({ transferred_at }) => transferred_at === null),
          table,
        )
        if (table === 'transfer_audit') await fixture.sql('delete from transfer_items')
      }
    } finally {
      await fixture.sql('drop function refuse cascade')
    }
  })

  it('restarts its report when the payloads change during the run', async (t) => {
    await fixture.config('report', { transfer_type: 'Report' })
    const [gone = '', stays = ''] = await fixture.upload(2)
    fixture.fixture.advance(10)
    const { db } = fixture.ctx
    const read = db.read.bind(db) as (client: number, work: unknown) => Promise<unknown>
    let change: Promise<unknown> | undefined
    t.mock.method(db, 'read', async (client: number, work: unknown) => {
      // The other report file is read at the same time and not sent before the change.
      await change
      const found = await read(client, work)
      const isPage = Array.isArray(found) && (found[0] as { payload_reference?: string })?.payload_reference
      if (isPage) await (change ??= processedAt([gone], fixture.ctx.now() + 1000))
      return found
    })
    const done = await fixture.run('report')
    assert.ok(change)
    assert.deepEqual([done.transfer_state, done.items.length], ['Succeeded', 2])
    const files = [...(await fixture.files()).values()].map(String)
    assert.deepEqual(
      files.map((file) => [file.includes(stays), file.includes(gone)]),
      [
        [true, false],
        [true, false],
      ],
    )
  })

  it('starts once for a due schedule with several workers, and raises an alert when it is late', async () => {
    await fixture.config('daily', { schedule: 'rate(1 hour)' })
    const now = fixture.ctx.now()
    await fixture.sql('update transfer_configs set next_at = $1', [now - (now % 3600)])
    await Promise.all([1, 2, 3, 4].map(() => startDue(fixture.ctx, fixture.account.client_id)))
    const started = await fixture.sql<{ scheduled_for: number }>('select scheduled_for from transfer_runs')
    assert.deepEqual(
      started.map(({ scheduled_for }) => Number(scheduled_for)),
      [now - (now % 3600)],
    )
    fixture.fixture.advance(3 * 3600)
    await startDue(fixture.ctx, fixture.account.client_id)
    assert.equal((await fixture.sql('select from transfer_runs')).length, 2)
    assert.ok((await alerts()).some(({ alert_key }) => alert_key === 'transfer_late daily'))
  })

  it('raises an alert for PGP keys that expire within a month', async () => {
    const keyFor = async (days: number) => {
      const age = Math.ceil(Date.now() / 1000 - fixture.ctx.now())
      const { publicKey } = await generateKey({
        userIDs: [{ name: 'Bank' }],
        format: 'armored',
        keyExpirationTime: days * 86_400 - age,
      })
      return publicKey.replaceAll('\r\n', '\n')
    }
    for (const [name, days] of [
      ['soon', 29],
      ['later', 32],
    ] as const)
      await fixture.config(name, { transfer_file_format: 'PGP', pgp_key: await keyFor(days) })
    await watchKeys(fixture.ctx, fixture.account.client_id)
    assert.deepEqual(
      (await alerts()).map(({ alert_key }) => alert_key),
      ['transfer_key_expires soon'],
    )
  })

  let forty: string[] | undefined
  /** Starts a run of forty messages and changes its config during the second batch: when it begins, or before its first entry. */
  async function changedMeanwhile(
    change: () => Promise<unknown>,
    {
      role_reference = 'Receipt App',
      when = `new.item = $1 and new.transfer_state = 'InProgress'`,
      db = fixture.ctx.db,
    } = {},
  ) {
    forty ??= (await fixture.upload(40, undefined, 'RCS')).toSorted()
    await fixture.config('bank', { payload_types: ['RCS'], role_reference })
    fixture.fixture.advance(10)
    await fixture.sql(
      `create function wait_a_while() returns trigger language plpgsql as $$ begin perform pg_advisory_xact_lock(77); return new; end $$;
       create trigger waits before update on transfer_items for each row
         when (${when.replace('$1', `'${forty[16]}'`)}) execute function wait_a_while()`,
    )
    const holder = await fixture.ctx.db.owner.connect()
    try {
      await holder.query('select pg_advisory_lock(77)')
      const transfer_id = await fixture.start('bank')
      const running = carryOutRun({ ...fixture.ctx, db }, { ...fixture.account, transfer_id }, NEVER)
      const tried = 'select from transfer_attempts where transfer_id = $1'
      try {
        await until('the first batch', async () => (await fixture.sql(tried, [transfer_id])).length >= 16)
        await change()
      } finally {
        await holder.query('select pg_advisory_unlock(77)')
        await running
      }
      return await fixture.read(transfer_id)
    } finally {
      holder.release()
      await fixture.sql('drop trigger waits on transfer_items; drop function wait_a_while()')
    }
  }
  const filesIn = async (folder: string) =>
    [...(await fixture.files()).keys()].filter(
      (path) => path.startsWith(folder) && path.endsWith('.data.json'),
    ).length

  for (const [name, change, why] of [
    ['deleted', `delete from transfer_configs`, 'refused: the transfer config is gone'],
    [
      'switched off',
      'update transfer_configs set is_active = false',
      'refused: the transfer config is switched off',
    ],
  ] as const)
    it(`stops when its config is ${name} during the run`, async () => {
      const done = await changedMeanwhile(() => fixture.sql(change))
      assert.deepEqual([done.transfer_state, done.error_message], ['PartialFail', why])
      const sent = done.succeeded_count
      assert.ok(sent >= 16 && sent <= 32, `${sent} were sent`)
      // Files cut off after their arrival are not stored as delivered.
      assert.ok((await filesIn('')) >= sent)
    })

  it('delivers the remaining items to the changed target of its config', async () => {
    const done = await changedMeanwhile(() =>
      fixture.config('bank', {
        payload_types: ['RCS'],
        params: {
          target_type: 'SFTP',
          server: '127.0.0.1',
          port: fixture.server.port,
          username: fixture.server.username,
          root_directory: `${fixture.root}/elsewhere`,
          host_key: fixture.server.host_key,
        },
      }),
    )
    assert.deepEqual([done.transfer_state, done.succeeded_count], ['Succeeded', 40])
    const moved = await filesIn('elsewhere/')
    assert.ok(moved >= 8 && moved <= 24, `${moved} lie there`)
  })

  it('stops within a batch when its role loses rights', async () => {
    await mayDownload('*')
    // The look at the rights needs a connection of its own: the eight files on their way hold one each, for as long as
    // it takes.
    await using wide = new AsyncDisposableStack()
    const db = await openDatabase({
      connection: fixture.ctx.db.connection,
      appName: 'custodia test',
      max: 12,
    })
    wide.defer(() => db.close())
    const sessionsEnded = async () => (await fixture.server.log()).split('Close session').length
    const done = await changedMeanwhile(
      async () => {
        await untilBlocked(fixture.sql, 8)
        const before = await sessionsEnded()
        await mayDownload('Nowhere')
        await until('the end of the connection', async () => (await sessionsEnded()) > before)
      },
      {
        role_reference: 'Desk',
        when: `new.item >= $1 and new.transfer_state = 'Succeeded'`,
        db: db.within(120),
      },
    )
    assert.equal(done.succeeded_count, 16 + 8)
    assert.equal(await filesIn(''), 16 + 8)
    const left = done.items.filter(({ transfer_state }) => transfer_state === 'Failed')
    assert.equal(left.length, 40 - 16 - 8)
    for (const { error_message } of left) assert.match(error_message ?? '', /^not_permitted/)
  })

  /** Finds or creates groups. */
  async function groupIds(...names: string[]): Promise<number[]> {
    const { client_id } = fixture.account
    for (const name of names)
      await fixture.sql(
        `insert into groups (client_id, group_reference, updated_at, updated_by) values ($1, $2, 0, 'alice')
         on conflict do nothing`,
        [client_id, name],
      )
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
    const found = await fixture.sql<{ group_id: number }>(
      'select group_id from groups where client_id = $1 and group_reference = any($2) order by group_reference',
      [client_id, names],
    )
    return found.map(({ group_id }) => group_id)
  }
  /** A role that may download from one group, some types or all. */
  async function mayDownload(group: string, types: PayloadType[] = []): Promise<void> {
    const permission = {
      actions_matching: ['payloads:download', 'payloads:read', 'payloads:list'],
      conditions: [{ names_matching: [group] }],
    }
    await saveDesk(roleInput([permission], { payload_types: types }))
  }
  /** Saves the role `Desk` for the next run. */
  async function saveDesk(role: RoleInput): Promise<void> {
    await fixture.sql(
      `insert into roles values ($1, 'Desk', $2, 0, 'alice')
       on conflict (client_id, role_reference) do update set document = excluded.document`,
      [fixture.account.client_id, { role_reference: 'Desk', ...role, is_system: false }],
    )
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
  }
  const moveTo = (group_id: number | undefined, ...references: (string | undefined)[]) =>
    fixture.sql('update payloads set group_id = $1 where payload_reference = any($2)', [group_id, references])
  const getItems = ({ items }: { items: { item: string }[] }) => items.map(({ item }) => item)

  it('delivers only what its role may download, and counts what it leaves out', async () => {
    await fixture.sql('update payloads set state = 9, state_before_deletion = 5')
    const [north, south] = await groupIds('North', 'South')
    const [inNorth = '', inSouth = ''] = await fixture.upload(2)
    const [other = ''] = await fixture.upload(1, undefined, 'RCS')
    await moveTo(north, inNorth, other)
    await moveTo(south, inSouth)
    await mayDownload('North', ['SMS'])
    fixture.fixture.advance(10)
    await fixture.config('desk', { role_reference: 'Desk', payload_types: ['SMS', 'RCS'] })
    const first = await fixture.run('desk')
    assert.deepEqual(getItems(first), [inNorth])
    assert.deepEqual([first.transfer_state, first.role_reference], ['Succeeded', 'Desk'])
    assert.deepEqual(
      first.left_out.toSorted((a, b) => (a.reason < b.reason ? -1 : 1)),
      [
        { reason: 'group_not_authorised', payload_type: 'SMS', count: 1 },
        { reason: 'type_not_authorised', payload_type: 'RCS', count: 1 },
      ],
    )
    assert.equal((await fixture.files()).size, 2)
    assert.deepEqual(await alerts(), [], 'it never delivered more')
  })

  it('delivers only the groups of its config, also in reports and after a group is gone', async () => {
    await fixture.sql('update payloads set state = 9, state_before_deletion = 5')
    const [north, south] = await groupIds('North', 'South')
    const [inNorth = '', inSouth = '', elsewhere = ''] = await fixture.upload(3)
    await moveTo(north, inNorth)
    await moveTo(south, inSouth)
    await saveDesk(roleInput([{ actions_matching: ['payloads:*'] }]))
    fixture.fixture.advance(10)
    await fixture.config('south', { role_reference: 'Desk', groups: ['South'] })
    const first = await fixture.run('south')
    assert.deepEqual(getItems(first), [inSouth])
    assert.deepEqual(first.left_out, [{ reason: 'group_not_selected', payload_type: 'SMS', count: 2 }])
    assert.equal((await fixture.files()).size, 2)
    await fixture.config('list', { role_reference: 'Desk', groups: ['South'], transfer_type: 'Report' })
    await fixture.run('list')
    const reports = [...(await fixture.files()).values()].map(String).filter((file) => !file.includes('\0'))
    assert.ok(reports.some((file) => file.includes(inSouth)))
    assert.ok(reports.every((file) => !file.includes(inNorth) && !file.includes(elsewhere)))
    // The group has another name now: its reference is unknown, and nothing takes its place.
    await fixture.sql(`update groups set group_reference = 'Far South' where group_id = $1`, [south])
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
    fixture.fixture.advance(10)
    assert.deepEqual(getItems(await fixture.run('south')), [])
    await fixture.sql(`update groups set group_reference = 'South' where group_id = $1`, [south])
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
  })

  it('reports exclusions when its role loses rights, and delivers payloads that it gains', async () => {
    await fixture.sql('update payloads set state = 9, state_before_deletion = 5')
    const [north, south] = await groupIds('North', 'South')
    const [first = '', inSouth = ''] = await fixture.upload(2)
    await moveTo(north, first)
    await moveTo(south, inSouth)
    await mayDownload('North')
    fixture.fixture.advance(10)
    await fixture.config('desk', { role_reference: 'Desk' })
    assert.deepEqual(getItems(await fixture.run('desk')), [first])
    const [later = ''] = await fixture.upload(1)
    await moveTo(north, later)
    await mayDownload('South')
    fixture.fixture.advance(10)
    const second = await fixture.run('desk')
    assert.deepEqual(getItems(second), [inSouth], 'from the beginning')
    assert.deepEqual(second.left_out, [{ reason: 'group_not_authorised', payload_type: 'SMS', count: 1 }])
    assert.deepEqual(
      [...new Set((await alerts()).map(({ alert_key }) => alert_key))],
      ['transfer_role_narrowed desk'],
    )
    await fixture.sql('delete from roles')
    await fixture.sql('update clients set access_epoch = access_epoch + 1')
    fixture.fixture.advance(10)
    const last = await fixture.run('desk')
    assert.deepEqual([last.transfer_state, last.payload_count], ['Failed', 0])
    assert.match(last.error_message ?? '', /^not_permitted/)
  })

  it('delivers no failed item again that its role may not download any more', async () => {
    await fixture.sql('update payloads set state = 9, state_before_deletion = 5')
    const [north] = await groupIds('North')
    const [gone = ''] = await fixture.upload(1)
    await moveTo(north, gone)
    await mayDownload('North')
    fixture.fixture.advance(10)
    await fixture.config('desk', { role_reference: 'Desk' })
    const back = await fixture.loseObject(gone)
    const { transfer_id } = await fixture.run('desk')
    await back()
    await mayDownload('South')
    await fixture.ctx.db.write(fixture.account.client_id, (tx) => reopenFailed(tx, transfer_id, 'bob'))
    await fixture.carryOut(transfer_id)
    const { transfer_state } = await fixture.read(transfer_id)
    assert.equal(transfer_state, 'Failed')
    assert.equal((await fixture.files()).size, 0)
  })

  it('raises the alert of a role whose use is watched, once a day', async () => {
    const downloads = { actions_matching: ['payloads:download', 'payloads:read'] }
    await saveDesk(roleInput([downloads], { is_alertable: true }))
    await fixture.config('watched', { role_reference: 'Desk', payload_types: ['Photo'] })
    await fixture.run('watched')
    await fixture.run('watched')
    const used = await fixture.sql<{ occurrences: unknown[]; alert_key: string }>(
      `select alert_key, occurrences from alerts where alert_key like 'alertable-role:%'`,
    )
    assert.deepEqual(
      used.map(({ occurrences }) => occurrences.length),
      [1],
    )
    assert.match(used[0]?.alert_key ?? '', /transfer watched \(system\)/)
  })

  it('reports only what its role may list', async () => {
    await fixture.sql('update payloads set state = 9, state_before_deletion = 5')
    const [north, south] = await groupIds('North', 'South')
    const [seen = '', hidden = ''] = await fixture.upload(2)
    await moveTo(north, seen)
    await moveTo(south, hidden)
    await mayDownload('North')
    fixture.fixture.advance(10)
    await fixture.config('report', { role_reference: 'Desk', transfer_type: 'Report' })
    const done = await fixture.run('report')
    assert.deepEqual(done.left_out, [{ reason: 'group_not_authorised', payload_type: 'SMS', count: 1 }])
    const files = [...(await fixture.files()).values()].map(String)
    assert.equal(files.length, 2)
    assert.ok(files.every((file) => file.includes(seen) && !file.includes(hidden)))
  })

  it('sends nothing to a server with a changed host key, and raises an alert', async () => {
    await fixture.config('pinned')
    await fixture.upload(1)
    fixture.fixture.advance(10)
    await fixture.server.swapHostKey()
    const refused = await fixture.run('pinned')
    assert.equal(refused.transfer_state, 'Failed')
    assert.match(refused.error_message ?? '', /^host_key_changed/)
    assert.ok(refused.items.every(({ attempts }) => attempts.length === 1))
    assert.equal((await fixture.files()).size, 0)
    assert.ok((await alerts()).some(({ alert_key }) => alert_key === 'transfer_host_key pinned'))
    await rm(fixture.root, { recursive: true, force: true })
  })
})
