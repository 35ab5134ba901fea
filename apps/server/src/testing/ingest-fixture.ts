import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Announcement, AuthenticateRequest, EndpointName, PayloadType } from '@custodia/contract'
import {
  associatedData,
  type DeviceKeyPair,
  metaKind,
  newDek,
  newDeviceKey,
  seal,
  sealMeta,
  sealUlid,
  signAuthentication,
  wrapDek,
} from '@custodia/envelope'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ulid } from 'ulid'
import type { AppContext } from '../app-context.ts'
import { buildApp } from '../app.ts'
import { getHardware } from '../device-records/hardware.ts'
import { deviceAuthentication } from '../devices/access-token.ts'
import { deviceRoutes } from '../devices/routes.ts'
import { watch } from '../health/metrics.ts'
import type { Handlers } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { forEachService, writeLimitsIfNone } from '../licenses/store.ts'
import { findAwaited } from '../payloads/intake/arrival-store.ts'
import { sweepPayloads } from '../payloads/intake/sweep.ts'
import { processPayload } from '../payloads/processing/process.ts'
import { renderPayload } from '../payloads/processing/render-job.ts'
import { findDataSubjects } from '../payloads/store.ts'
import { openDatabase } from '../ports/database/pool.ts'
import { diskSpace } from '../ports/disk-space.ts'
import { makeEgress } from '../ports/egress/guard.ts'
import { localFileKeys } from '../ports/keys/local-file.ts'
import { ingestRoutes } from '../serve.ts'
import { provisionClient } from '../tenants/provision.ts'
import type { TemplateFill } from './database.ts'
import { type Sql, testContext } from './test-context.ts'

/** What a device says, without the proof of its key. */
type UnsignedRequest = Omit<AuthenticateRequest, 'device_key' | 'signature'>

/**
 * Signs requests of test devices, each with a key by its serial number, else IMEI, else installation. A device is
 * bound before its first request, as after an administrator's confirmation: to the person of its e-mail address, else
 * to the default group.
 */
function boundDevices(sql: Sql) {
  const pairs = new Map<string, Promise<DeviceKeyPair>>()
  async function bind(client_id: number, stated: UnsignedRequest): Promise<DeviceKeyPair> {
    const pair = newDeviceKey()
    const { serial_number, imeis } = getHardware(stated)
    const pinned = await sql(PIN, [client_id, pair.device_key, serial_number, imeis])
    if (pinned.length === 0) await sql(BIND, [client_id, pair.device_key, stated.email ?? null, ulid()])
    return pair
  }
  return async (client_id: number, stated: UnsignedRequest): Promise<AuthenticateRequest> => {
    const name = `${client_id} ${stated.serial_number ?? stated.imeis[0] ?? stated.installation_id}`
    const bound = pairs.get(name) ?? bind(client_id, stated)
    pairs.set(name, bound)
    const { device_key, private_key } = await bound
    return { ...stated, device_key, signature: signAuthentication(private_key, stated) }
  }
}

/** A device that the test has inserted. */
const PIN = `update devices set device_key = $2, key_pinned_at = 0
  where client_id = $1 and device_key is null and (serial_number = $3 or imeis && $4::text[]) returning device_id`
const BIND = `insert into devices (client_id, device_reference, device_key, key_pinned_at, device_user_id, group_id, updated_at, updated_by)
  select d.client_id, $4, $2, 0, u.device_user_id, coalesce(u.group_id, d.group_id), 0, 'test'
  from account_defaults d left join device_users u on u.client_id = d.client_id and lower(u.email) = lower($3) and u.deleted_at is null
  where d.client_id = $1`

const provision = (client: string) => ({
  client,
  client_name: client.toUpperCase(),
  is_provider: false,
  groups: [
    { group_reference: 'North', tags: [{ key: 'desk', value: 'Rates' }] },
    { group_reference: 'Unassigned', tags: [] },
  ],
  default_group: 'Unassigned',
  device_users: [
    {
      device_user_reference: 'nina',
      group: 'North',
      services: ['calls', 'sms'] as const,
      email: `nina@${client}.example`,
      first_name: 'Nina',
      surname: 'North',
      expected_device_count: 1000,
    },
  ],
})

/** The two clients, made once for all tests: their key pairs alone cost a third of a second. */
const CLIENTS: TemplateFill = {
  name: JSON.stringify(provision('acme')),
  async fill(connection, dataDir) {
    const db = await openDatabase({ connection, appName: 'custodia test', max: 1 })
    const parts = { db, keys: localFileKeys({ folder: join(dataDir, 'keys') }), now: () => 0 }
    for (const client of ['acme', 'globex']) await provisionClient(parts, provision(client))
    await db.close()
  },
}

