import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  DAY,
  DEFAULT_CLAIM_MAPPING,
  DEVICE_SERVICES,
  type PayloadRetention,
  type PayloadType,
  PROVIDER_CLIENT,
  RETENTION_TEMPLATES,
  type RetentionEntry,
} from '@custodia/contract'
import { getDue } from '@custodia/domain'
import { findDefaults } from '../account/store.ts'
import { findSubscription, writeSubscription } from '../alert-mails/store.ts'
import type { AppContext } from '../app-context.ts'
import { countRequests, endRequest, findSubject, insertRequest } from '../data-requests/store.ts'
import { newId } from '../http/new-id.ts'
import { countHolds, findHeldUser, writeHolds } from '../legal-holds/store.ts'
import { addPeople, insertMatter } from '../legal-matters/store.ts'
import { forEachService, writeLimitsIfNone } from '../licenses/store.ts'
import { lockPolicies } from '../payload-records/store.ts'
import { wantWordIndex } from '../payloads/store.ts'
import { exclusively } from '../ports/database/advisory-lock.ts'
import { seedDemoPeople } from '../ports/identity/people.ts'
import { keepReason, sealReason } from '../reasons/reasons.ts'
import { findPolicy, insertPolicy } from '../retention/store.ts'
import { provisionClient } from '../tenants/provision.ts'
import { seedEnrolments } from './enrolments.ts'
import { DEMO_CLIENTS, type DemoClient, type DemoEnrolment } from './people.ts'
import { noteDemoAct } from './reviews.ts'

const [{ rule: RULE, days: FIVE_YEARS, payload_types: COMMUNICATIONS }] = RETENTION_TEMPLATES

/**
 * Communication is kept for five years, and restorable for thirty more days; picture messages are destroyed at once,
 * device fault reports after ninety days.
 */
const ENTRIES: RetentionEntry[] = [
  ...COMMUNICATIONS.map((type) => entry(type, FIVE_YEARS, type === 'MMS' ? 0 : 30)),
  entry('Diagnostics', 90, 30),
  { entity_type: 'Device', delete_after_days: 2557, destroy_after_days: 30 },
]

function entry(
  payload_type: PayloadType,
  delete_after_days: number,
  destroy_after_days: number,
): PayloadRetention {
  return {
    entity_type: 'Payload',
    payload_type,
    delete_after_days,
    destroy_after_days,
    retention_timestamp: 'payload_time',
    required_receipts: [],
    required_transfers: [],
  }
}

/** A daily mail of grave alerts for Acme's second administrator, unless she has chosen herself. */
async function seedAlertMails(ctx: AppContext, client_id: number, client: string): Promise<void> {
  if (client !== 'acme') return
  const user_reference = 'ines'
  await ctx.db.write(client_id, async (tx) => {
    if (await findSubscription(tx, user_reference)) return
    await writeSubscription(
      tx,
      { subscription_id: newId(), user_reference },
      {
        language: 'en-GB',
        low: 'never',
        medium: 'never',
        high: 'daily',
        digest_hour: 7,
        address_source: 'claimed',
      },
      ctx.now(),
    )
  })
}

/** The policy of the demo, in two versions, unless the client has one. */
async function seedRetention(ctx: Pick<AppContext, 'db' | 'now'>, client_id: number): Promise<void> {
  await ctx.db.write(client_id, async (tx) => {
    await lockPolicies(tx)
    if (await findPolicy(tx)) return
    const minimums = ['Call', 'SMS'] as const
    const policy = {
      minimums: minimums.map((payload_type) => ({ payload_type, days: FIVE_YEARS, legal_basis: RULE })),
      applies_to_kept: true,
      by: BY,
      confirmed_by: null,
    }
    const versions = [
      { entries: ENTRIES.slice(0, -2), note: 'Company rules, first version' },
      { entries: ENTRIES, note: 'Diagnostics and devices, too' },
    ]
    for (const version of versions) {
      await insertPolicy(tx, { ...policy, ...version })
      await noteDemoAct(ctx, tx, {
        by: BY,
        at: ctx.now(),
        action: 'account.retention:update',
        parameters: { body: version },
      })
    }
  })
}

/** Who did all this. */
const BY = 'alice'
/** Two requests of demo people: one open and due soon, one answered. */
const ASKED = [
  {
    first_name: 'Nadia',
    kind: 'Erasure',
    law: 'GDPR',
    days: 26,
    note: 'By letter. Her lawyer writes that she left the trading desk.',
  },
  {
    first_name: 'João',
    kind: 'Access',
    law: 'LGPD',
    days: 20,
    note: 'By e-mail, his identity was checked.',
    answered: 'The report was sent by registered letter.',
  },
] as const

