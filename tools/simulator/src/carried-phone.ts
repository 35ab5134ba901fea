import { join } from 'node:path'
import type { Enrolment, PhoneIdentity } from '@custodia/device-sdk'
import { type Chance, chance, PLACES, wallClock, whereabouts } from './itinerary.ts'
import type { DemoAccount, DemoPerson } from './media.ts'

const MODELS = [
  ['Samsung Galaxy S25', '16'],
  ['Samsung Galaxy A56', '15'],
  ['Google Pixel 10', '16'],
  ['Google Pixel 8a', '15'],
  ['Motorola Edge 60', '15'],
] as const
const APP_VERSIONS = ['4.12.0', '4.12.0', '4.11.3', '4.10.1']

/** A phone with its holder: device facts, and the context of each recording. */
export interface CarriedPhone {
  person: DemoPerson
  identity: PhoneIdentity
  timezone: string
  /** Common metadata fields of all payload types (docs/protocol-metadata.md). */
  common(payload_reference: string, payload_time: number): CommonMeta
}

interface CommonMeta {
  payload_reference: string
  timezone: string
  timezone_offset: number
  local_time: string
  payload_time: number
  payload_location: Location | null
  last_known_location: Location | null
  payload_carrier_metadata: {
    carrier_name: string
    phone_number: string | null
    slot_index: number
    is_default_voice: boolean
    is_default_message: boolean
    is_default_data: boolean
  }[]
  imeis: string[]
}

interface Location {
  latitude: number
  longitude: number
  accuracy: number
  timestamp: number
  provider: string
}

/** A person's phone; `spare` distinguishes several phones of one person. */
export function carriedPhone(person: DemoPerson, spare = 0): CarriedPhone {
  const dice = chance(`phone ${person.email} ${spare}`)
  const place = PLACES[person.locale]
  const [model, os_version] = dice.pick(MODELS)
  const isDual = dice.next() < 0.4
  const imeis = Array.from({ length: isDual ? 2 : 1 }, () => imei(dice))
  const carriers = imeis.map((_, slot_index) => ({
    carrier_name: dice.pick(place.carriers),
    phone_number: slot_index === 0 ? person.phone_number : null,
    slot_index,
    is_default_voice: slot_index === 0,
    is_default_message: slot_index === 0,
    is_default_data: slot_index === imeis.length - 1,
  }))
  return {
    person,
    timezone: place.timezone,
    identity: {
      model,
      os_version,
      app_version: dice.pick(APP_VERSIONS),
      serial_number: `R5C${dice.digits(8)}`,
      installation_id: `install-${dice.digits(16)}`,
      phone_numbers: [person.phone_number],
      imeis,
      email: person.email,
    },
    common(payload_reference, payload_time) {
      const clock = wallClock(place.timezone, payload_time)
      const located = position(dice, person, payload_time, clock.timezone_offset)
      const isFix = dice.next() < 0.8
      return {
        payload_reference,
        timezone: place.timezone,
        ...clock,
        payload_time,
        payload_location: isFix ? located : null,
        last_known_location: isFix ? null : { ...located, timestamp: payload_time - dice.between(300, 5400) },
        payload_carrier_metadata: carriers,
        imeis,
      }
    },
  }
}

function position(dice: Chance, person: DemoPerson, timestamp: number, timezone_offset: number): Location {
  const { latitude, longitude } = whereabouts(person, timestamp + timezone_offset * 60)
  const nearby = () => (dice.next() - 0.5) / 5000
  const round = (degrees: number) => Math.round(degrees * 1e6) / 1e6
  return {
    latitude: round(latitude + nearby()),
    longitude: round(longitude + nearby()),
    accuracy: dice.between(4, 45),
    timestamp,
    provider: dice.pick(['fused', 'gps', 'network']),
  }
}

/** 15 digits with a Luhn check digit (3GPP TS 23.003). */
function imei(dice: Chance): string {
  const body = `35${dice.digits(12)}`
  const sum = Array.from(body, Number).reduce((total, digit, i) => {
    const weighted = i % 2 === 1 ? digit * 2 : digit
    return total + (weighted > 9 ? weighted - 9 : weighted)
  }, 0)
  return `${body}${(10 - (sum % 10)) % 10}`
}

/** Folder of a person's device: queue and key. */
export const phoneFolder = (
  phonesFolder: string,
  { account_reference }: DemoAccount,
  email: string,
): string => join(phonesFolder, account_reference, email.replace(/[^a-z0-9.@-]/gi, '_'))

/** Enrolment code of a person's device: the person's own, else the roll-out's. */
export const getEnrolment = (server_url: string, account: DemoAccount, person: DemoPerson): Enrolment => ({
  server_url,
  account_reference: account.account_reference,
  enrolment: person.enrolment ?? account.enrolment,
})
