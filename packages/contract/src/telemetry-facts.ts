import * as z from 'zod/mini'
import { TimestampUuid } from './device-logs.ts'
import { DEVICE_SERVICES } from './payload-types.ts'
import { Count, EpochSeconds, Imei, NonNegative, PhoneNumber, text } from './scalars.ts'

// Device telemetry (spec section 3). Facts of the device are unencrypted, because lists, distributions and the
// provider's staff use them. Facts about a person or a place stay sealed.

/** Maximum SIM slots, installed applications, and applications with network statistics of one report. */
export const SIM_SLOTS = 10
export const APPLICATIONS_LIMIT = 2000
export const APP_STATISTICS_LIMIT = 1000

const flag = z.optional(z.boolean())
const Slot = z.int().check(z.gte(0), z.lte(SIM_SLOTS - 1))
/** Signal in dBm. */
const Signal = z.int().check(z.gte(-200), z.lte(100))
/** ISO 3166-1 alpha-2 in lower case, as Android reports it. */
const CountryIso = z.string().check(z.regex(/^[a-z]{2}$/, { error: 'reference' }), z.maxLength(2))
/** MCC and MNC. */
const OperatorCode = z.string().check(z.regex(/^\d{5,6}$/, { error: 'reference' }), z.maxLength(6))
/** Each slot once. */
const slots = <T extends z.ZodMiniType<{ slot_index: number }>>(item: T) =>
  z.array(item).check(
    z.maxLength(SIM_SLOTS),
    z.refine<z.output<T>[]>(
      (items) => new Set(items.map(({ slot_index }) => slot_index)).size === items.length,
      { error: 'not_unique' },
    ),
  )

export const SIM_STATES = ['ready', 'absent', 'locked', 'unknown'] as const

/** A SIM slot with operator and network, without its number. */
const Sim = z.strictObject({
  slot_index: Slot,
  sim_state: z.enum(SIM_STATES),
  operator_name: z.optional(text(0, 100)),
  operator_code: z.optional(OperatorCode),
  /** Of the card. */
  country: z.optional(CountryIso),
  network_operator_name: z.optional(text(0, 100)),
  network_operator_code: z.optional(OperatorCode),
  network_country: z.optional(CountryIso),
  /** Such as `LTE` or `NR`. */
  network_type: z.optional(text(1, 60)),
  signal_strength: z.optional(Signal),
  is_roaming: flag,
  is_default_voice: flag,
  is_default_message: flag,
  is_default_data: flag,
})

const ServiceFlags = z.strictObject(
  Object.fromEntries(DEVICE_SERVICES.map((service) => [service, flag])) as Record<
    (typeof DEVICE_SERVICES)[number],
    typeof flag
  >,
)

const facts = {
  os: z.optional(text(1, 60)),
  os_version: text(1, 255),
  security_patch: z.optional(text(1, 60)),
  manufacturer: z.optional(text(1, 255)),
  model: text(1, 255),
  app_version: text(1, 255),
  sims: z.optional(slots(Sim)),
  is_gps_enabled: flag,
  /** Satellites in view and their strength (C/N0 in dB-Hz). */
  gps_satellites: z.optional(Count.check(z.lte(1000))),
  gps_signal_strength: z.optional(z.number().check(z.gte(0), z.lte(100))),
  is_wifi_enabled: flag,
  is_wifi_connected: flag,
  wifi_signal_strength: z.optional(Signal),
  battery_percentage: z.optional(z.int().check(z.gte(0), z.lte(100))),
  is_charging: flag,
  /** Bytes. */
  memory_total: z.optional(NonNegative),
  memory_available: z.optional(NonNegative),
  storage_total: z.optional(NonNegative),
  storage_available: z.optional(NonNegative),
  /** Services that record on the device now. */
  services: z.optional(ServiceFlags),
  /** Bytes since the device started counting. */
  mobile_received: z.optional(NonNegative),
  mobile_sent: z.optional(NonNegative),
  wifi_received: z.optional(NonNegative),
  wifi_sent: z.optional(NonNegative),
  /** The system lets the app work while the device sleeps. */
  is_whitelisted: flag,
  is_device_admin: flag,
  is_knox_supported: flag,
  is_knox_active: flag,
  knox_version: z.optional(text(1, 60)),
  is_sms_allowed: flag,
  is_mms_allowed: flag,
  is_rcs_allowed: flag,
  /** Payloads that the device has and the server has not yet processed, their sealed bytes, and when the oldest was recorded. */
  queue_payloads: z.optional(Count),
  queue_size: z.optional(NonNegative),
  queue_oldest_at: z.optional(EpochSeconds),
}
export const DeviceFacts = z.strictObject(facts)
export type DeviceFacts = z.output<typeof DeviceFacts>
const FACTS = /* @__PURE__ */ Object.keys(facts) as (keyof DeviceFacts)[]

const SimNumber = z.strictObject({
  slot_index: Slot,
  phone_number: z.optional(PhoneNumber),
  iccid: z.optional(z.nullable(text(1, 22))),
  imsi: z.optional(z.nullable(text(1, 20))),
})

/** An application with what it sent and received, in bytes. */
export const AppStatistics = z.strictObject({
  package_name: text(1, 255),
  uid: z.optional(NonNegative),
  mobile_received: z.optional(NonNegative),
  mobile_sent: z.optional(NonNegative),
  wifi_received: z.optional(NonNegative),
  wifi_sent: z.optional(NonNegative),
})
export type AppStatistics = z.output<typeof AppStatistics>

export const InstalledApplication = z.strictObject({
  package_name: text(1, 255),
  simple_name: z.optional(text(0, 255)),
  is_system_app: flag,
  /** Bytes. */
  size: z.optional(NonNegative),
  uid: z.optional(NonNegative),
})
export type InstalledApplication = z.output<typeof InstalledApplication>

/** The sealed content of a report. */
export const Telemetry = z.strictObject({
  telemetry_id: TimestampUuid,
  telemetry_time: EpochSeconds,
  /** IANA zone of the device at that moment. */
  timezone: text(1, 64),
  ...facts,
  imeis: z.optional(slots(z.strictObject({ slot_index: Slot, imei: Imei }))),
  sim_numbers: z.optional(slots(SimNumber)),
  wifi_name: z.optional(z.nullable(text(0, 255))),
  /** Absent if unchanged; the device sends it at most once a day. */
  installed_applications: z.optional(z.array(InstalledApplication).check(z.maxLength(APPLICATIONS_LIMIT))),
  app_network_statistics: z.optional(z.array(AppStatistics).check(z.maxLength(APP_STATISTICS_LIMIT))),
})
export type Telemetry = z.output<typeof Telemetry>

/** The unencrypted part of a report. */
export const getFacts = (report: Telemetry): DeviceFacts =>
  Object.fromEntries(
    FACTS.flatMap((name) => (report[name] === undefined ? [] : [[name, report[name]]])),
  ) as DeviceFacts
