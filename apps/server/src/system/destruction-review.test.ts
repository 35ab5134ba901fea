import assert from 'node:assert/strict'
import { after, beforeEach, describe, it } from 'node:test'
import { DAY, isProposed } from '@custodia/contract'
import { finishDestruction } from '../destruction/jobs.ts'
import { carryOut } from '../retention/engine.ts'
import { lockList } from '../retention/review/store.ts'
import { accessFixture, allow, getCode, assertDone, openPerson } from '../testing/access-fixture.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { pastTriggers } from '../testing/test-context.ts'
import { untilBlocked } from '../testing/waits.ts'
import { verifyArchive } from '../verify/verify.ts'

const NEVER = new AbortController().signal
const REASON = 'The regulator asked for it'

const fixture = await accessFixture({}, { patience: 60 })
after(() => fixture.close())
const alice = fixture.alice
const ines = await openPerson(fixture.server, 'acme', 'ines')
const client = { client_id: await fixture.server.getId('acme'), client: 'acme' }

describe('the review of destructions', () => {
  const owned = (tables: readonly string[], ...statements: string[]) =>
    pastTriggers(fixture.sql, tables, statements.join('; '))
  beforeEach(async () => {
    await owned(
      [
        'retention_policies',
        'destruction_review_versions',
        'destruction_lists',
        'destruction_list_items',
        'dual_control_versions',
      ],
      'delete from destruction_list_items',
      'delete from destruction_lists',
      'delete from destruction_review_versions',
      'delete from dual_control_versions',
      'delete from retention_policies',
    )
    // What an earlier test left is of today, and so not due.
    await owned(
      ['payloads'],
      `update payloads set payload_time = extract(epoch from clock_timestamp())::bigint where state <> 10`,
    )
    await policy({ destroy_after_days: 10 })
    await assertDone(alice.api.saveDestructionReview({ body: { is_required: true } }))
  })

  const policy = (days: object, by = alice) =>
    by.api.saveRetention({
      body: {
        entries: [{ entity_type: 'Payload', payload_type: 'BlockedCall', ...days }],
        applies_to_kept: true,
      } as never,
    })
  /** Some recordings that are due; what earlier tests left is due as well, unless it was destroyed. */
  const due = (count: number, device_user?: string) =>
    Promise.all(
      Array.from({ length: count }, () =>
        storePayload(fixture.server.ctx, {
          client: 'acme',
          group: 'North',
          device_user,
          payload_type: 'BlockedCall',
          payload_time: Math.floor(Date.now() / 1000) - 20 * DAY,
        }),
      ),
    )
  /** A demo person who holds a phone and is not on legal hold. */
  const anyoneFree = async () => {
    const [person] = await fixture.sql<{ reference: string }>(
      `select device_user_reference as reference from device_users u where client_id = $1
       and not exists (select from legal_holds h where (h.client_id, h.device_user_id) = (u.client_id, u.device_user_id)) limit 1`,
      [client.client_id],
    )
    assert.ok(person)
    return person.reference
  }
  const hold = (target: string) => alice.api.setLegalHold({ params: { target_type: 'DeviceUser', target } })
  const sweep = async (most = 40) => {
    await fixture.sql('delete from retention_positions')
    const destroyed = (await carryOut({ ...fixture.server.ctx, most }, client, NEVER)).destroyed
    // The server’s own worker may run as well; it then finishes its own items.
    const isBusy = async () =>
      (await lists('gathering')).length > 0 ||
      (await fixture.sql('select from retention_positions where ended_at is null')).length > 0
    while (await isBusy()) await carryOut({ ...fixture.server.ctx, most }, client, NEVER)
    return { destroyed }
  }
  const getState = async (reference: string) => {
    const [row] = await fixture.sql<{ state: number }>(
      'select state from payloads where payload_reference = $1',
      [reference],
    )
    return { 5: 'Processed', 9: 'Deleted', 10: 'Destroyed' }[row?.state ?? 0]
  }
  const lists = async (state?: 'waiting' | 'gathering') => {
    return (await ines.api.listDestructions({ query: { state } })).data
  }
  const waiting = async () => {
    const [list, ...more] = await lists('waiting')
    assert.ok(list, 'none waits')
    assert.equal(more.length, 0)
    return { params: { destruction_reference: list.destruction_reference } }
  }
  type One = Awaited<ReturnType<typeof waiting>>
  const release = async (one: One, by = ines) =>
    by.api.releaseDestruction({ ...one, body: { version: (await by.api.readDestruction(one)).version } })
  const takeOut = (one: One, payload_references: string[], is_taken_out = true) =>
    ines.api.changeDestruction({ ...one, body: { payload_references, is_taken_out, reason: REASON } })

  it('gathers due payloads, destroys none of them and raises an alert', async () => {
    await fixture.newAlerts()
    const references = await due(7)
    assert.equal((await sweep(3)).destroyed, 0)
    for (const reference of references) assert.equal(await getState(reference), 'Deleted')
    const one = await waiting()
    const detail = await ines.api.readDestruction(one)
    assert.equal(detail.payloads, 7)
    assert.deepEqual(
      detail.types.map(({ payload_type, payloads }) => [payload_type, payloads]),
      [['BlockedCall', 7]],
    )
    assert.deepEqual(
      detail.policies.map(({ by }) => by),
      ['alice'],
    )
    const entity_id = one.params.destruction_reference
    const [result] = await fixture.sql<{ related_entities: unknown }>(
      'select related_entities from alerts where alert_key = $1',
      [`destruction ${entity_id}`],
    )
    assert.deepEqual(result?.related_entities, [{ entity_id, entity_type: 'Destruction' }])
    assert.deepEqual((await fixture.newAlerts()).length, 1)
    // A second look adds nothing to another list.
    assert.equal((await sweep()).destroyed, 0)
    assert.equal((await lists()).length, 1)
    const page = await ines.api.listDestructionItems({ ...one, query: { limit: 3 } })
    assert.ok(page.data.length === 3 && page.last_key)
    const rest = await ines.api.listDestructionItems({ ...one, query: { last_key: page.last_key } })
    assert.deepEqual(
      [...page.data, ...rest.data].map(({ payload_reference }) => payload_reference).toSorted(),
      references.toSorted(),
    )
  })

  it('is not ended by a user who lost the permission while the release waited', async () => {
    await due(1)
    await sweep()
    const one = await waiting()
    const hugo = await openPerson(fixture.server, 'acme', 'hugo', { roles: ['Compliance Manager'] })
    const refused = await fixture.server.ctx.db.write(client.client_id, async (tx) => {
      await lockList(tx, one.params.destruction_reference)
      const call = getCode(release(one, hugo))
      await untilBlocked(fixture.sql, 1)
      await fixture.sql(`update portal_sessions set roles = '{Auditor}' where user_reference = 'hugo'`)
      return [call]
    })
    assert.equal(await refused[0], 'not_permitted')
    assert.equal((await lists('waiting')).length, 1)
  })

  it('destroys payloads after another person releases the list, except excluded ones', async () => {
    const references = await due(4)
    await sweep()
    const one = await waiting()
    const [kept = '', ...rest] = references
    const before = await ines.api.readDestruction(one)
    await takeOut(one, [kept])
    assert.equal(
      await getCode(ines.api.releaseDestruction({ ...one, body: { version: before.version } })),
      'changed_meanwhile',
    )
    await release(one)
    const { destroyed } = await sweep(3)
    for (const reference of rest) assert.equal(await getState(reference), 'Destroyed')
    assert.equal(await getState(kept), 'Deleted')
    const detail = await ines.api.readDestruction(one)
    assert.deepEqual([detail.destroyed, detail.taken_out], [destroyed, 1])
    assert.equal(detail.released_by, 'ines')
    const out = await ines.api.listDestructionItems({ ...one, query: { state: 'taken_out' } })
    assert.deepEqual(
      out.data.map(({ payload_reference, by, reason }) => [payload_reference, by, reason]),
      [[kept, 'ines', REASON]],
    )
    // It stays whatever the policy is, and enters a list again after its return.
    await sweep()
    assert.equal((await lists('waiting')).length, 0)
    await takeOut(one, [kept], false)
    await carryOut(fixture.server.ctx, client, NEVER)
    const again = await waiting()
    assert.equal((await ines.api.readDestruction(again)).payloads, 1)
    await release(again)
    await sweep()
    assert.equal(await getState(kept), 'Destroyed')
    // Of policies that tests deleted it says more.
    const broken = async () => {
      const { findings } = await verifyArchive(fixture.server.ctx)
      const mine = findings.filter(({ check }) => /destruction|ledger|certificate|proposal/.test(check))
      return mine.map(({ subject, detail }) => [subject, detail])
    }
    assert.deepEqual(await broken(), [])
    await finishDestruction.run(fixture.server.ctx, {}, NEVER)
    await finishDestruction.run(fixture.server.ctx, {}, NEVER)
    const certificates = await alice.api.listCertificates({})
    const certificate_reference = certificates.data[0]?.certificate_reference ?? ''
    const { certificate } = await alice.api.readCertificate({ params: { certificate_reference } })
    const [certified] = certificate.payloads
    assert.deepEqual([certified?.released?.by, certified?.released?.name], ['ines', 'Inês Prado'])
    const tables = ['destruction_review_versions', 'destruction_lists', 'destruction_list_items']
    await owned(tables, `update destruction_lists set released_by = 'alice' where state = 'released'`)
    const all = [...references].toSorted()
    assert.deepEqual(
      (await broken()).toSorted(),
      all.map((reference) => [reference, 'released by who had saved the policy']),
    )
    await owned(
      tables,
      'update destruction_review_versions set at = 1',
      `update destruction_list_items set state = 'kept'`,
    )
    assert.deepEqual(
      (await broken()).toSorted(),
      all.map((reference) => [reference, 'destroyed without a release']),
    )
  })

  it('refuses a release by the author of the policy and by users without permission', async () => {
    const [reference = ''] = await due(1)
    await sweep()
    const one = await waiting()
    assert.equal(await getCode(release(one, alice)), 'same_person')
    await fixture.giveRole('Looker', [
      allow('account.destructions:list'),
      allow('account.destructions:read'),
    ] as never)
    const looker = await fixture.personWith(['Looker'])
    assert.equal(await getCode(release(one, looker)), 'not_permitted')
    const stranger = await getCode(
      (
        await openPerson(fixture.server, 'globex', 'gina', { roles: ['Compliance Manager'] })
      ).api.readDestruction(one),
    )
    assert.equal(stranger, 'not_found')
    await sweep()
    assert.equal(await getState(reference), 'Deleted')
    assert.equal(await getCode(takeOut(one, ['0'.repeat(26)])), 'not_found')
  })

  it('keeps released payloads that are held, restored or no longer due', async () => {
    const person = await anyoneFree()
    const [held = '', restored = '', gone = ''] = [...(await due(1, person)), ...(await due(2))]
    await sweep()
    const one = await waiting()
    await release(one)
    await alice.api.restorePayload({ params: { payload_reference: restored } })
    await fixture.sql(
      `update payloads set restored_at = extract(epoch from clock_timestamp())::bigint where payload_reference = $1`,
      [restored],
    )
    await hold(person)
    await sweep()
    assert.equal(await getState(held), 'Deleted')
    assert.equal(await getState(gone), 'Destroyed')
    assert.equal(await getState(restored), 'Processed')
    const detail = await ines.api.readDestruction(one)
    assert.deepEqual([detail.payloads, detail.kept, detail.destroyed], [3, 2, 1])
  })

  it('keeps what is due by a policy that the reviewer saved since, for another reviewer', async () => {
    const [reference = ''] = await due(1)
    await sweep()
    await release(await waiting())
    await fixture.giveRole('Policy', [
      allow('account.retention:read'),
      allow('account.retention:update'),
    ] as never)
    await policy(
      { destroy_after_days: 1 },
      await openPerson(fixture.server, 'acme', 'ines', { roles: ['Policy'] }),
    )
    await sweep()
    assert.equal(await getState(reference), 'Deleted')
    await sweep()
    const next = await waiting()
    assert.equal(await getCode(release(next)), 'same_person')
    await release(next, alice)
    await sweep()
    assert.equal(await getState(reference), 'Destroyed')
  })

  it('lists no payloads under legal hold', async () => {
    const person = await anyoneFree()
    const [held = ''] = await due(3, person)
    await policy({ delete_after_days: 10 })
    await sweep()
    assert.equal(await getState(held), 'Deleted')
    await hold(person)
    await policy({ destroy_after_days: 10 })
    await sweep()
    assert.deepEqual(await lists(), [])
  })

  it('is enforced by the database, which rejects destructions that were not released', async () => {
    const [reference = ''] = await due(1)
    await sweep()
    const insert = () =>
      fixture.sql(
        `insert into destruction_runs (client_id, run_id, began_at) values (${client.client_id}, 'r', 0) on conflict do nothing;
         insert into destruction_ledger select l.* from jsonb_populate_record(null::destruction_ledger, jsonb_build_object(
           'client_id', ${client.client_id}, 'payload_id', (select payload_id from payloads where payload_reference = '${reference}'))) l`,
      )
    await assert.rejects(insert, /waits for the release of/)
    const one = await waiting()
    await takeOut(one, [reference])
    await assert.rejects(insert, /was taken out/)
  })

  it('needs a second person to be disabled, after which waiting payloads are destroyed', async () => {
    const [kept = '', gone = ''] = await due(2)
    await sweep()
    await takeOut(await waiting(), [kept])
    const off = () => alice.api.saveDestructionReview({ body: { is_required: false } })
    const answer = await off()
    assert.ok(isProposed(answer))
    assert.equal(await getCode(off()), 'already_proposed')
    await sweep()
    assert.equal(await getState(gone), 'Deleted')
    const params = { proposal_id: answer.proposal_id }
    assert.equal(await getCode(alice.api.confirmProposal({ params })), 'same_person')
    await ines.api.confirmProposal({ params })
    assert.equal((await ines.api.readDestructionReview({})).is_required, false)
    await sweep()
    assert.equal(await getState(gone), 'Destroyed')
    assert.equal(await getState(kept), 'Deleted')
    assert.deepEqual(
      (await lists()).map(({ state }) => state),
      ['lapsed'],
    )
  })

  it('does not apply to an account that does not require it', async () => {
    await owned(['destruction_review_versions'], 'delete from destruction_review_versions')
    const [reference = ''] = await due(1)
    await sweep()
    assert.equal(await getState(reference), 'Destroyed')
    assert.equal((await lists()).length, 0)
  })
})
