/** What a call may aim at, seen from the account `acme`. */
export const TARGETS = ['own', 'other group', 'other type', 'other client', 'missing'] as const
export type Target = (typeof TARGETS)[number]

/** References of the parameter's kind, per target; a kind without groups or types has no target of those. */
type References = { readonly own: string; readonly missing: string } & Partial<Record<Target, string>>

/** A reference that ends like this. */
export const ulid = (end: string) => `01J0000000000000000000${end.padStart(4, '0')}`

/** Of a report that phones of all targets have. */
export const TELEMETRY_ID = 'telemetry-of-the-access-matrix-01'

export const REFERENCES: Readonly<Record<string, References>> = {
  payload_reference: {
    own: ulid('PA1'),
    'other group': ulid('PA2'),
    'other type': ulid('PA3'),
    'other client': ulid('PA4'),
    missing: ulid('PA9'),
  },
  // Each payload has one comment and one escalation, which are called as it is.
  comment_id: { own: ulid('PA1'), missing: ulid('PA9') },
  mark_id: { own: ulid('PA1'), missing: ulid('PA9') },
  group_reference: {
    own: 'Own',
    'other group': 'Foreign',
    'other client': 'Of Globex',
    missing: 'No Such Group',
  },
  role_reference: { own: 'Target Role', 'other client': 'Role of Globex', missing: 'No Such Role' },
  tag_key: { own: 'target', 'other client': 'globex', missing: 'nothing' },
  app_reference: { own: 'target-app', 'other client': 'globex-app', missing: 'no-such-app' },
  data_request_id: { own: ulid('DR1'), 'other client': ulid('DR2'), missing: ulid('DR9') },
  request_reference: { own: ulid('RE1'), 'other client': ulid('RE2'), missing: ulid('RE9') },
  alert_reference: {
    own: ulid('AA1'),
    'other group': ulid('AA2'),
    'other client': ulid('AA3'),
    missing: ulid('AA9'),
  },
  // Alerts that are meant for the provider, about the same clients and groups.
  provider_alert_reference: {
    own: ulid('AB1'),
    'other group': ulid('AB2'),
    'other client': ulid('AB3'),
    missing: ulid('AB9'),
  },
  device_reference: {
    own: 'matrix phone own',
    'other group': 'matrix phone foreign',
    'other client': 'matrix phone globex',
    missing: 'no such phone',
  },
  // To the phone that calls, and to others.
  command_reference: {
    own: ulid('C1'),
    'other group': ulid('C2'),
    'other client': ulid('C3'),
    missing: ulid('C9'),
  },
  enrolment_reference: {
    own: ulid('EA1'),
    'other group': ulid('EA2'),
    'other client': ulid('EA3'),
    missing: ulid('EA9'),
  },
  destruction_reference: { own: ulid('DS1'), 'other client': ulid('DS2'), missing: ulid('DS9') },
  certificate_reference: { own: ulid('DC1'), 'other client': ulid('DC2'), missing: ulid('DC9') },
  statement_reference: { own: ulid('CS1'), 'other client': ulid('CS2'), missing: ulid('CS9') },
  webhook_reference: { own: ulid('WA1'), 'other client': ulid('WA2'), missing: ulid('WA9') },
  transfer_id: { own: ulid('TR1'), 'other client': ulid('TR2'), missing: ulid('TR9') },
  reconciliation_reference: { own: ulid('RC1'), 'other client': ulid('RC2'), missing: ulid('RC9') },
  migration_reference: { own: ulid('MG1'), 'other client': ulid('MG2'), missing: ulid('MG9') },
  transfer_config_reference: { own: 'matrix/own', 'other client': 'matrix/globex', missing: 'matrix/none' },
  device_user_reference: {
    own: 'matrix person own',
    'other group': 'matrix person foreign',
    'other client': 'matrix person globex',
    missing: 'no such person',
  },
  // An entry of each audit log.
  log_id: {
    own: 'matrix entry own',
    'other group': 'matrix entry foreign',
    'other client': 'matrix entry globex',
    missing: 'no such entry',
  },
  user_reference: { own: 'matrix user own', 'other client': 'matrix user globex', missing: 'no such user' },
  recertification_reference: { own: ulid('RE1'), 'other client': ulid('RE2'), missing: ulid('RE9') },
  proposal_id: { own: ulid('PR1'), 'other client': ulid('PR2'), missing: ulid('PR9') },
  matter_id: { own: ulid('MA1'), 'other client': ulid('MA2'), missing: ulid('MA9') },
  // Targets of legal holds, which concern the account and no group.
  target: { own: 'matrix person own', 'other client': 'matrix person globex', missing: 'no such person' },
}

/** Of a delivery that was given up, of each webhook. */
export const DELIVERY_REFERENCE = `msg_${'0'.repeat(32)}`

/** Of the session of the portal user of the account that calls aim at. */
export const SESSION_ID = ulid('SE1')

/** The approvals of support mode's principals. The requests that calls aim at are others. */
export const APPROVALS = {
  approved: ulid('SA1'),
  pending: ulid('SA2'),
  expired: ulid('SA3'),
  administrator: ulid('SA4'),
} as const
