import * as z from 'zod/mini'
import { REPORT_FAILURES, REPORT_STATUSES, reportKey } from './device-logs.ts'
import { DEVICE_STATES, SILENCES } from './devices.ts'
import {
  CLIENT_GROUPS,
  dateRange,
  DEVICE,
  endpoints,
  get,
  ownerNames,
  PAGE_DEFAULT,
  getPage,
  pageQuery,
  post,
  recordFilters,
} from './endpoint.ts'
import { DATA_STATUSES } from './payload-types.ts'
import {
  Base64,
  BATCH_LIMIT,
  ClientReference,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  Iv,
  PayloadReference,
  queryInteger,
  text,
  uniqueList,
} from './scalars.ts'

/** Positions in one page. The limit is high because positions are small and tracks are long. */
export const GPS_PAGE_LIMIT = 5000
/** Characters of one sealed position in base64. */
export const SEALED_POINT_LIMIT = 2048

/** Idempotency key that the device makes once, like a `payload_reference`. */
export const GpsReference = text(26, 36, [/^[A-Za-z0-9_-]+$/, 'reference'])

/** Degrees. */
const latitude = z.number().check(z.gte(-90), z.lte(90))
const longitude = z.number().check(z.gte(-180), z.lte(180))

/** A position as its device seals it (spec section 3: GPS point). */
export const GpsMeta = z.strictObject({
  gps_reference: GpsReference,
  timestamp: EpochSeconds,
  latitude,
  longitude,
  /** Metres. */
  accuracy: z.optional(z.nullable(z.number().check(z.gte(0), z.lte(1e8)))),
  /** Metres. */
  altitude: z.optional(z.nullable(z.number().check(z.gte(-1e6), z.lte(1e8)))),
  /** IANA zone of the device at that moment. */
  timezone: text(1, 64),
  /** Location provider, such as `fused`, `gps` or `network`. */
  provider: z.optional(z.nullable(text(1, 60))),
})
export type GpsMeta = z.output<typeof GpsMeta>

/** Outcome of a position, like that of a report. */
const GpsAnswer = z.strictObject({
  gps_reference: GpsReference,
  status: z.enum(REPORT_STATUSES),
  reason: z.optional(z.enum(REPORT_FAILURES)),
})
export type GpsAnswer = z.output<typeof GpsAnswer>

/** Positions as the device uploads them: one data key seals each separately. */
export const GpsBatch = z.strictObject({
  ...reportKey,
  points: z
    .array(
      z.strictObject({
        gps_reference: GpsReference,
        timestamp: EpochSeconds,
        iv: Iv,
        meta: Base64(SEALED_POINT_LIMIT),
      }),
    )
    .check(
      z.minLength(1),
      z.maxLength(BATCH_LIMIT),
      z.refine((items) => new Set(items.map((each) => each.gps_reference)).size === items.length, {
        error: 'not_unique',
      }),
    ),
})
export type GpsBatch = z.output<typeof GpsBatch>

/** A position in the portal. Sealed fields are null once their key is erased. */
export const GpsPoint = z.strictObject({
  client: ClientReference,
  gps_reference: GpsReference,
  device_reference: DeviceReference,
  /** Who held the device at that time, and the group that it was in. */
  device_user_reference: z.nullable(DeviceUserReference),
  group: GroupReference,
  timestamp: EpochSeconds,
  received_at: EpochSeconds,
  latitude: z.nullable(z.number()),
  longitude: z.nullable(z.number()),
  accuracy: z.nullable(z.number()),
  altitude: z.nullable(z.number()),
  timezone: z.nullable(z.string()),
  provider: z.nullable(z.string()),
  ...ownerNames,
})
export type GpsPoint = z.output<typeof GpsPoint>

/** The last position of a device, with what the device is now, for readers of the device. */
export const LastPosition = z.strictObject({
  ...GpsPoint.def.shape,
  device_state: z.optional(z.enum(DEVICE_STATES)),
  silence: z.optional(z.nullable(z.enum(SILENCES))),
  phone_numbers: z.optional(z.array(z.string())),
})
export type LastPosition = z.output<typeof LastPosition>

/** The place of a recording, as its device sealed it; or the reason for its absence. */
export const PayloadPlace = z.strictObject({
  payload_reference: PayloadReference,
  /** Ok also where there is no place. */
  status: z.enum(DATA_STATUSES),
  place: z.optional(
    z.strictObject({
      latitude: z.number(),
      longitude: z.number(),
      /** Metres. */
      accuracy: z.nullable(z.number()),
      /** The device had no fix and reported its previous place. */
      is_last_known: z.boolean(),
    }),
  ),
})
export type PayloadPlace = z.output<typeof PayloadPlace>

const pages = { ...pageQuery, limit: z._default(queryInteger(1, GPS_PAGE_LIMIT), PAGE_DEFAULT) }
const within = {
  /** By `timestamp`. */
  ...dateRange,
}

const list = {
  method: 'GET',
  ...CLIENT_GROUPS,
  response: getPage(GpsPoint),
} as const

export const gpsEndpoints = endpoints({
  listLastPositions: {
    ...list,
    path: 'gps',
    action: 'gps:list',
    support: true,
    summary: 'List the last position of each device in the caller’s groups',
    response: getPage(LastPosition),
    query: { ...pages, ...within, ...recordFilters },
  },
  listGpsOfDevice: {
    ...list,
    path: 'devices/{device_reference}/gps',
    action: 'devices.gps:list',
    support: true,
    summary: 'List the positions of a device, newest first',
    query: { ...pages, ...within },
    problems: ['not_found'],
  },
  listGpsOfUser: {
    ...list,
    path: 'users/{device_user_reference}/gps',
    action: 'users.gps:list',
    support: true,
    summary: 'List the positions of the devices of a device user',
    query: { ...pages, ...within },
    problems: ['not_found'],
  },
  readPayloadPlaces: {
    ...get(CLIENT_GROUPS, 'places'),
    action: 'payloads.places:read',
    support: true,
    summary: 'List the positions of up to 100 payloads',
    query: { payload_references: uniqueList(PayloadReference, 1, BATCH_LIMIT) },
    response: z.strictObject({ data: z.array(PayloadPlace) }),
  },
})

/** Calls of the device. */
export const gpsUploadEndpoints = endpoints({
  uploadGps: {
    ...post(DEVICE, 'gps'),
    summary: 'Receive up to 100 sealed positions of a device, without duplicates',
    body: GpsBatch,
    secrets: ['encrypted_dek', 'meta'],
    response: z.strictObject({ points: z.array(GpsAnswer) }),
  },
})
