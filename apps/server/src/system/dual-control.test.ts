import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ApiProblem } from '@custodia/client'
import {
  isProposed,
  type RoleInput,
  type TransferConfigInput,
  type TransferSettings,
} from '@custodia/contract'
import fc from 'fast-check'
import { AuditLog } from '../http/audit.ts'
import { disableDualControl } from '../proposals/disable-dual-control.ts'
import {
  type AccessFixture,
  accessFixture,
  openPerson,
  type Person,
  roleInput,
} from '../testing/access-fixture.ts'
import { LONG } from '../testing/long.ts'
import { storePayload } from '../testing/stored-payload.ts'
import { ruleOfTwo } from '../testing/test-context.ts'
import { carryOutRun } from '../transfers/engine.ts'
import { findConfig } from '../transfers/store.ts'
import { PROPOSALS } from '../verify/retention.ts'

const params = { transfer_config_reference: 'archive' }
const TARGET = {
  target_type: 'SFTP',
  server: '127.0.0.1',
  port: 22,
  username: 'archive',
  root_directory: '/in',
  host_key: `SHA256:${'A'.repeat(43)}`,
} as const
const CONFIRMED: TransferSettings = {
  transfer_type: 'Payload',
  payload_types: ['SMS', 'Photo'],
  schedule: 'rate(1 day)',
  pgp_key: null,
  transfer_file_format: 'Zipped',
  params: TARGET,
  is_active: true,
  groups: null,
  role_reference: 'Desk',
}
/** What the role reaches when the config is confirmed: messages and photos of North, no calls. */
const DESK = roleInput([
  {
    actions_matching: ['payloads:download', 'payloads:read', 'payloads:list'],
    conditions: [{ names_matching: ['North'] }],
  },
])

type Act =
  | { act: 'save' | 'create'; change: Change }
  | { act: 'role'; role: RoleInput }
  | { act: 'delete' | 'run' | 'confirm' | 'rule' }

type Change = Partial<TransferConfigInput>
/** Changes of one field; each alone makes more leave, or less. */
const CHANGES: Change[] = [
  { transfer_type: 'Report' },
  { payload_types: ['SMS'] },
  { payload_types: ['SMS', 'Photo', 'Call'] },
  { schedule: null },
  { schedule: 'rate(1 hour)' },
  { transfer_file_format: 'Uncompressed' },
  { params: { ...TARGET, root_directory: '/else' } },
  { params: { ...TARGET, server: '127.0.0.2' }, sftp_password: 'another' },
  { is_active: false },
  { role_reference: 'Receipt App' },
  { role_reference: 'Compliance Manager' },
  { role_reference: null },
  { sftp_password: 'another' },
]
const changeArb: fc.Arbitrary<Change> = fc
  .array(fc.constantFrom(...CHANGES), { maxLength: 2 })
  .map((changes) => Object.assign({}, ...changes) as Change)
const roleArb: fc.Arbitrary<RoleInput> = fc
  .record({
    groups: fc.subarray(['North', 'South', '*'], { minLength: 1 }),
    payload_types: fc.subarray(['SMS' as const, 'Call' as const]),
    cidr_ranges: fc.subarray(['127.0.0.0/8']),
  })
  .map(({ groups, ...more }) =>
    roleInput(
      [
        {
          ...DESK.permissions[0],
          actions_matching: ['payloads:*'],
          conditions: [{ names_matching: groups }],
        },
      ],
      more,
    ),
  )
const actArb: fc.Arbitrary<Act> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ act: fc.constant('save' as const), change: changeArb }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('create' as const), change: changeArb }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('role' as const), role: roleArb }) },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constantFrom('run' as const, 'delete' as const, 'confirm' as const, 'rule' as const),
    }),
  },
)