interface SeededClient extends Pick<DemoClient, 'client' | 'people'> {
  client_id: number
}

/** The reference of a demo person by first name; empty: no person of this client. */
const getReference = (people: SeededClient['people'], first_name: string): string =>
  people.find((each) => each.first_name === first_name)?.device_user_reference ?? ''

/** Requests of people of the demo, unless the client has some already, or has none of these people. */
async function seedDataRequests(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  { client_id, client, people }: SeededClient,
): Promise<void> {
  if (await ctx.db.read(client_id, (q) => countRequests(q, {}))) return
  for (const { first_name, kind, law, days, note, ...more } of ASKED) {
    const subject = getReference(people, first_name)
    const seal = (text: string) => sealReason(ctx, client, text)
    const texts = {
      note: await seal(note),
      answered: 'answered' in more ? await seal(more.answered) : undefined,
    }
    await ctx.db.write(client_id, async (tx) => {
      const device_user_id = await findSubject(tx, subject)
      if (device_user_id === undefined) return
      const data_request_id = newId()
      const at = ctx.now()
      const received_at = at - days * DAY
      const noteAct = (act: string, parameters: object) =>
        noteDemoAct(ctx, tx, { by: BY, at, action: `account.data_requests:${act}`, parameters })
      await insertRequest(tx, {
        data_request_id,
        kind,
        law,
        subject_type: 'DeviceUser',
        subject,
        device_user_id,
        received_at,
        due_at: getDue(law, received_at).due_at,
        opened_by: BY,
        note_id: await keepReason(tx, texts.note),
      })
      await noteAct('create', {
        body: { kind, law, subject_type: 'DeviceUser', received_at },
        facts: { data_request_id },
      })
      const reason_id = await keepReason(tx, texts.answered)
      if (reason_id === null) return
      await endRequest(tx, data_request_id, { state: 'Answered', by: BY, reason_id })
      await noteAct('update', { params: { data_request_id }, body: { state: 'Answered' } })
    })
  }
}

/** A demo person on legal hold, and one whose hold was just released. */
const HELD = [
  { first_name: 'Nadia', stated: { set: 'Inquiry of the regulator into orders of September' } },
  { first_name: 'Oliver', stated: { set: 'Complaint of a client', released: 'The complaint was withdrawn' } },
] as const
/** An open matter, and its people: the held person and a former employee from before this system. */
const MATTER = {
  name: 'Orders of September',
  reason: 'Inquiry of the regulator',
  portal_user: 'quentin.harris@acme.example',
} as const
const HOLD_ACTIONS = { set: 'account.legal_holds:update', released: 'account.legal_holds:delete' } as const

/** Holds and a matter of people of the demo, unless the client has some already, or has none of these people. */
async function seedHolds(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  { client_id, client, people }: SeededClient,
): Promise<void> {
  if (await ctx.db.read(client_id, (q) => countHolds(q, {}))) return
  const seal = (reason: string) => sealReason(ctx, client, reason)
  for (const { first_name, stated } of HELD) {
    const target = getReference(people, first_name)
    const acts = await Promise.all(
      Object.entries(stated).map(async ([act, reason]) => ({
        act: act as keyof typeof HOLD_ACTIONS,
        reason: await seal(reason),
      })),
    )
    await ctx.db.write(client_id, async (tx) => {
      const device_user_id = await findHeldUser(tx, target)
      if (device_user_id === undefined) return
      for (const { act, reason } of acts) {
        const params = { target_type: 'DeviceUser', target } as const
        const reason_id = await keepReason(tx, reason)
        await writeHolds(tx, [{ ...params, device_user_id }], { act, by: BY, reason_id, matter_id: null })
        const action = HOLD_ACTIONS[act]
        await noteDemoAct(ctx, tx, { by: BY, at: ctx.now(), action, parameters: { params } })
      }
    })
  }
  const reason = await seal(MATTER.reason)
  await ctx.db.write(client_id, async (tx) => {
    const target = getReference(people, HELD[0].first_name)
    if ((await findHeldUser(tx, target)) === undefined) return
    const matter_id = newId()
    const reason_id = await keepReason(tx, reason)
    await insertMatter(tx, { matter_id, name: MATTER.name, by: BY, reason_id })
    const left = { target_type: 'PortalUser', target: MATTER.portal_user, device_user_id: null } as const
    await writeHolds(tx, [left], { act: 'set', by: BY, reason_id, matter_id })
    const held = [{ target_type: 'DeviceUser', target }, left] as const
    await addPeople(tx, matter_id, held, BY)
    const noteAct = (act: string, parameters: object) =>
      noteDemoAct(ctx, tx, { by: BY, at: ctx.now(), action: `account.legal_matters:${act}`, parameters })
    await noteAct('create', { body: { name: MATTER.name } })
    const of = held.map((each) => ({ target_type: each.target_type, target: each.target }))
    await noteAct('update', { params: { matter_id }, body: { people: of } })
  })
}

