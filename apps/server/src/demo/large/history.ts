import { DAY, HOUR, type PayloadMeta, type PayloadType } from '@custodia/contract'
import { ulid } from 'ulid'
import { dice, type Dice } from './dice.ts'
import type { StoredDevice } from './fleet-store.ts'
import type { LargePerson } from './fleet.ts'
import type { FormerRecording } from './history-store.ts'
import { type Branch, BRAZILIAN, BRITISH } from './names.ts'

/** Who people talk with: the first ones often. */
interface Contact {
  phone_number: string
  contact_name: string
}
const CONTACTS = 600
/** Contacts of one person. */
const KNOWN = 7

function getContacts(country: Branch['country']): Contact[] {
  const roll = dice(country === 'BR' ? 55 : 44)
  const { first, last } = country === 'BR' ? BRAZILIAN : BRITISH
  return Array.from({ length: CONTACTS }, (_, i) => ({
    phone_number: `${country === 'BR' ? '+5511956' : '+447101'}${String(i).padStart(6, '0')}`,
    contact_name: `${roll.of(first)} ${roll.of(last)}`,
  }))
}
const CONTACTS_OF = { GB: getContacts('GB'), BR: getContacts('BR') }

const KINDS: readonly (readonly [PayloadType, number])[] = [
  ['Call', 46],
  ['SMS', 28],
  ['AbortedCall', 9],
  ['RCS', 5],
  ['Interview', 4],
  ['MMS', 3],
  ['BlockedCall', 2],
  ['Photo', 2],
  ['Video', 1],
]

/** The holder of a device, as recordings need them. */
export type Holder = StoredDevice & { person: LargePerson }

/** What one device recorded from one time to another, in business hours; more of it in later months. */
export function getRecordings(
  { person, device_id, device_user_id, group_id, device_reference }: Holder,
  { from, to, most }: { from: number; to: number; most: number },
): FormerRecording[] {
  const { device, branch } = person
  if (!device) return []
  const roll = dice(device_id * 31 + Math.floor(from / DAY))
  const times = Array.from({ length: roll.between(0, 2 * most) }, () => momentIn(branch, from, to, roll))
  const { activated_at, deactivation_date } = device
  return times
    .filter((at) => at >= Math.max(from, activated_at) && at < Math.min(to, deactivation_date ?? to))
    .map((at) => {
      const payload_type = roll.weighted(KINDS)
      const { payload_end_time, metadata } = getMetadata(payload_type, at, person, roll)
      const hasData = payload_type !== 'AbortedCall' && payload_type !== 'BlockedCall'
      return {
        device_id,
        device_reference,
        device_user_id,
        group_id,
        payload_type,
        state: hasData ? 'Transferred' : 'NotRecorded',
        payload_end_time,
        metadata,
      }
    })
}

/** Monday is 4 days after the epoch; few work on weekends. */
function momentIn({ timezone }: Branch, from: number, to: number, roll: Dice): number {
  const day = Math.floor((from + roll.next() * (to - from)) / DAY)
  const isWeekend = (day + 3) % 7 >= 5
  const shown = isWeekend && roll.next() < 0.85 ? day - 2 : day
  const hour = 8 + (roll.next() + roll.next()) * 5
  return shown * DAY + Math.floor(hour * HOUR) - getOffset(timezone, shown * DAY) * 60
}

const zones = new Map<string, Intl.DateTimeFormat>()

/** Minutes east of UTC. */
function getOffset(timeZone: string, at: number): number {
  const format =
    zones.get(timeZone) ?? new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' })
  zones.set(timeZone, format)
  const name = format.formatToParts(at * 1000).find(({ type }) => type === 'timeZoneName')?.value
  const [, sign, hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name ?? '') ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function getMetadata(
  payload_type: PayloadType,
  payload_time: number,
  { branch, device, device_user_reference }: LargePerson,
  roll: Dice,
): { payload_end_time: number | null; metadata: PayloadMeta } {
  const timezone_offset = getOffset(branch.timezone, payload_time)
  const payload_reference = ulid(payload_time * 1000)
  const common = {
    payload_reference,
    timezone: branch.timezone,
    timezone_offset,
    local_time: new Date((payload_time + timezone_offset * 60) * 1000).toISOString().slice(0, 19),
    payload_time,
    payload_carrier_metadata: [{ slot_index: 0, phone_number: device?.phone_number }],
  }
  const contacts = CONTACTS_OF[branch.country]
  const first = Number(device_user_reference.slice(3)) * 13
  const party = contacts[(first + roll.between(0, KNOWN - 1)) % CONTACTS] as Contact
  const direction = roll.next() < 0.5 ? 'I' : 'O'
  const duration = payload_type === 'AbortedCall' || payload_type === 'BlockedCall' ? 0 : roll.between(8, 900)
  const payload_end_time = payload_time + duration
  switch (payload_type) {
    case 'SMS':
    case 'MMS':
    case 'RCS':
      return {
        payload_end_time: null,
        metadata: {
          ...common,
          thread_id: `thread-${party.phone_number}`,
          direction,
          length: roll.between(4, 300),
          message_parties: [party],
        },
      }
    case 'Interview':
      return {
        payload_end_time,
        metadata: { ...common, payload_end_time, payload_duration: duration, interview_pause_times: [] },
      }
    case 'Photo':
    case 'Video':
      return { payload_end_time: null, metadata: { ...common, payload_duration: roll.between(5, 90) } }
    default: {
      const blocked =
        payload_type === 'BlockedCall' ? { reason_for_blocking: 'Number on the block list' } : {}
      const second_parties = [{ ...party, direction, start_time: payload_time, duration } as const]
      return {
        payload_end_time,
        metadata: { ...common, payload_end_time, size: duration * 2000, second_parties, ...blocked },
      }
    }
  }
}