let fixture: AccessFixture
let alice: Person
let ines: Person
let client_id: number
/** Recordings that the confirmed config delivers. */
let confirmed: string[]
before(async () => {
  // The clock stands still: a long run would outlive the tokens.
  const time = Math.floor(Date.now() / 1000)
  fixture = await accessFixture({}, { now: () => time })
  alice = fixture.alice
  ines = await openPerson(fixture.server, 'acme', 'ines')
  client_id = await fixture.server.getId('acme')
  const { ctx } = fixture.server
  confirmed = []
  for (const group of ['North', 'South'])
    for (const payload_type of ['SMS', 'Photo', 'Call'] as const) {
      const reference = await storePayload(ctx, { client: 'acme', group, payload_type })
      if (group === 'North' && payload_type !== 'Call') confirmed.push(reference)
    }
})
after(() => fixture?.close())

/** Has a config confirmed by two people, of which nothing has left. */
async function begin(): Promise<void> {
  await ruleOfTwo(fixture.sql, true)
  await fixture.sql(
    `update proposals set state = 'withdrawn', sealed = null, decided_at = proposed_at, decided_by = proposed_by where state = 'waiting'`,
  )
  for (const table of ['transfer_attempts', 'transfer_items', 'transfer_runs', 'transfer_configs'])
    await fixture.sql(`delete from ${table}`)
  await fixture.giveRole('Desk', DESK.permissions)
  const proposed = await alice.api.createTransferConfig({
    params,
    body: { ...CONFIRMED, sftp_password: 'secret' },
  })
  assert.ok(isProposed(proposed))
  const { state } = await ines.api.confirmProposal({ params: { proposal_id: proposed.proposal_id } })
  assert.equal(state, 'confirmed')
}

/** One call of one person. What it is refused for does not matter here. */
async function perform(act: Act): Promise<void> {
  const { api } = alice
  const call = async (): Promise<unknown> => {
    switch (act.act) {
      case 'save': {
        const body = { ...CONFIRMED, ...act.change }
        const { needs_second_person } = await api.reviewTransferConfig({ params, body })
        const answer = await api.updateTransferConfig({ params, body })
        assert.equal(isProposed(answer), needs_second_person, 'the review foretold something else')
        return answer
      }
      case 'create':
        return api.createTransferConfig({ params, body: { ...CONFIRMED, sftp_password: 'x', ...act.change } })
      case 'delete':
        return api.deleteTransferConfig({ params })
      case 'role':
        return api.saveRole({ params: { role_reference: 'Desk' }, body: act.role })
      case 'rule':
        return api.saveTwoPeople({ body: { is_required: false } })
      case 'confirm': {
        const page = await api.listProposals({ query: { state: 'waiting' } })
        const [first] = page.data
        return first && api.confirmProposal({ params: { proposal_id: first.proposal_id } })
      }
      case 'run': {
        const { transfer_id } = await api.runTransferConfig({ params })
        const { ctx } = fixture.server
        return carryOutRun(ctx, { client_id, client: 'acme', transfer_id }, new AbortController().signal)
      }
    }
  }
  await call().catch((error: unknown) => {
    if (!(error instanceof ApiProblem)) throw error
  })
}

/** Asserts that no unconfirmed delivery runs, to any target or in any format. */
async function assertNoMore(): Promise<void> {
  const items = await fixture.sql<{ item: string }>(
    'select item from transfer_items where payload_id is not null order by item',
  )
  assert.deepEqual(
    items.map(({ item }) => item).filter((item) => !confirmed.includes(item)),
    [],
  )
  const stored = await fixture.server.ctx.db.read(client_id, (q) => findConfig(q, 'archive'))
  if (!stored?.config.is_active) return
  const where = ({ transfer_type, transfer_file_format, params: target, pgp_key }: TransferSettings) => ({
    transfer_type,
    transfer_file_format,
    target,
    pgp_key,
  })
  assert.deepEqual(where(stored.config), where(CONFIRMED))
  const { schedule, payload_types } = stored.config
  assert.ok(schedule === null || schedule === CONFIRMED.schedule, `planned ${schedule}`)
  assert.deepEqual(
    payload_types.filter((type) => !CONFIRMED.payload_types.includes(type)),
    [],
  )
}

