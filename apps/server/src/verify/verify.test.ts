import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { SLOTS } from '../ports/keys/local-file.ts'
import { MARK, SLOT } from '../ports/keys/slots/layout.ts'
import { letWordsBeSearched } from '../testing/index-words.ts'
import {
  ingestFixture,
  type IngestFixture,
  sealRecording,
  type TestPhone,
} from '../testing/ingest-fixture.ts'
import { sealAll } from '../testing/seal-all.ts'
import { type Check, CHECKS } from './checks.ts'
import {
  DAMAGED_OBJECTS,
  type Damage,
  force,
  objectsRoot,
  OF_ACME,
  type SharedDamage,
  type Victim,
  writeOld,
} from './damage.test-support.ts'
import { DAMAGED_ACTS, DAMAGED_EVIDENCE } from './damaged-acts.test-support.ts'
import { DAMAGED_COMMENTS } from './damaged-comments.test-support.ts'
import { DAMAGED_PHONES, DAMAGED_RUNS } from './damaged-phones.test-support.ts'
import { DAMAGED_ROWS } from './damaged-rows.test-support.ts'
import { DAMAGED_RULES } from './damaged-rules.test-support.ts'
import { verifyArchive } from './verify.ts'

/** Altered safeguards of the database: name, statement and table. */
const ALTERED = [
  [
    'row-level security not forced',
    'alter table payload_documents no force row level security',
    'payload_documents',
  ],
  ['row-level security off', 'alter table payload_objects disable row level security', 'payload_objects'],
  ['a missing policy', 'drop policy tenant on payload_history', 'payload_history'],
  ['a missing limit to legal matters', 'drop policy matters on payload_plays', 'payload_plays'],
  ['a policy that permits all', 'alter policy tenant on payload_changes using (true)', 'payload_changes'],
  ['an additional policy', 'create policy open on alerts using (true)', 'alerts'],
  ['a disabled trigger', 'alter table payloads disable trigger payload_transition', 'payloads'],
  ['evidence that may be updated', 'grant update on payload_receipts to custodia_app', 'payload_receipts'],
  [
    'a legal hold history that may be changed',
    'alter table legal_hold_events disable trigger kept',
    'legal_hold_events',
  ],
  ['evidence that may be deleted', 'grant delete on payload_audit to custodia_app', 'payload_audit'],
  ['an additional state transition', 'insert into payload_transitions values (2, 5)', 'payload_transitions'],
  [
    'a missing foreign key',
    'alter table payload_work drop constraint payload_work_client_id_payload_id_fkey',
    'payload_work',
  ],
  [
    'a missing primary key',
    'alter table tag_definitions drop constraint tag_definitions_pkey',
    'tag_definitions',
  ],
  [
    'a constraint that was never validated',
    'alter table roles add constraint later check (updated_at > 0) not valid',
    'roles',
  ],
] as const

/** Damages of what the database itself guards. */
const DAMAGED_SAFEGUARDS: readonly SharedDamage[] = ALTERED.map(([name, sql, table]) => ({
  name,
  plant: async (fixture: IngestFixture) => {
    await fixture.sql(sql)
    return [['protection_missing', table] as const]
  },
}))

