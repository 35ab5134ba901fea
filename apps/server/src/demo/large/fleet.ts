import { DAY, DEVICE_SERVICES, type DeviceFacts, type DeviceService, HOUR } from '@custodia/contract'
import { ulid } from 'ulid'
import { dice, type Dice } from './dice.ts'
import { type Branch, BRANCHES, BRAZILIAN, BRITISH } from './names.ts'

/** The size of the large demo. */
export interface Scale {
  people: number
  devices: number
  /** Recordings of a device and month. */
  recordings: number
  /** Months before today, this one included. */
  months: number
  /** Telemetry reports of a device. */
  reports: number
  /** Positions of a device today. */
  positions: number
  /** Entries of each audit log, commands and device logs together. */
  entries: number
}

/** What `DEMO_SCALE=large` adds. */
export const LARGE: Scale = {
  people: 20_000,
  devices: 5000,
  recordings: 2,
  months: 13,
  reports: 10,
  positions: 3,
  entries: 20_000,
}

/** A person of the large demo, and their device. */
export interface LargePerson {
  device_user_reference: string
  first_name: string
  surname: string
  email: string
  branch: Branch
  services: readonly DeviceService[]
  expected_device_count: number
  onboard_date: number
  /** Null: still there. */
  offboard_date: number | null
  device: LargeDevice | undefined
}

export interface LargeDevice {
  device_reference: string
  phone_number: string
  imei: string
  serial_number: string
  activated_at: number
  last_seen: number
  /** Null: active. */
  deactivation_date: number | null
  facts: DeviceFacts
}

/** Of a hundred devices, those whose person has left. */
const LEFT = 4
/** Of a hundred devices, those that are silent. */
const SILENT = 5

/** The people of the large demo: some with a device, some who left, and most without anything to record. */
export function largePeople({ people, devices }: Scale, now: number): LargePerson[] {
  const roll = dice(20_261)
  const taken = new Map<string, number>()
  return Array.from({ length: people }, (_, index) => {
    const branch = BRANCHES[Math.floor(BRANCHES.length * roll.next() ** 1.6)] ?? BRANCHES[0]
    const { first_name, surname } = getName(branch as Branch, roll)
    const name = `${first_name}.${surname}`
      .toLowerCase()
      .normalize('NFD')
      .replace(/[^a-z.]/g, '')
    const same = (taken.get(name) ?? 0) + 1
    taken.set(name, same)
    const onboard_date = now - roll.between(30, 900) * DAY
    const isOwner = index < devices
    const hasLeft = isOwner ? index % 100 < LEFT : roll.next() < 0.25
    // A few have ordered services and wait for their device.
    const waits = !isOwner && !hasLeft && roll.next() < 0.01
    const offboard_date = hasLeft ? now - roll.between(1, 29) * DAY : null
    const isRecorded = (isOwner && !hasLeft) || waits
    return {
      device_user_reference: `AC-${20_001 + index}`,
      first_name,
      surname,
      email: `${name}${same === 1 ? '' : same}@acme.example`,
      branch: branch as Branch,
      services: isRecorded ? getServices(roll) : [],
      expected_device_count: isRecorded ? 1 : 0,
      onboard_date: waits ? now - roll.between(0, 8) * DAY : onboard_date,
      offboard_date,
      device: isOwner
        ? getDevice(index, { branch: branch as Branch, onboard_date, offboard_date }, now, roll)
        : undefined,
    }
  })
}

function getName({ country }: Branch, roll: Dice): { first_name: string; surname: string } {
  const { first, last } = country === 'BR' ? BRAZILIAN : BRITISH
  const surname = roll.of(last)
  if (country === 'GB') return { first_name: roll.of(first), surname }
  // Most Brazilians have a surname of each parent.
  return { first_name: roll.of(first), surname: roll.next() < 0.7 ? `${roll.of(last)} ${surname}` : surname }
}

const getServices = (roll: Dice): DeviceService[] =>
  DEVICE_SERVICES.filter((service) => service === 'calls' || roll.next() < 0.9)

