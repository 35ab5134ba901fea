import {
  MESSAGE_TYPES,
  PAYLOAD_STATES,
  PAYLOAD_TYPES,
  type PayloadState,
  type PayloadType,
} from '@custodia/contract'
import { type Lane, nameWords, searchEntry } from '@custodia/domain'
import { getServiceCode, STATE_CODES, TYPE_CODES } from '../payload-records/codes.ts'
import { insertSearchEntries } from '../payloads/processing/documents-store.ts'
import { COUNT_PAYLOADS } from '../payloads/state-store.ts'
import type { Database } from '../ports/database/pool.ts'

/** What a payload is counted by; its time in epoch seconds. */
interface CounterKeys {
  client_id: number
  group_id: number
  payload_type: PayloadType
  payload_time: number
}

/** Counts a payload as its announcement would have. */
export async function countPayload(
  { owner }: Pick<Database, 'owner'>,
  { client_id, group_id, payload_type, payload_time }: CounterKeys,
): Promise<void> {
  const item = {
    client_id,
    group_id,
    payload_time,
    service: getServiceCode(payload_type),
    type: TYPE_CODES[payload_type],
    n: 1,
  }
  await owner.query(COUNT_PAYLOADS, [JSON.stringify([item])])
}

const FAILURES: Partial<Record<PayloadState, string>> = {
  Failed: 'wrong_checksum',
  Quarantined: 'malware_found',
}

const IN_WORK: ReadonlySet<PayloadState> = new Set(['Recorded', 'Uploaded', 'Scanning'])

/** A payload of a made-up fixture, as a test knows it. */
export interface FixturePayload {
  payload_id: number
  payload_reference: string
  payload_type: PayloadType
  payload_state: PayloadState
  payload_time: number
  processed_at: number | null
  updated_at: number
  group_id: number
  group: string
  device_reference: string
  device_user_reference: string | null
  is_late: boolean
  /** Failed, and not as its device sealed it. */
  is_altered: boolean
  numbers: string[]
  /** Of the parties, in the order of their numbers. */
  names: string[]
  thread_id: string | undefined
}

export interface Fixture {
  client_id: number
  client: string
  groups: { group_id: number; group_reference: string }[]
  payloads: FixturePayload[]
  /** Adds payloads, also while a test pages. */
  add(count: number, random: () => number): Promise<void>
}

export const FIXTURE_START = Date.UTC(2026, 0, 20) / 1000
const DAYS = 60
export const FIXTURE_NUMBERS = [
  '+441',
  '+442',
  '+443',
  '+444',
  'A, B',
  '+44 7700 900123',
  '07700900123',
  '+5511 98400-0123',
]
const FIXTURE_NAMES = [
  '',
  'João Melo',
  'JOANA  de Melo',
  'Zoë O’Neill',
  'مريم',
  '7 Eleven',
  'Anne-Marie Joan',
]
/** Of the people who hold phones; the rest have a reference only. */
export const FIXTURE_PEOPLE = ['Joana Árbol', 'Ned Melone', 'Élodie Quist']
const THREADS = ['1', '2', 'über/"3"']

