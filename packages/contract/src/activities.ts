import * as z from 'zod/mini'
import { ADMIN_GROUPS, dateRange, endpoints, get, getPage, pageQuery } from './endpoint.ts'
import { NamedRecording } from './named-recording.ts'
import {
  BATCH_LIMIT,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  PayloadReference,
  queryBoolean,
  text,
  uniqueList,
  UserReference,
} from './scalars.ts'

/** Fields of a call in both logs (spec section 3). */
const call = {
  /** A timestamp-UUID (version 7). */
  log_id: z.string(),
  activity_time: EpochSeconds,
  activity_end_time: z.nullable(EpochSeconds),
  /** Seconds, with fractions. */
  duration: z.nullable(z.number()),
  group: z.nullable(z.string()),
  action: z.string(),
  /** Whether the call succeeded; false for every refusal and every failure. */
  is_allowed: z.boolean(),
  /** Code of the problem, then a colon and its details. */
  denial_reason: z.nullable(z.string()),
  /** JSON text, without secrets. */
  parameters: z.string(),
  status_code: z.nullable(z.int()),
  request_id: z.string(),
  /**
   * Names of the caller (`who`) and of what the parameters name, by parameter. Only of what the reader may see.
   */
  names: z.record(z.string(), z.string()),
}

/** One call of a portal user, a client app, or support staff in support mode. */
export const PortalActivity = z.strictObject({
  ...call,
  user_id: z.string(),
  user_ip: z.string(),
  browser: z.nullable(z.string()),
  roles: z.array(z.string()),
  is_client_app: z.boolean(),
  /** The support request under which the provider's staff acted. */
  support_reference: z.nullable(z.string()),
  recording: z.nullable(NamedRecording),
  /** For a play or a download: whether the server delivered data, or an address only. Null for other calls. */
  was_handed_out: z.nullable(z.boolean()),
})
export type PortalActivity = z.output<typeof PortalActivity>

export const DeviceActivity = z.strictObject({
  ...call,
  device_ip: z.string(),
  device_reference: z.string(),
  device_user_reference: z.nullable(z.string()),
})
export type DeviceActivity = z.output<typeof DeviceActivity>

const filters = {
  ...dateRange,
  /** Names, or beginnings that end in `*`: `payloads:*`. */
  actions: z.optional(uniqueList(text(1, 128), 1, BATCH_LIMIT)),
  is_allowed: z.optional(queryBoolean()),
  /** Exactly as logged. */
  ip: z.optional(text(2, 64)),
  groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
  /** Part of the parameters, such as a reference. */
  search: z.optional(text(3, 255)),
  /**
   * `false`: without periodic background calls of portals and devices. Refused and failed calls are always included.
   */
  is_background: z.optional(queryBoolean()),
}

const portalFilters = {
  ...filters,
  users: z.optional(uniqueList(UserReference, 1, BATCH_LIMIT)),
  is_client_app: z.optional(queryBoolean()),
  /** Only activities in support mode, or only others. */
  is_support: z.optional(queryBoolean()),
  support_reference: z.optional(text(26, 26)),
  /** Activities on this recording, including reads of its conversations. */
  payload_reference: z.optional(PayloadReference),
  /**
   * Merges the entries of one play, download or reading, renewed addresses included, into its first entry in the
   * period. Has no effect with `search` or on refusals.
   */
  is_folded: z.optional(queryBoolean()),
}

const deviceFilters = {
  ...filters,
  device_reference: z.optional(DeviceReference),
  device_user_reference: z.optional(DeviceUserReference),
}

export const activityEndpoints = endpoints({
  listActivities: {
    ...get(ADMIN_GROUPS, 'activities'),
    action: 'activities:list',
    support: true,
    summary: 'List the activities of portal users, client apps and support staff',
    query: { ...pageQuery, ...portalFilters },
    response: getPage(PortalActivity),
  },
  listDeviceActivities: {
    ...get(ADMIN_GROUPS, 'device_activities'),
    action: 'device_activities:list',
    support: true,
    summary: 'List the activities of devices',
    query: { ...pageQuery, ...deviceFilters },
    response: getPage(DeviceActivity),
  },
})

export const PortalActivityQuery = activityEndpoints.listActivities.query
export type PortalActivityQuery = z.output<typeof PortalActivityQuery>
export type DeviceActivityQuery = z.output<typeof activityEndpoints.listDeviceActivities.query>