type Model = readonly [manufacturer: string, model: string, os_version: string]
const MODELS: readonly (readonly [Model, number])[] = [
  [['Google', 'Google Pixel 10', '16'], 22],
  [['Google', 'Google Pixel 9a', '16'], 14],
  [['samsung', 'Samsung Galaxy S25', '16'], 20],
  [['samsung', 'Samsung Galaxy A56', '15'], 18],
  [['samsung', 'Samsung Galaxy XCover 7', '14'], 8],
  [['motorola', 'motorola edge 50', '15'], 8],
  [['motorola', 'moto g84', '14'], 6],
  [['Nokia', 'Nokia X30', '13'], 4],
]
const APP_VERSIONS: readonly (readonly [string, number])[] = [
  ['4.12.0', 70],
  ['4.11.2', 20],
  ['4.10.1', 7],
  ['4.8.3', 3],
]
const CARRIERS = {
  GB: [
    ['EE', '23430'],
    ['O2 - UK', '23410'],
    ['Vodafone UK', '23415'],
    ['Three', '23420'],
  ],
  BR: [
    ['Vivo', '72406'],
    ['Claro', '72405'],
    ['TIM', '72402'],
  ],
} as const

interface Owner {
  branch: Branch
  onboard_date: number
  offboard_date: number | null
}

/** The numbers are of ranges that no network assigns. */
function getDevice(index: number, { branch, onboard_date, offboard_date }: Owner, now: number, roll: Dice) {
  const [manufacturer, model, os_version] = roll.weighted(MODELS)
  const digits = String(index).padStart(6, '0')
  const isSilent = roll.between(1, 100) <= SILENT
  const last_seen =
    offboard_date ?? now - (isSilent ? roll.between(26, 9 * 24) * HOUR : roll.between(60, 5 * HOUR))
  const activated_at = onboard_date + roll.between(0, 6) * DAY
  return {
    device_reference: ulid(activated_at * 1000),
    phone_number: branch.country === 'BR' ? `+5511955${digits}` : `+447100${digits}`,
    imei: `35${digits}`.padEnd(15, '0'),
    serial_number: `SN${digits}`,
    activated_at,
    last_seen,
    deactivation_date: offboard_date,
    facts: getFacts({ manufacturer, model, os_version }, branch, roll),
  }
}

function getFacts(
  made: Pick<DeviceFacts, 'manufacturer' | 'model' | 'os_version'>,
  { country }: Branch,
  roll: Dice,
): DeviceFacts {
  const [operator_name, operator_code] = roll.of<readonly [string, string]>(CARRIERS[country])
  return {
    os: 'Android',
    ...made,
    security_patch: '2026-09-05',
    app_version: roll.weighted(APP_VERSIONS),
    sims: [
      {
        slot_index: 0,
        sim_state: 'ready',
        operator_name,
        operator_code,
        country: country.toLowerCase(),
        network_type: roll.next() < 0.6 ? 'NR' : 'LTE',
        signal_strength: -roll.between(62, 112),
        is_roaming: roll.next() < 0.02,
      },
    ],
    is_gps_enabled: true,
    is_wifi_enabled: true,
    is_wifi_connected: roll.next() < 0.5,
    memory_total: 12e9,
    storage_total: 128e9,
    services: Object.fromEntries(DEVICE_SERVICES.map((service) => [service, true])),
    is_whitelisted: roll.next() < 0.97,
    is_device_admin: true,
  }
}

/** What a device reports at a time in addition to its constant facts. */
export const changingFacts = (roll: Dice): Partial<DeviceFacts> => ({
  battery_percentage: roll.between(12, 100),
  is_charging: roll.next() < 0.3,
  memory_available: roll.between(1500, 5000) * 1e6,
  storage_available: roll.next() < 0.02 ? roll.between(150, 450) * 1e6 : roll.between(20, 90) * 1e9,
  queue_payloads: roll.next() < 0.05 ? roll.between(1, 9) : 0,
})