/** A server without users: two clients, their phones, and a queue that runs on demand. */
export async function ingestFixture(
  parts: Partial<Pick<AppContext, 'scanner' | 'media'>> = {},
  settings: Record<string, string> = {},
) {
  await using made = new AsyncDisposableStack()
  const { context, folder, connection, sql, advance, close } = await testContext(settings, CLIENTS)
  made.defer(close)
  const { log, now } = context
  const sent: { client_id: number; payload_id: number }[] = []
  const renditions: typeof sent = []
  const ctx: AppContext = {
    ...context,
    socket: undefined,
    space: diskSpace([], 0),
    mail: undefined,
    egress: makeEgress(),
    jobs: {
      send: async (_tx, { name }, ...inputs) =>
        void (name === renderPayload.name ? renditions : sent).push(...(inputs as typeof sent)),
      stop: async () => undefined,
    },
    ...parts,
  }
  const authenticateDevice = deviceAuthentication(ctx)
  const app = await buildApp({
    ctx,
    handlers: { ...deviceRoutes(ctx, () => undefined), ...ingestRoutes(ctx) } as Partial<
      Handlers<EndpointName>
    > as Handlers<EndpointName>,
    authenticatePortal: async () => {
      throw new Problem('authentication_required')
    },
    authenticateDevice,
    portalFolder: join(folder, 'portal'),
    strict: true,
    watched: watch(ctx),
    isEnding: () => false,
    log,
    plugins: [],
  })
  made.defer(() => app.close())
  await sql('update clients set created_at = $1', [now()])
  const accounts = {
    acme: await provisionClient(ctx, provision('acme')),
    globex: await provisionClient(ctx, provision('globex')),
  }
  for (const { client_id } of Object.values(accounts))
    await ctx.db.write(client_id, (tx) =>
      writeLimitsIfNone(
        tx,
        forEachService(() => 1000),
        { now: now(), by: 'provider' },
      ),
    )
  const signed = boundDevices(sql)
  const all = made.move()
  return {
    ctx,
    app,
    accounts,
    sent,
    renditions,
    connection,
    /** Advances the server's clock, which is otherwise fixed, by seconds. */
    advance,
    sql,
    /** Of a device that shows no key of its own here, the device is bound and signs (`boundDevices`). */
    async authenticate(client: keyof typeof accounts, says: Partial<AuthenticateRequest> = {}, at = now()) {
      const { client_id, account_key } = accounts[client]
      const stated = authentication(client, account_key, says, at)
      const payload = 'device_key' in says ? stated : await signed(client_id, stated)
      return app.inject({ method: 'POST', url: '/device/v1/authenticate', payload })
    },
    async phone(client: keyof typeof accounts, says: Partial<AuthenticateRequest> = {}) {
      const answer = await this.authenticate(client, {
        installation_id: randomBytes(6).toString('hex'),
        serial_number: randomBytes(6).toString('hex'),
        ...says,
      })
      if (answer.statusCode !== 200) throw new Error(answer.body)
      return makePhone(app, answer.json())
    },
    /** The phone as the server knows it when it calls. */
    caller: (phone: TestPhone) => authenticateDevice({ headers: phone.headers } as FastifyRequest, now()),
    /** Which of these are awaited: announced, and their bytes not here yet. */
    awaited: (client: keyof typeof accounts, ...payload_references: string[]) =>
      findAwaited(ctx, accounts[client].client_id, payload_references),
    /** Processes what arrived, and leaves the renditions to `render`. */
    async work(): Promise<void> {
      for (let job = sent.shift(); job; job = sent.shift())
        await processPayload.run(ctx, job, new AbortController().signal)
    },
    /** Processes uploads whose notification was lost. */
    sweep: () => sweepPayloads.run(ctx, {}, new AbortController().signal),
    /**
     * Uploads and processes a recording as its phone and the queue do: sealed, sent, processed. Resolves like
     * `state`.
     */
    async upload(phone: TestPhone, ...[type, data, options]: OfRecording) {
      const recording = await sealRecording(phone, type, data, options)
      const { payload_reference } = recording.announcement
      if (data) await phone.deliver(recording)
      else await phone.announce(recording.announcement)
      await this.work()
      const row = await this.state(payload_reference)
      if (!row) throw new Error(`no payload ${payload_reference}`)
      return { ...row, payload_reference }
    },
    /** Makes the requested renditions. */
    async render(): Promise<void> {
      for (let job = renditions.shift(); job; job = renditions.shift())
        await renderPayload.run(ctx, job, new AbortController().signal)
    },
    /** The objects of a payload of acme that can be opened. */
    async getObjects(payload_reference: string) {
      const { client_id } = accounts.acme
      const found = await ctx.db.read(client_id, (q) => findDataSubjects(q, [payload_reference]))
      return found.get(payload_reference)?.objects ?? []
    },
    async state(payload_reference: string) {
      const [row] = await sql<{
        payload_id: number
        state: string
        failure: string | null
        rejected_count: number
      }>(
        `select payload_id, s.name as state, failure, rejected_count from payloads p join payload_states s on s.code = p.state
         where payload_reference = $1`,
        [payload_reference],
      )
      return row
    },
    close: () => all.disposeAsync(),
  }
}
type OfRecording = Parameters<typeof sealRecording> extends [unknown, ...infer Rest] ? Rest : never
export type IngestFixture = Awaited<ReturnType<typeof ingestFixture>>

