import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { PayloadMeta, PayloadType } from '@custodia/contract'
import {
  memoryStore,
  openPhone,
  type Phone,
  type PhoneOptions,
  readEnrolment,
  type Recording,
} from '@custodia/device-sdk'
import { type DeviceKeyPair, newDeviceKey } from '@custodia/envelope'
import { ulid } from 'ulid'
import type { AppContext } from '../app-context.ts'
import { findClient } from '../clients/store.ts'
import type { DemoEnrolment } from '../demo/people.ts'
import { demoFolder } from '../demo/seed.ts'
import { issueToken } from '../devices/access-token.ts'
import { accountKeyContext } from '../ports/keys/contexts.ts'

/** A device of a client, in any of its groups, and its access tokens by the time they were issued, in epoch seconds. */
export async function knownPhone(ctx: AppContext, client: string, device_reference: string) {
  const { rows } = await ctx.db.owner.query<{ client_id: number; device_id: number }>(
    `with made as (
       insert into devices (client_id, device_reference, group_id, updated_at, updated_by)
       select client_id, $2, group_id, 1, 'test' from groups join clients using (client_id) where client = $1 and not is_reserved limit 1
       returning client_id, device_id, group_id)
     insert into device_history (client_id, device_id, from_at, device_user_id, group_id)
     select client_id, device_id, 1, null, group_id from made
     returning client_id, device_id`,
    [client, device_reference],
  )
  const [row] = rows
  if (!row) throw new Error(`no group of ${client}`)
  const { client_id, device_id } = row
  return {
    device_id,
    tokenAt: (time: number): Promise<string> =>
      ctx.db.write(client_id, (tx) => issueToken(tx, device_id, time)),
  }
}

const MEDIA = fileURLToPath(new URL('../../../../tools/simulator/media/', import.meta.url))
/** A phone of a test does not wait long: the server is near. */
const RETRY = { tries: 10, firstPauseMs: 50, longestPauseMs: 1000 }

/** One of the recordings that the demo's phones "make". */
export const mediaFile = (name: string): Promise<Buffer> => readFile(join(MEDIA, name))

export async function readEnrolments(dataDir: string): Promise<DemoEnrolment[]> {
  return JSON.parse(await readFile(join(demoFolder(dataDir), 'enrolments.json'), 'utf8')) as DemoEnrolment[]
}

/** The phone of the demo person with this first name, as it was rolled out. */
export async function demoPhone(
  dataDir: string,
  server_url: string,
  first_name: string,
  options: Partial<PhoneOptions> & { spare?: number; phone_numbers?: string[] } = {},
): Promise<Phone> {
  const { spare = 0, phone_numbers, ...rest } = options
  for (const { account_reference, enrolment, people } of await readEnrolments(dataDir)) {
    const person = people.find((each) => each.first_name === first_name)
    if (!person) continue
    return openPhone({
      enrolment: { server_url, account_reference, enrolment },
      identity: {
        model: 'Pretend 1',
        os_version: '16',
        app_version: '4.12.0',
        serial_number: `serial ${person.email} ${spare}`,
        installation_id: `installation ${person.email} ${spare}`,
        // Two phones of one person have a SIM each.
        phone_numbers: phone_numbers ?? [`${person.phone_number}${spare || ''}`],
        imeis: [],
        email: person.email,
      },
      store: memoryStore(getKey(`${person.email} ${spare}`)),
      retry: RETRY,
      ...rest,
    })
  }
  throw new Error(`the demo has no person called ${first_name}`)
}

const keys = new Map<string, DeviceKeyPair>()
/** The same phone has the same key, however often a test opens it. */
function getKey(phone: string): DeviceKeyPair {
  const known = keys.get(phone) ?? newDeviceKey()
  keys.set(phone, known)
  return known
}

/** A new recording with metadata as phones write it, and its reference. */
export function getRecording(
  payload_type: PayloadType,
  data?: Buffer,
  more: object = {},
): { payload_reference: string; recording: Recording } {
  const payload_reference = ulid()
  const payload_time = Math.floor(Date.now() / 1000) - 120
  const common = {
    payload_reference,
    payload_time,
    timezone: 'Europe/London',
    timezone_offset: 0,
    local_time: new Date(payload_time * 1000).toISOString().slice(0, 19),
    payload_carrier_metadata: [{ phone_number: '+447700900101', slot_index: 0 }],
  }
  const meta = { ...common, ...ownFields(payload_type, payload_time), ...more } as PayloadMeta
  const source = async function* () {
    if (data) yield data
  }
  return { payload_reference, recording: { payload_type, meta, ...(data ? { data: source } : {}) } }
}

/** What an SMS, MMS or RCS message decrypts to. */
export const getMessage = (
  text: string,
  attachments?: { name: string; content_type: string; data: string }[],
) => Buffer.from(JSON.stringify({ text, ...(attachments ? { attachments } : {}) }))

function ownFields(type: PayloadType, at: number): object {
  const party = { phone_number: '+447700900555', contact_name: 'Ben Ward' }
  const spoken = { ...party, direction: 'O', start_time: at, duration: 20 }
  const call = { payload_end_time: at + 20, size: 1, second_parties: [spoken] }
  switch (type) {
    case 'Call':
    case 'AbortedCall':
      return call
    case 'BlockedCall':
      return { ...call, reason_for_blocking: 'The number is not permitted' }
    case 'SMS':
    case 'MMS':
    case 'RCS':
      return { thread_id: 'thread-1', direction: 'O', length: 5, message_parties: [party] }
    case 'Interview':
      return {
        payload_end_time: at + 60,
        payload_duration: 60,
        interview_pause_times: [{ start_time: at + 10, duration: 5 }],
      }
    case 'Photo':
    case 'Video':
    case 'Diagnostics':
      return { payload_notes: 'As seen on site' }
  }
}

/** A device that has only the text of an enrolment. */
export const phoneWith = (enrolment: string, more: Partial<PhoneOptions> = {}): Promise<Phone> =>
  openPhone({
    enrolment: readEnrolment(enrolment),
    identity: {
      model: 'Pretend 1',
      os_version: '16',
      app_version: '4.12.0',
      installation_id: enrolment.slice(-40),
      phone_numbers: ['+447700900150'],
      imeis: [],
      email: null,
    },
    store: memoryStore(),
    ...more,
  })

/** Enrols a new device with the text of an enrolment, uploads one message, and waits until the server has stored it. */
export async function uploadMessage(enrolment: string): Promise<void> {
  const phone = await phoneWith(enrolment)
  await phone.record(getRecording('SMS', getMessage('The first message')).recording)
  assert.deepEqual(await phone.sync({ patience: 60 }), { freed: 1, waiting: 0, refused: 0 })
}

/** The account key of a client, which the server gives to no device. */
export async function readAccountKey(
  { db, keys }: Pick<AppContext, 'db' | 'keys'>,
  client: string,
): Promise<Buffer> {
  const found = await findClient(db, client)
  if (!found) throw new Error(`no client ${client}`)
  return keys.unwrap(found.account_key, accountKeyContext(client))
}