/** Damages of what payloads share: planted once, after the others; those of safeguards last. */
const SHARED_DAMAGES: readonly SharedDamage[] = [
  {
    name: 'wrong counters',
    plant: async (fixture) => {
      await force(
        fixture,
        `update payload_counts set parts[31] = parts[31] + 1 where grain = 'm' and service = 4 and type = 8 and group_id <> 0 and ${OF_ACME};
         update payload_counts set total = total + 1 where grain = 'y' and service = 4 and type = 0 and group_id = 0 and ${OF_ACME};
         update payload_metrics set last_occurrence = last_occurrence + 1 where type = 8 and scope = 'w' and ${OF_ACME};
         update fleet_counts set count = count + 1 where kind = 'u' and ${OF_ACME}`,
      )
      return [
        ['counts_wrong', /^photos of \d{4}-\d\d of type 8 in group \d+$/],
        ['counts_wrong', /^photos of \d{4}$/],
        ['metrics_wrong', /^type 8 of device \d+ in group \d+ at w \d+$/],
        ['fleet_wrong', /^device users as onboarded in group \d+$/],
      ]
    },
  },
  {
    name: 'a device with a service that was not granted',
    plant: async (fixture) => {
      await force(
        fixture,
        `update devices set granted_services = granted_services || '{gps}' where device_id = (select min(device_id) from devices)`,
      )
      return [
        ['licenses_wrong', /^[0-9A-Z]{26}$/],
        ['fleet_wrong', /^devices as gps in group \d+$/],
      ]
    },
  },
  {
    name: 'a message that is wrongly marked as a duplicate',
    plant: async (fixture) => {
      await force(
        fixture,
        `update payloads set is_copy = true where payload_id = (select min(payload_id) from payload_threads)`,
      )
      return [
        ['copy_wrong', /^[0-9A-Za-z_-]{26,36}$/],
        ['thread_wrong', /^[0-9A-Za-z_-]{26,36}$/],
      ]
    },
  },
  {
    name: 'an entry of the audit log that was changed after it was sealed',
    plant: async (fixture) => {
      const [entry] = await fixture.sql<{ position: number }>(
        `with changed as (update device_activities set parameters = '{"changed":true}'
           where log_id = (select min(source_id) from sealed_entries where source = 'device_activities' and ${OF_ACME}) returning log_id)
         select position from sealed_entries where source_id = (select log_id from changed)`,
      )
      return [['sealed_log_wrong', `entry ${entry?.position}`]]
    },
  },
  {
    name: 'temporary files',
    plant: async (fixture) => {
      await writeOld(join(objectsRoot(fixture), 'parts', 'left.part'))
      return [['upload_left', 'the object store']]
    },
  },
  {
    name: 'a bucket that removes objects and does not keep its locks',
    plant: async ({ ctx }) => {
      Object.assign(ctx.objects, {
        settingFaults: async () => ['lifecycle_rules'],
        lock: { set: async () => undefined, attack: async () => ['deleted'] },
      })
      return [
        ['bucket_wrong', 'the bucket'],
        ['lock_broken', 'the canary'],
      ]
    },
  },
  {
    name: 'account key of another client',
    plant: async (fixture) => {
      await force(
        fixture,
        `update clients set account_key = (select account_key from clients where client = 'acme') where client = 'globex'`,
      )
      return [['key_refused', 'globex']]
    },
  },
  ...DAMAGED_EVIDENCE,
  ...DAMAGED_PHONES,
  ...DAMAGED_RULES,
  ...DAMAGED_RUNS,
  ...DAMAGED_ACTS,
  ...DAMAGED_SAFEGUARDS,
]

/** Damages of one payload each; they can be planted side by side. */
const DAMAGES: readonly Damage[] = [...DAMAGED_OBJECTS, ...DAMAGED_ROWS, ...DAMAGED_COMMENTS]

/** A payload of each kind, as its phone and the processing leave it. `uploaded` ones are delivered after all processing. */
async function makeVictim(fixture: IngestFixture, phone: TestPhone, kind: Damage['on']): Promise<Victim> {
  const type = kind === 'blocked' ? 'AbortedCall' : kind === 'failed' ? 'SMS' : 'Photo'
  const sealed = await sealRecording(phone, type, kind === 'blocked' ? undefined : randomBytes(2000))
  const { payload_reference } = sealed.announcement
  if (kind !== 'blocked' && kind !== 'recorded') await phone.deliver(sealed)
  else await phone.announce(sealed.announcement)
  const row = await fixture.state(payload_reference)
  const key = `acme/${payload_reference}/original-0`
  return {
    payload_id: Number(row?.payload_id),
    payload_reference,
    key,
  }
}

/** How often each damage is planted. `VERIFY_ROUNDS=5` plants more than two hundred. */
const ROUNDS = Number(process.env.VERIFY_ROUNDS ?? 1)
const ALL = { of: 1, rest: 0 }

