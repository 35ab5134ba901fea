import * as z from 'zod/mini'
import {
  ADMIN_GROUPS,
  dateRange,
  endpoints,
  get,
  INTERNAL,
  getPage,
  pageQuery,
  post,
  put,
} from './endpoint.ts'
import {
  authors,
  BATCH_LIMIT,
  ClientReference,
  Count,
  EpochSeconds,
  FILTER_LIMIT,
  prose,
  queryBoolean,
  text,
  Ulid,
  uniqueList,
  setBody,
} from './scalars.ts'

export const ALERT_SCOPES = ['ops', 'sec'] as const
export const ALERT_STATES = ['Triggered', 'Cleared'] as const
export const ALERT_SEVERITIES = ['Low', 'Medium', 'High'] as const
export const ALERT_TYPES = [
  'AccountAlert',
  'AndroidAlert',
  'DeviceAlert',
  'DeviceUserAlert',
  'LambdaAlert',
  'MigrationAlert',
  'Notification',
  'PayloadAlert',
  'PortalUserAlert',
  'TransferAlert',
] as const
export const AlertScope = z.enum(ALERT_SCOPES)
export type AlertScope = z.output<typeof AlertScope>
export const AlertState = z.enum(ALERT_STATES)
export type AlertState = z.output<typeof AlertState>
export const AlertSeverity = z.enum(ALERT_SEVERITIES)
export type AlertSeverity = z.output<typeof AlertSeverity>
export const AlertType = z.enum(ALERT_TYPES)
export type AlertType = z.output<typeof AlertType>

export const ENTITY_TYPES = [
  'Device',
  'DeviceUser',
  'Migration',
  'Payload',
  'PortalUser',
  'SupportAccessRequest',
  'Transfer',
] as const
export type EntityType = (typeof ENTITY_TYPES)[number]
/** Subjects of alerts: entities, and pending decisions. */
export const RELATED_TYPES = [...ENTITY_TYPES, 'DataRequest', 'Destruction', 'Proposal', 'Retention'] as const
export type RelatedType = (typeof RELATED_TYPES)[number]

export const RelatedEntity = z.strictObject({
  entity_id: z.string(),
  entity_type: z.enum(RELATED_TYPES),
  /** Name of a device (person and model) or device user, for readers who may see it. */
  entity_name: z.optional(z.string()),
  /** Payload type, for readers with the right. */
  entity_subtype: z.optional(z.string()),
  /** For an alert about a person's day: its first second (UTC), and the action. */
  day: z.optional(EpochSeconds),
  action: z.optional(z.string()),
  /** The call that reads the subject; absent if there is none or the caller lacks the right. */
  api_link: z.optional(z.string()),
  /** Portal path of the subject; absent when it has no page. */
  page_link: z.optional(z.string()),
})
export type RelatedEntity = z.output<typeof RelatedEntity>

/** The text code of an alert or occurrence. For an unknown code the portal shows the stored English text. */
export const AlertText = z.strictObject({ code: z.string(), values: z.record(z.string(), z.string()) })
export type AlertText = z.output<typeof AlertText>

/** Times by which alerts are filtered and sorted (spec section 4). */
export const ALERT_DATE_FILTERS = ['last_occurrence', 'first_occurrence'] as const

/**
 * Open alerts of one scope and kind: the kind is a text code, where `capture` and `escalated` stand for several, with a
 * suffix where the texts of one code differ.
 */
export const IncidentKind = text(1, 60, [/^[a-z_]+(?:-[0-9a-f]{12})?$/, 'invalid'])
export const Incident = z.strictObject({
  incident_kind: IncidentKind,
  alert_count: Count,
  /** Of all its alerts. */
  occurrence_count: Count,
  alert_severity: AlertSeverity,
  /** First occurrence of its alerts since they were last cleared. */
  triggered_at: EpochSeconds,
})
export type Incident = z.output<typeof Incident>

export const Alert = z.strictObject({
  client: ClientReference,
  alert_reference: Ulid,
  alert_scope: AlertScope,
  alert_type: AlertType,
  alert_subject: z.string(),
  alert_key: z.string(),
  alert_message: z.string(),
  /** The text code for translation; null: the portal shows subject and message unchanged. */
  alert_text: z.nullable(AlertText),
  alert_state: AlertState,
  alert_severity: AlertSeverity,
  expires_after: z.nullable(EpochSeconds),
  cleared_reason: z.nullable(z.string()),
  cleared_at: z.nullable(EpochSeconds),
  ...authors({ cleared_by: z.nullable(z.string()) }),
  /** Action of the call that caused it; null: a job caused it. */
  api_action: z.nullable(z.string()),
  related_entities: z.array(RelatedEntity),
  /** All of them in one line, for search. */
  related_entity_string: z.string(),
  /** Number of all occurrences. */
  occurrence_count: Count,
  first_occurrence: EpochSeconds,
  last_occurrence: EpochSeconds,
  /** Whether the caller dismissed it. */
  is_dismissed: z.boolean(),
  /** The user who cleared it, or the service that raised it. */
  updated_by: z.string(),
  /** The last hundred. */
  occurrences: z.array(
    z.strictObject({ time: EpochSeconds, message: z.string(), text: z.optional(AlertText) }),
  ),
  /** Portal users, separated by commas (spec section 3). */
  ...authors({ dismissed_by: z.string() }),
  /** In a folded list: the incident of which this is the newest alert. */
  incident: z.optional(Incident),
})
export type Alert = z.output<typeof Alert>