/** A client with groups, devices and device users, and no payloads yet. Times are few, so that many are equal. */
export async function createFixture(db: Database, client: string, groupCount: number): Promise<Fixture> {
  const { owner } = db
  const one = async <Row>(text: string, values: unknown[]): Promise<Row> =>
    ((await owner.query(text, values)).rows as Row[])[0] as Row
  const { client_id } = await one<{ client_id: number }>(
    `insert into clients (client, client_name, account_key, created_at) values ($1, $1, '', 0) returning client_id`,
    [client],
  )
  const groups: Fixture['groups'] = []
  const devices: { device_id: number; device_reference: string; group_id: number }[] = []
  const people: { device_user_id: number; device_user_reference: string }[] = []
  for (let i = 0; i < groupCount; i++) {
    const group_reference = `Group "${i}"`
    const { group_id } = await one<{ group_id: number }>(
      `insert into groups (client_id, group_reference, updated_at, updated_by) values ($1, $2, 0, 't') returning group_id`,
      [client_id, group_reference],
    )
    groups.push({ group_id, group_reference })
    const device_reference = `phone ${i}`
    const { device_id } = await one<{ device_id: number }>(
      `insert into devices (client_id, device_reference, group_id, updated_at, updated_by) values ($1, $2, $3, 0, 't') returning device_id`,
      [client_id, device_reference, group_id],
    )
    devices.push({ device_id, device_reference, group_id })
    const device_user_reference = `person ${i}`
    const person = FIXTURE_PEOPLE[i] ?? ''
    const [first_name = null, surname = null] = person === '' ? [] : person.split(' ')
    const { device_user_id } = await one<{ device_user_id: number }>(
      `insert into device_users (client_id, device_user_reference, group_id, first_name, surname, updated_at, updated_by)
       values ($1, $2, $3, $4, $5, 0, 't') returning device_user_id`,
      [client_id, device_user_reference, group_id, first_name, surname],
    )
    await owner.query('insert into device_user_words select $1, word, $2 from unnest($3::text[]) word', [
      client_id,
      device_user_id,
      nameWords(`${person} ${device_user_reference}`),
    ])
    people.push({ device_user_id, device_user_reference })
  }
  const payloads: FixturePayload[] = []

  async function add(count: number, random: () => number): Promise<void> {
    const pick = <T>(list: readonly T[]): T => list[Math.floor(random() ** 2 * list.length)] as T
    for (let i = 0; i < count; i++) {
      const payload_type = pick(PAYLOAD_TYPES)
      const payload_state = random() < 0.6 ? 'Processed' : pick(PAYLOAD_STATES)
      const group = pick(groups)
      const device = pick(devices)
      const person = random() < 0.2 ? undefined : pick(people)
      const payload_time =
        FIXTURE_START + Math.floor(random() * DAYS) * 86_400 + Math.floor(random() * 6) * 14_400
      const has_document = random() < 0.8
      const processed_at = has_document ? payload_time + Math.floor(random() * 4) * 3600 : null
      const updated_at = payload_time + Math.floor(random() * 9) * 3600
      const is_message = (MESSAGE_TYPES as readonly PayloadType[]).includes(payload_type)
      const thread_id = has_document && is_message ? pick(THREADS) : undefined
      const numbers = has_document ? [...new Set([pick(FIXTURE_NUMBERS), pick(FIXTURE_NUMBERS)])] : []
      const names = numbers.map(() => pick(FIXTURE_NAMES))
      const is_late = random() < 0.2
      const is_altered = payload_state === 'Failed' && payload_time % 3 === 0
      const failure = is_altered ? 'tampered_data' : (FAILURES[payload_state] ?? null)
      const payload_reference = `${client}-${String(payloads.length).padStart(26, '0')}`
      const service = getServiceCode(payload_type)
      const type = TYPE_CODES[payload_type]
      const { payload_id } = await one<{ payload_id: number }>(
        `insert into payloads (client_id, payload_reference, service, type, state, state_before_deletion, payload_time, group_id, device_id,
           device_user_id, is_late, announced_at, uploaded_at, processed_at, updated_at, failure)
         values ($1, $2, $3, $4, $5, null, $6, $7, $8, $9, $10, $6, $11, $11, $12, $13) returning payload_id`,
        [
          client_id,
          payload_reference,
          service,
          type,
          STATE_CODES[payload_state],
          payload_time,
          group.group_id,
          device.device_id,
          person?.device_user_id ?? null,
          is_late,
          processed_at,
          updated_at,
          failure,
        ],
      )
      await owner.query(
        'insert into payload_changes (payload_id, client_id, service, group_id, type, updated_at, processed_at) values ($1, $2, $3, $4, $5, $6, $7)',
        [payload_id, client_id, service, group.group_id, type, updated_at, processed_at],
      )
      if (IN_WORK.has(payload_state))
        await owner.query('insert into payload_work (client_id, payload_id, since) values ($1, $2, 0)', [
          client_id,
          payload_id,
        ])
      if (payload_state !== 'Deleted' && payload_state !== 'Destroyed')
        await countPayload(db, { client_id, group_id: group.group_id, payload_type, payload_time })
      // A destroyed payload has no content.
      const is_gone = payload_state === 'Destroyed'
      if (has_document && !is_gone) {
        const document = {
          parties: numbers.map((phone_number, n) => ({ phone_number, contact_name: names[n] ?? '' })),
          party_count: numbers.length,
          thread_id,
          notes: 'a "quoted" note',
        }
        const entry = searchEntry(document.parties, numbers)
        await owner.query(
          `insert into payload_documents (payload_id, client_id, list_doc, thread_id, all_numbers, search_text)
           values ($1, $2, $3, $4, $5, $6)`,
          [
            payload_id,
            client_id,
            JSON.stringify(document),
            thread_id ?? null,
            numbers.map((each) => each.replaceAll(',', ' ')).join(','),
            entry.text,
          ],
        )
        const place = { client_id, service, payload_time, payload_id, group_id: group.group_id, type }
        await db.write(client_id, (tx) => insertSearchEntries(tx, [{ place, entry }]))
        for (const number of numbers) {
          await owner.query(
            `insert into payload_numbers (client_id, number_hash, service, payload_time, payload_id, group_id, type, is_second) values ($1, hashtextextended($2, 0), $3, $4, $5, $6, $7, true)`,
            [client_id, number, service, payload_time, payload_id, group.group_id, type],
          )
        }
      }
      payloads.push({
        payload_id,
        payload_reference,
        payload_type,
        payload_state,
        payload_time,
        processed_at,
        updated_at,
        group_id: group.group_id,
        group: group.group_reference,
        device_reference: device.device_reference,
        device_user_reference: person?.device_user_reference ?? null,
        is_late,
        is_altered,
        numbers: is_gone ? [] : numbers,
        names: is_gone ? [] : names,
        thread_id: is_gone ? undefined : thread_id,
      })
    }
  }

  return { client_id, client, groups, payloads, add }
}

/** An access that reaches these lanes with every action. */
export function accessTo(lanes: Lane[]) {
  const permits = (
    _action: string,
    { group_id, payload_type }: { group_id: number | null; payload_type?: PayloadType | undefined },
  ) =>
    lanes.some(
      ({ types, groups }) =>
        (types === 'all' || payload_type === undefined || types.includes(payload_type)) &&
        (groups === 'all' || (group_id !== null && groups.includes(group_id))),
    )
  const allowsGroupless = () => lanes.some(({ groupless }) => groupless)
  return { lanes: () => lanes, permits, allowsGroupless }
}