const authentication = (
  client: string,
  account_key: Buffer,
  says: Partial<AuthenticateRequest>,
  at: number,
): UnsignedRequest => ({
  account_reference: client,
  ulid_encrypted: sealUlid(account_key, client, ulid(at * 1000)),
  model: 'Pretend 1',
  os_version: '15',
  app_version: '1.0.0',
  installation_id: 'installed once',
  phone_numbers: ['+447700900001'],
  imeis: [],
  ...says,
})

interface DeviceAnswer {
  payload_reference: string
  status: string
  upload_url?: string
  upload_headers?: Record<string, string>
  problem?: string
  reason?: string
}

export function makePhone(app: FastifyInstance, session: { access_token: string; device_reference: string }) {
  const headers = { authorization: `Bearer ${session.access_token}` }
  const post = async (path: string, payload: object): Promise<DeviceAnswer[]> => {
    const answer = await app.inject({ method: 'POST', url: `/device/v1/${path}`, headers, payload })
    if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body}`)
    return (answer.json() as { payloads: DeviceAnswer[] }).payloads
  }
  return {
    ...session,
    headers,
    key: async () =>
      (await app.inject({ url: '/device/v1/key', headers })).json() as {
        key_id: string
        kek: string
        client: string
      },
    announce: (...payloads: Announcement[]) => post('payloads', { payloads }),
    status: (...payload_references: string[]) => post('payloads/status', { payload_references }),
    put: (url: string, bytes: Buffer) =>
      app.inject({
        method: 'PUT',
        url: new URL(url).pathname,
        headers: { 'content-type': 'application/octet-stream' },
        payload: bytes,
      }),
    /** Announces and uploads; the payload's reference. */
    async deliver({ announcement, sealed }: SealedRecording): Promise<string> {
      const [answer] = await this.announce(announcement)
      const { statusCode, body } = await this.put(answer?.upload_url ?? '', sealed)
      if (statusCode !== 200) throw new Error(`${statusCode} ${body}`)
      return announcement.payload_reference
    },
  }
}
export type TestPhone = ReturnType<typeof makePhone>

/** What a phone has of a recording once it is sealed. */
export interface SealedRecording {
  announcement: Announcement
  sealed: Buffer
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Default time of recordings, epoch seconds: one hour before the tests. */
export const RECORDED = Math.floor(Date.now() / 1000) - 3600

/** Seals a recording as a phone does. `change` plays a phone that errs: it sees the metadata before they are sealed. */
export async function sealRecording(
  phone: TestPhone,
  payload_type: PayloadType,
  data: Buffer | undefined,
  { change = (meta: object): object => meta, payload_time = RECORDED, reference = ulid() } = {},
): Promise<SealedRecording> {
  const { key_id, kek, client } = await phone.key()
  const ids = { client, payload_reference: reference }
  const dek = newDek()
  const meta = { ...getMeta(payload_type), payload_reference: reference, payload_time }
  const chunks: Buffer[] = []
  const source = async function* () {
    if (data && data.length > 0) yield data
  }
  if (data)
    for await (const chunk of seal(dek, associatedData({ ...ids, kind: 'original' }), source()))
      chunks.push(chunk)
  const sealed = Buffer.concat(chunks)
  return {
    sealed,
    announcement: {
      payload_reference: reference,
      payload_type,
      payload_time,
      key_id,
      encrypted_dek: wrapDek(kek, dek),
      ...sealMeta(dek, { ...ids, kind: metaKind(payload_type) }, change(meta)),
      ...(data ? { checksum: sha256(sealed), size: sealed.length } : {}),
    },
  }
}

const place = {
  timezone: 'Europe/London',
  timezone_offset: 0,
  local_time: new Date(RECORDED * 1000).toISOString().slice(0, 19),
}
const sim = { payload_carrier_metadata: [{ phone_number: '+447700900001', slot_index: 0 }] }
const parties = [
  { phone_number: '+447700900002', contact_name: 'Ben', direction: 'O', start_time: RECORDED, duration: 60 },
]
const call = { ...place, ...sim, payload_end_time: RECORDED + 60, size: 1, second_parties: parties }
const message = {
  ...place,
  ...sim,
  thread_id: '7',
  direction: 'I',
  length: 5,
  message_parties: [{ phone_number: '60123' }],
}

/** Metadata that each type's schema accepts, without reference and time. */
function getMeta(type: PayloadType): object {
  switch (type) {
    case 'Call':
    case 'AbortedCall':
      return call
    case 'BlockedCall':
      return { ...call, second_parties: [], reason_for_blocking: 'on the list' }
    case 'SMS':
    case 'MMS':
    case 'RCS':
      return message
    case 'Interview':
      return { ...place, payload_end_time: RECORDED + 60, payload_duration: 55, interview_pause_times: [] }
    case 'Photo':
    case 'Video':
      return { ...place, payload_notes: 'a note' }
    case 'Diagnostics':
      return place
  }
}
