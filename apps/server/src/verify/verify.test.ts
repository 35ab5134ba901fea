import assert from 'node:assert/strict'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { SLOTS } from '../ports/keys/local-file.ts'
import { MARK, SLOT } from '../ports/keys/slots/layout.ts'
import {
  ingestFixture,
  type IngestFixture,
  sealRecording,
  type TestPhone,
} from '../testing/ingest-fixture.ts'
import { letWordsBeSearched } from '../testing/index-words.ts'
import { CHECKS, type Check } from './checks.ts'
import { type Damage, force, objectsRoot, type Victim } from './damage.test-support.ts'
import { SHARED_DAMAGES } from './damaged-whole.test-support.ts'
import { randomBytes } from 'node:crypto'
import { objectPath } from '../ports/objects/filesystem-layout.ts'
import { DAMAGED_OBJECTS } from './damaged-objects.test-support.ts'
import { DAMAGED_ROWS } from './damaged-rows.test-support.ts'
import { verifyArchive } from './verify.ts'

/** Damages of one payload each; they can be planted side by side. */
const DAMAGES: readonly Damage[] = [...DAMAGED_OBJECTS, ...DAMAGED_ROWS]

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
    file: objectPath(objectsRoot(fixture), key),
  }
}

/** How often each damage is planted. `VERIFY_ROUNDS=5` plants more than two hundred. */
const ROUNDS = Number(process.env.VERIFY_ROUNDS ?? 1)
const ALL = { of: 1, rest: 0 }

describe('the archive check', () => {
  let fixture: IngestFixture
  let phone: TestPhone
  const planned: { damage: Damage; victim: Victim }[] = []
  const others: Victim[] = []
  const verify = () => verifyArchive(fixture.ctx, { open: ALL, threads: 2 })

  before(async () => {
    fixture = await ingestFixture()
    phone = await fixture.phone('acme')
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
    // A running attempt's object has no row yet.
    await fixture.ctx.objects.put(
      'acme/under-way/peaks-0',
      (async function* () {
        yield Buffer.from('young')
      })(),
    )
  })
  after(() => fixture?.close())

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
      const { outcome, checked } = await verify()
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
      for (let i = 0; i < 3; i++) {
        const report = await verify()
        assert.deepEqual([report.findings, report.problem], [[], undefined])
      }
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
        // Rows that were doubled, and the counters that follow from them.
        !['counts_wrong', 'metrics_wrong'].includes(check) &&
        !(check === 'protection_missing' && subject === 'payloads'),
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