describe('the archive check', async () => {
  const planned: { damage: Damage; victim: Victim }[] = []
  const others: Victim[] = []
  const verify = () => verifyArchive(fixture.ctx, { open: ALL, threads: 1 })

  const fixture = await ingestFixture()
  const phone = await fixture.phone('acme')
  const elsewhere = await fixture.phone('globex')
  await elsewhere.deliver(await sealRecording(elsewhere, 'Photo', Buffer.from('globex')))
  for (let round = 0; round < ROUNDS; round++) {
    for (const damage of DAMAGES) {
      if (damage.on !== 'uploaded')
        planned.push({ damage, victim: await makeVictim(fixture, phone, damage.on) })
      if (/of another payload/.test(damage.name)) others.push(await makeVictim(fixture, phone, 'photo'))
    }
  }
  await fixture.work()
  await letWordsBeSearched(fixture.ctx, fixture.accounts.acme.client_id, 'acme')
  await sealAll(fixture.ctx, { ...fixture.accounts.acme, client: 'acme' })
  // A running attempt's object has no row yet.
  await fixture.ctx.objects.put(
    'acme/under-way/peaks-0',
    (async function* () {
      yield Buffer.from('young')
    })(),
  )
  after(() => fixture.close())

  it('finds nothing in a sound archive', async () => {
    const report = await verify()
    assert.deepEqual(report.findings, [], report.problem)
    assert.equal(report.outcome, 'clean', report.problem)
    assert.equal(report.checked.payloads, planned.length + others.length + 1)
    assert.ok(report.checked.opened >= planned.filter(({ damage }) => damage.on === 'photo').length)
  })

  it('counts old keys that no row refers to', async () => {
    const { ctx } = fixture
    const unnamed = async () => {
      const { outcome, checked } = await verifyArchive(ctx)
      return [outcome, checked.keys_unnamed]
    }
    const context = { client: 'acme', purpose: 'dek', reference: 'unknown' } as const
    const name = await ctx.keys.put(Buffer.alloc(32, 7), context)
    assert.deepEqual(await unnamed(), ['clean', 0])
    // Named or not, all of them are old now.
    const folder = join(ctx.config.dataDir, 'keys', SLOTS)
    for (const name of (await readdir(folder)).filter((each) => each.endsWith('.slots'))) {
      const file = await open(join(folder, name), 'r+')
      const { size } = await file.stat()
      for (let at = MARK; at < size; at += SLOT) await file.write(Buffer.from([0, 0, 0, 1]), 0, 4, at)
      await file.close()
    }
    assert.deepEqual(await unnamed(), ['clean', 1])
    // One that is to be wiped is still named.
    await force(
      fixture,
      `insert into destruction_intents (client_id, payload_id, key_names, object_keys, since)
       select client_id, -7, array[decode('${name.toString('hex')}', 'hex')], '{}', 1 from clients where client = 'acme'`,
    )
    assert.deepEqual(await unnamed(), ['clean', 0])
    await force(fixture, 'delete from destruction_intents where payload_id = -7')
    const one = await verifyArchive(ctx, { client: 'acme' })
    assert.equal(one.checked.keys_unnamed, undefined)
  })

  it('finds nothing while devices upload and workers process payloads', async () => {
    let busy = true
    const uploading = (async () => {
      while (busy) {
        await phone.deliver(await sealRecording(phone, 'Photo', Buffer.alloc(5000, 1)))
        await phone.announce((await sealRecording(phone, 'BlockedCall', undefined)).announcement)
        await fixture.work()
      }
    })()
    try {
      const report = await verify()
      assert.deepEqual([report.findings, report.problem], [[], undefined])
    } finally {
      busy = false
      await uploading
    }
  })

  it('finds every planted damage with the right check, and nothing else', async () => {
    // Acknowledged, and not processed any more.
    for (let round = 0; round < ROUNDS; round++)
      for (const damage of DAMAGES.filter((each) => each.on === 'uploaded'))
        planned.push({ damage, victim: await makeVictim(fixture, phone, damage.on) })
    const expected = new Map<string, string>()
    for (const { damage, victim } of planned) {
      const other = /of another payload/.test(damage.name) ? others.pop() : undefined
      for (const [check, subject] of await damage.plant(fixture, victim, other ?? victim))
        expected.set(`${check} ${subject}`, damage.name)
    }
    const shared: (readonly [Check, string | RegExp, string])[] = []
    for (const { name, plant } of SHARED_DAMAGES)
      for (const [check, subject] of await plant(fixture)) shared.push([check, subject, name])
    const { outcome, findings, problem, found } = await verify()
    assert.equal(outcome, 'findings', problem)
    const names = new Set(findings.map(({ check, subject }) => `${check} ${subject}`))
    const missed = [...expected].filter(([finding]) => !names.has(finding))
    assert.deepEqual(missed, [], 'not found')
    for (const [check, subject, name] of shared)
      assert.ok(
        findings.some(
          (each) =>
            each.check === check &&
            (typeof subject === 'string' ? each.subject === subject : subject.test(each.subject)),
        ),
        `${name}: ${check} ${subject} is not found`,
      )
    const isShared = (check: Check, subject: string) =>
      shared.some(
        ([name, of]) => name === check && (typeof of === 'string' ? of === subject : of.test(subject)),
      )
    const strange = findings.filter(
      ({ check, subject }) =>
        !expected.has(`${check} ${subject}`) &&
        !isShared(check, subject) &&
        // Counters and sealed rows of payloads that other damages changed.
        !['counts_wrong', 'metrics_wrong', 'sealed_log_wrong'].includes(check),
    )
    assert.deepEqual(strange, [], 'found for nothing')
    const never = Object.keys(CHECKS).filter((check) => !found.some((each) => each.check === check))
    assert.deepEqual(never, [], 'checks that no damage of these tests')
  })

  it('can be limited to one client or to recent changes', async () => {
    const globex = await verifyArchive(fixture.ctx, { client: 'globex' })
    const found = globex.findings.filter(({ client }) => client !== null)
    assert.deepEqual(
      found.map(({ check, client }) => [check, client]),
      [['key_refused', 'globex']],
    )
    const later = await verifyArchive(fixture.ctx, { client: 'acme', since: fixture.ctx.now() + 10 })
    assert.equal(later.checked.payloads, 0)
    const unknown = await verifyArchive(fixture.ctx, { client: 'unknown' })
    assert.deepEqual([unknown.outcome, unknown.problem], ['unverified', 'there is no client unknown'])
  })
})