/** Where the demo keeps its own files. */
export const demoFolder = (dataDir: string): string => join(dataDir, 'demo')

/** An advisory lock id without another use. */
const LOCK = 7_260_213

/**
 * Creates the demo's clients, people and enrolments; existing ones do not change. Concurrent starts run one at a
 * time.
 */
export async function seedDemo(ctx: AppContext, clients = DEMO_CLIENTS): Promise<void> {
  await exclusively(ctx.db.owner, LOCK, () => seed(ctx, clients))
}

async function seed(ctx: AppContext, clients: readonly DemoClient[]): Promise<void> {
  await provisionClient(ctx, {
    client: PROVIDER_CLIENT,
    client_name: 'Custodia (provider)',
    is_provider: true,
    groups: [{ group_reference: 'Staff', tags: [] }],
    default_group: 'Staff',
    device_users: [],
  })
  const folder = demoFolder(ctx.config.dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'enrolments.json')
  const handedOut = await readEnrolments(file)
  const enrolments: DemoEnrolment[] = []
  for (const demo of clients) {
    const { client_id } = await provisionClient(ctx, {
      client: demo.client,
      client_name: demo.client_name,
      is_provider: false,
      claim_mapping: DEFAULT_CLAIM_MAPPING,
      groups: [...demo.groups],
      tags: demo.tags ?? [],
      default_group: demo.default_group,
      device_users: demo.people.map((person) => ({
        device_user_reference: person.device_user_reference,
        group: person.group,
        services: [...DEVICE_SERVICES],
        email: person.email,
        first_name: person.first_name,
        surname: person.surname,
        // One phone of the demo, and one that a visitor may enrol.
        expected_device_count: 2,
      })),
    })
    await setLicenses(ctx, client_id)
    await letContentBeSearched(ctx, client_id)
    await seedHolds(ctx, { client_id, ...demo })
    await seedDataRequests(ctx, { client_id, ...demo })
    await seedRetention(ctx, client_id)
    await seedAlertMails(ctx, client_id, demo.client)
    const account_reference = demo.client
    const before = handedOut.find((each) => each.account_reference === account_reference)
    const { enrolment, people } = await seedEnrolments(ctx, client_id, { before, people: demo.people })
    enrolments.push({
      account_reference,
      enrolment,
      people: demo.people.map((person) => ({ ...person, enrolment: people.get(person.first_name) })),
    })
  }
  await seedDemoPeople(ctx.db)
  // Renamed into place: phones of a running demo may be reading the one that is there.
  await writeFile(`${file}.part`, JSON.stringify(enrolments, null, 2), { mode: 0o600 })
  await rename(`${file}.part`, file)
}

/** The codes that an earlier start handed out; the server cannot read them again. */
const readEnrolments = (file: string): Promise<DemoEnrolment[]> =>
  readFile(file, 'utf8').then(
    (text) => JSON.parse(text) as DemoEnrolment[],
    () => [],
  )

/** Enables content search unless a user has saved the account's defaults. */
const letContentBeSearched = (ctx: AppContext, client_id: number): Promise<void> =>
  ctx.db.write(client_id, async (tx) => {
    const defaults = await findDefaults(tx)
    if (defaults?.updated_at === null) await wantWordIndex(tx, true)
  })

/** Licences of each service that the demo's clients begin with. */
const DEMO_LICENSES = 100

async function setLicenses(ctx: AppContext, client_id: number): Promise<void> {
  const limits = forEachService(() => DEMO_LICENSES)
  const change = { now: ctx.now(), by: 'demo' }
  await ctx.db.write(client_id, (tx) => writeLimitsIfNone(tx, limits, change))
}