test('under dual control no sequence of calls of one person makes more leave by a transfer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actArb, { minLength: 1, maxLength: 6 }), async (acts) => {
      await begin()
      for (const act of acts) await perform(act)
      await perform({ act: 'run' })
      await assertNoMore()
    }),
    { numRuns: LONG ? 1000 : 60 },
  )
})

test('a review says before the save what a second person must approve', async () => {
  await begin()
  const { api } = alice
  const wider = {
    ...CONFIRMED,
    payload_types: ['SMS' as const, 'Photo' as const, 'Call' as const],
    params: { ...TARGET, root_directory: '/else' },
    role_reference: 'Compliance Manager',
    sftp_password: 'another',
  }
  const review = await api.reviewTransferConfig({ params, body: wider })
  assert.equal(review.needs_second_person, true)
  assert.deepEqual(review.widened, [
    { changed: 'payload_types', before: ['SMS', 'Photo'], after: ['SMS', 'Photo', 'Call'] },
    { changed: 'params.root_directory', before: ['/in'], after: ['/else'] },
    { changed: 'reach', before: [], after: ['Photo', 'SMS'] },
    { changed: 'sftp_password', before: [], after: [] },
  ])
  const narrower = await api.reviewTransferConfig({ params, body: { ...CONFIRMED, payload_types: ['SMS'] } })
  assert.deepEqual([narrower.needs_second_person, narrower.widened], [false, []])
  const created = { transfer_config_reference: 'another' }
  const all = await api.reviewTransferConfig({ params: created, body: wider })
  assert.deepEqual([all.needs_second_person, all.widened.map(({ changed }) => changed)], [true, ['config']])
  assert.deepEqual(await api.listProposals({ query: { state: 'waiting', type: 'total' } }), { total: 0 })

  const proposed = await api.updateTransferConfig({ params, body: wider })
  assert.ok(isProposed(proposed))
  const { act } = await ines.api.readProposal({ params: { proposal_id: proposed.proposal_id } })
  assert.ok(act.kind === 'SaveTransferConfig')
  assert.deepEqual(act.widened, review.widened)

  await ruleOfTwo(fixture.sql, false)
  const exclusively = await api.reviewTransferConfig({ params, body: wider })
  assert.deepEqual([exclusively.needs_second_person, exclusively.widened], [false, review.widened])
})

test('dual control is disabled by the operator with a reason in the audit log of the account', async () => {
  await ruleOfTwo(fixture.sql, true)
  const parts = { ...fixture.server.ctx, now: () => Math.floor(Date.now() / 1000) }
  const lift = () => disableDualControl(parts, { client_id, reason: 'Ines has left' })
  const entries = () =>
    fixture.sql<{ user_reference: string; parameters: string }>(
      `select user_reference, parameters from portal_activities where action = 'operator:lift_two_people'`,
    )
  const broken = new AuditLog(fixture.server.ctx.db)
  broken.appendWithin = () => Promise.reject(new Error('the disk is full'))
  await assert.rejects(
    disableDualControl({ ...parts, audit: broken }, { client_id, reason: 'x' }),
    /disk is full/,
  )
  assert.ok((await alice.api.readTwoPeople({})).is_required, 'not without an entry')
  assert.equal(await lift(), true)
  assert.equal((await alice.api.readTwoPeople({})).is_required, false)
  const [entry, ...more] = await entries()
  assert.equal(more.length, 0)
  assert.equal(entry?.user_reference, 'operator (system)')
  assert.match(entry.parameters, /Ines has left/)
  assert.equal(await lift(), false)
  const found = async () =>
    (
      await fixture.sql<{ subject: string }>(
        PROPOSALS.replaceAll('$1', String(client_id)).replaceAll('$2', 'null'),
      )
    ).map(({ subject }) => subject)
  const [{ version } = { version: 0 }] = await fixture.sql<{ version: number }>(
    'select max(version) as version from dual_control_versions',
  )
  assert.ok(!(await found()).includes(`two-person rule ${version}`), 'verify knows who did it')
  await fixture.sql(`update portal_activities set action = 'else' where action = 'operator:lift_two_people'`)
  assert.ok((await found()).includes(`two-person rule ${version}`), 'and finds it without its entry')
})
