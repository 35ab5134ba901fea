import type { GpsMeta, Telemetry } from '@custodia/contract'
import type { CarriedPhone } from './carried-phone.ts'
import { chance, type Chance, namedReference, wallClock, whereabouts } from './itinerary.ts'
import { getQuietPerson } from './people/quiet-people.ts'

const DAY = 86_400
/** Days of telemetry per device, and the interval in seconds. */
const DAYS = 2
const EVERY = 2 * 3600

const APPLICATIONS = [
  ['com.android.chrome', 'Chrome', true],
  ['com.google.android.apps.maps', 'Maps', true],
  ['com.google.android.gm', 'Gmail', true],
  ['com.microsoft.teams', 'Teams', false],
  ['com.whatsapp', 'WhatsApp', false],
  ['com.example.custodia', 'Custodia', false],
] as const

/** Telemetry of a demo device up to the start of `now`'s day (epoch seconds); deterministic per day. */
export function demoTelemetry(account_reference: string, carried: CarriedPhone, now: number): Telemetry[] {
  const { person, timezone } = carried
  const today = now - (now % DAY)
  const { dice, steady, carrier } = getConstantFacts(account_reference, carried)
  const isFull = dice.next() < 0.15
  let battery = dice.between(40, 100)
  return Array.from({ length: (DAYS * DAY) / EVERY }, (_, i) => {
    const at = today - DAYS * DAY + i * EVERY + dice.between(0, 600)
    const isNight = (at % DAY) / 3600 < 6
    battery = isNight ? Math.min(100, battery + 30) : Math.max(4, battery - dice.between(3, 11))
    const named = `${account_reference} telemetry ${person.email} ${i}`
    return {
      telemetry_id: `${namedReference(named)}-${namedReference(`${named} id`)}`,
      telemetry_time: at,
      timezone,
      ...steady,
      battery_percentage: battery,
      is_charging: isNight,
      memory_available: dice.between(1500, 4000) * 1e6,
      storage_available: isFull ? dice.between(180, 460) * 1e6 : (40_000 - i * 120) * 1e6,
      ...radio(dice, isNight, carrier),
      ...queue(dice, at),
      ...(i % 12 === 0 && { installed_applications: applications(dice) }),
    }
  })
}

/** Telemetry report of a demo device at a time (epoch seconds), with a queue length. */
export function telemetryAt(
  account_reference: string,
  carried: CarriedPhone,
  at: number,
  queue_payloads: number,
): Telemetry {
  const { steady, carrier } = getConstantFacts(account_reference, carried)
  const named = `${account_reference} telemetry ${carried.person.email} at ${at}`
  const dice = chance(named)
  return {
    telemetry_id: `${namedReference(named)}-${namedReference(`${named} id`)}`,
    telemetry_time: at,
    timezone: carried.timezone,
    ...steady,
    battery_percentage: dice.between(15, 100),
    is_charging: dice.next() < 0.3,
    memory_available: dice.between(1500, 4000) * 1e6,
    storage_available: dice.between(20, 60) * 1e9,
    ...radio(dice, dice.next() < 0.5, carrier),
    queue_payloads,
  }
}

/** Constant facts of a device, and their random source. */
function getConstantFacts(account_reference: string, carried: CarriedPhone) {
  const { person, identity } = carried
  const dice = chance(`${account_reference} telemetry ${person.email}`)
  const [first] = carried.common('', 0).payload_carrier_metadata
  const rights = {
    // Some systems suspend the app, and some users revoked a permission; a silent device reports no cause.
    is_whitelisted: dice.next() < 0.9,
    is_device_admin: dice.next() < 0.9 || getQuietPerson(person) !== undefined,
    is_sms_allowed: true,
    is_mms_allowed: true,
    is_rcs_allowed: dice.next() < 0.6,
  }
  const steady = {
    os: 'Android',
    os_version: identity.os_version,
    manufacturer: identity.model.split(' ')[0] ?? identity.model,
    model: identity.model,
    app_version: identity.app_version,
    imeis: identity.imeis.map((imei, slot_index) => ({ slot_index, imei })),
    sim_numbers: [{ slot_index: 0, phone_number: person.phone_number }],
    memory_total: 8e9,
    storage_total: 128e9,
    is_gps_enabled: true,
    is_wifi_enabled: true,
    ...rights,
    services: { calls: true, sms: true, mms: true, rcs: rights.is_rcs_allowed, photos: true },
  }
  return { dice, steady, carrier: first?.carrier_name }
}

const radio = (dice: Chance, isHome: boolean, operator_name: string | undefined) => ({
  is_wifi_connected: isHome,
  ...(isHome && { wifi_signal_strength: -dice.between(45, 75), wifi_name: 'home' }),
  gps_satellites: dice.between(4, 14),
  sims: [
    {
      slot_index: 0,
      sim_state: 'ready' as const,
      ...(operator_name !== undefined && { operator_name, network_operator_name: operator_name }),
      network_type: dice.next() < 0.7 ? 'NR' : 'LTE',
      signal_strength: -dice.between(75, 115),
      is_roaming: dice.next() < 0.03,
      is_default_voice: true,
    },
  ],
})

const queue = (dice: Chance, at: number) => {
  const waiting = dice.next() < 0.2 ? dice.between(1, 9) : 0
  return {
    queue_payloads: waiting,
    queue_size: waiting * dice.between(40, 400) * 1000,
    ...(waiting > 0 && { queue_oldest_at: at - dice.between(60, 7200) }),
  }
}

const applications = (dice: Chance) =>
  APPLICATIONS.map(([package_name, simple_name, is_system_app], i) => ({
    package_name,
    simple_name,
    is_system_app,
    size: dice.between(20, 400) * 1e6,
    uid: 10_100 + i,
  }))

const DEMO_TRACK_DAY = 86_400
/** Days of positions per device, today included. */
const DEMO_TRACK_DAYS = 3
/** Seconds between positions while moving, and while staying. */
const MOVING = 60
const STAYING = 600

/** Positions of a demo device from the start of the day before yesterday until `now` (epoch seconds); deterministic. */
export function demoTrack(
  account_reference: string,
  { person, timezone }: CarriedPhone,
  now: number,
): GpsMeta[] {
  const begin = now - (now % DEMO_TRACK_DAY) - (DEMO_TRACK_DAYS - 1) * DEMO_TRACK_DAY
  const track: GpsMeta[] = []
  const offset = wallClock(timezone, begin).timezone_offset * 60
  for (let timestamp = begin; timestamp <= now; timestamp += MOVING) {
    const { latitude, longitude, isMoving, isCovered } = whereabouts(person, timestamp + offset)
    if (isCovered || (!isMoving && timestamp % STAYING !== 0)) continue
    const name = `${account_reference} position ${person.email} ${timestamp}`
    const dice = chance(name)
    // Outdoors GNSS positions, indoors network positions.
    const accuracy = isMoving ? dice.between(4, 18) : dice.between(12, 60)
    const nearby = () => ((dice.next() - 0.5) * accuracy) / 111_000
    track.push({
      gps_reference: namedReference(name),
      timestamp,
      latitude: rounded(latitude + nearby()),
      longitude: rounded(longitude + nearby()),
      accuracy,
      altitude: dice.between(8, 40),
      timezone,
      provider: isMoving ? 'gps' : dice.pick(['fused', 'network']),
    })
  }
  return track
}

const rounded = (degrees: number): number => Math.round(degrees * 1e6) / 1e6