/** Dates, states and the like, in bracket style on the wire. */
const filters = {
  scopes: z.optional(uniqueList(AlertScope, 1, ALERT_SCOPES.length)),
  states: z.optional(uniqueList(AlertState, 1, ALERT_STATES.length)),
  severities: z.optional(uniqueList(AlertSeverity, 1, ALERT_SEVERITIES.length)),
  alert_types: z.optional(uniqueList(AlertType, 1, ALERT_TYPES.length)),
  is_dismissed: z.optional(queryBoolean()),
  search: z.optional(text(1, 255)),
  date_filter: z._default(z.enum(ALERT_DATE_FILTERS), 'last_occurrence'),
  ...dateRange,
}

/** One row per incident: the newest of its alerts that pass the filters. Cleared alerts stay single. */
const folded = { is_folded: z.optional(queryBoolean()) }

const AlertReferences = uniqueList(Ulid, 1, BATCH_LIMIT)
/**
 * The outcome of each reference. Alerts that the caller may not list count as missing. `OtherIssuer`: only sessions of
 * another identity provider clear it.
 */
const Outcomes = z.strictObject({
  alerts: z.array(
    z.strictObject({
      alert_reference: Ulid,
      status: z.enum(['Ok', 'NoMatchingRecord', 'NotTriggered', 'NotPermitted', 'OtherIssuer']),
    }),
  ),
})
const cleared_reason = prose(3, 1000)
const Clearing = z.strictObject({ alert_references: AlertReferences, cleared_reason })
const Dismissal = z.strictObject({ alert_references: AlertReferences })

/** Filters of the list of a client's alerts. */
const alertFilters = {
  ...filters,
  ...folded,
  incident_kinds: z.optional(uniqueList(IncidentKind, 1, BATCH_LIMIT)),
}
const some = { alert_references: z.optional(AlertReferences) }
const SetOutcomes = z.strictObject({
  ...Outcomes.def.shape,
  /** Whether more than the limit matched. */
  is_cut: z.boolean(),
})
const ofSet = `Each alert has its own outcome. With “all”, reaches up to ${FILTER_LIMIT} triggered alerts that match the query, with all alerts of an incident.`

export const alertEndpoints = endpoints({
  listAlerts: {
    ...get(ADMIN_GROUPS, 'alerts'),
    action: 'alerts:list',
    support: true,
    summary: 'List the alerts within the scopes and groups of the caller',
    query: { ...pageQuery, ...alertFilters },
    response: getPage(Alert),
  },
  clearAlerts: {
    ...put(ADMIN_GROUPS, 'alerts'),
    action: 'alerts:clear',
    summary: 'Clear alerts for all users, with a reason',
    description: ofSet,
    query: alertFilters,
    body: setBody('alert_references', { ...some, cleared_reason }),
    response: SetOutcomes,
  },
  dismissAlerts: {
    ...put(ADMIN_GROUPS, 'alerts/dismiss'),
    action: 'alerts:dismiss',
    support: true,
    summary: 'Dismiss alerts from the caller’s list until they trigger again',
    description: ofSet,
    query: alertFilters,
    body: setBody('alert_references', some),
    response: SetOutcomes,
  },
  readAlertSummary: {
    ...get(ADMIN_GROUPS, 'alerts/summary'),
    action: 'alerts.summary:read',
    support: true,
    summary: 'Count the triggered, undismissed alerts, or their incidents, per scope and severity',
    query: folded,
    response: z.strictObject({
      data: z.array(z.strictObject({ scope: AlertScope, severity: AlertSeverity, count: Count })),
    }),
  },
  readAlert: {
    ...get(ADMIN_GROUPS, 'alerts/{alert_reference}'),
    action: 'alerts:read',
    support: true,
    summary: 'Show an alert with its occurrences',
    response: Alert,
    problems: ['not_found'],
  },
})

export type AlertQuery = z.output<typeof alertEndpoints.listAlerts.query>

/** A notice of the provider to its clients (spec section 3: notification variant). */
export const Notification = z.strictObject({
  scope: AlertScope,
  severity: AlertSeverity,
  message: prose(3, 1000),
  /** Expiry in epoch seconds. Null: it does not expire. */
  expires_after: z._default(z.nullable(EpochSeconds), null),
  /** Absent: all clients. */
  clients: z.optional(uniqueList(ClientReference, 1, BATCH_LIMIT)),
})
export type Notification = z.output<typeof Notification>

export const internalAlertEndpoints = endpoints({
  listAlertsOfClients: {
    ...get(INTERNAL, 'alerts'),
    action: 'internal.alerts:list',
    summary: 'List the operational alerts of all clients, newest first',
    query: { ...pageQuery, ...filters, clients: z.optional(uniqueList(ClientReference, 1, BATCH_LIMIT)) },
    response: getPage(Alert),
  },
  notifyClients: {
    ...post(INTERNAL, 'alerts'),
    action: 'internal.alerts:notify',
    summary: 'Send a notification to some or all clients',
    body: Notification,
    response: z.strictObject({ clients: z.array(ClientReference) }),
    problems: ['not_found'],
  },
  clearAlertsOfClient: {
    ...put(INTERNAL, 'clients/{client}/alerts'),
    action: 'internal.alerts:clear',
    summary: 'Clear operational alerts of a client',
    body: Clearing,
    response: Outcomes,
    problems: ['not_found'],
  },
  dismissAlertsOfClient: {
    ...put(INTERNAL, 'clients/{client}/alerts/dismiss'),
    action: 'internal.alerts:dismiss',
    summary: 'Dismiss alerts of a client from the caller’s list',
    body: Dismissal,
    response: Outcomes,
    problems: ['not_found'],
  },
  readAlertOfClient: {
    ...get(INTERNAL, 'clients/{client}/alerts/{alert_reference}'),
    action: 'internal.alerts:read',
    summary: 'Show an operational alert of a client with its occurrences',
    response: Alert,
    problems: ['not_found'],
  },
})
