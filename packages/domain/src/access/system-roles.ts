/**
 * The fixed roles of every client (spec section 6), and those of the provider's own client. They only allow, because
 * a denial would also restrict holders of a second role. `payloads:*` covers `payloads:list` but not
 * `payloads.audit:read`, which `payloads.*` does.
 */
import { ESCALATE, PATTERN_LIMITS } from '@custodia/contract'
import type { Role } from '@custodia/contract'

/** Begins every action of the provider's side. */
const INTERNAL = 'internal.'

type AlertRights = 'none' | 'ops' | 'read' | 'all'

/** What everybody who signs in may do. */
const SELF = ['profile:*', 'profile.*', 'session:*', 'dashboard:read']

/** Recorded content itself and what quotes it; the other payload actions show metadata only. */
const CONTENT = [
  'payloads:play',
  'payloads.playhead:update',
  'payloads:download',
  'payloads:search',
  'payloads.snippets:read',
  'comments:list',
  // Without `:history`: only review managers read former and closed comments.
  'payloads.comments:list',
  'payloads.comments:create',
  'payloads.comments:update',
  'payloads.comments:close',
  'devices.sms:read',
]
const PAYLOAD_METADATA = ['payloads:list', 'payloads:read', 'payloads.audit:read']
/** The same lists, of one device or person. */
const PAYLOADS_OF = ['devices.payloads:*', 'users.payloads:*', 'devices.sms:list']
/** Where devices, and so people, were. */
const POSITIONS = ['gps:*', 'devices.gps:*', 'users.gps:*', 'payloads.places:read']
const FLEET_VIEW = [
  'groups:list',
  'groups:read',
  'users:list',
  'users:read',
  'users.devices:list',
  'users.queue:read',
  'devices:list',
  'devices:read',
]
const DEVICE_FACTS = [
  'devices.history:*',
  'devices.numbers:*',
  'users.numbers:*',
  'devices.telemetry:list',
  'devices.logs:*',
  'users.logs:*',
  'device_logs:*',
  'capture_gaps:*',
  'users.capture_gaps:*',
  'telemetry:*',
]
/** Numbers of SIM cards and installed applications: sealed by the device, and nothing for support staff. */
const DEVICE_REPORTS = ['devices.telemetry:read']
const ENROLMENTS = ['devices.enrolments:*', 'users.enrolments:*']
const ALERT_SCREEN = ['alerts:*', 'alerts.*']

export const SYSTEM_ROLES: readonly Role[] = [
  systemRole(
    'Account Administrator',
    'Access, people, devices, retention and settings of the account; no recordings.',
    'all',
    [
      ...SELF,
      ...ALERT_SCREEN,
      ...FLEET_VIEW,
      ...DEVICE_FACTS,
      ...DEVICE_REPORTS,
      'groups:*',
      'roles:*',
      'people*',
      'tags:*',
      'users:*',
      'devices:*',
      'devices.holder:*',
      ...ENROLMENTS,
      'devices.commands:*',
      'commands:list',
      'account.defaults:*',
      'account.apps:*',
      'account.webhooks:*',
      // Without the release of legal holds, so that no single role can release and destroy held records.
      'account.retention:*',
      'account.destructions:*',
      'account.proposals:*',
      'account.two_people:*',
      'account.identity:*',
      // The root of a client's access: may grant what it does not hold itself. Each use raises a High security alert.
      ESCALATE,
      'account.migration:*',
      'migrations:*',
      'migrations.*',
      'licenses:*',
      'activities:list',
      'device_activities:list',
      'metrics:*',
      'supportaccess:*',
      'transfers:*',
      'transfer_reconciliations:*',
      'transfer_configs:*',
    ],
  ),
  systemRole('Compliance Manager', 'Reviews everything; places and releases legal holds; restores.', 'all', [
    ...SELF,
    ...ALERT_SCREEN,
    ...FLEET_VIEW,
    ...DEVICE_FACTS,
    ...DEVICE_REPORTS,
    ...CONTENT,
    'payloads:*',
    'payloads.*',
    'receipts:confirm',
    'reviews:list',
    'account.review:*',
    ...POSITIONS,
    ...PAYLOADS_OF,
    'people.recertifications:*',
    // Not with what changes retention, see there.
    'account.retention:read',
    'account.legal_*:*',
    'account.data_requests:*',
    'account.destructions:*',
    'account.proposals:*',
    'account.two_people:*',
    'activities:list',
    'device_activities:list',
    'transfers:*',
    // Configs and reconciliations.
    'transfer_*:list',
    'transfer_*:read',
    'metrics:*',
  ]),
  systemRole('Compliance Reviewer', 'Finds, plays, downloads and comments recordings.', 'none', [
    ...SELF,
    ...FLEET_VIEW,
    ...CONTENT,
    'payloads.marks:list',
    'payloads.marks:create',
    'payloads.marks:withdraw',
    ...PAYLOAD_METADATA,
    ...PAYLOADS_OF,
    ...POSITIONS,
    'metrics:*',
  ]),
  systemRole('Fleet Administrator', 'Devices, device users and commands; no recordings.', 'ops', [
    ...SELF,
    ...ALERT_SCREEN,
    ...FLEET_VIEW,
    ...DEVICE_FACTS,
    ...DEVICE_REPORTS,
    'users:*',
    'devices:*',
    'devices.holder:*',
    ...ENROLMENTS,
    'devices.commands:*',
    'commands:list',
    'device_activities:list',
    'licenses:list',
    'licenses:read',
    'tags:list',
    'metrics:*',
  ]),
  systemRole('Auditor', 'Reads settings and audit logs; no changes, no playback.', 'read', [
    ...SELF,
    ...FLEET_VIEW,
    ...PAYLOAD_METADATA,
    'payloads.access:*',
    ...PAYLOADS_OF,
    'devices.history:read',
    'devices.numbers:read',
    'users.numbers:read',
    'devices.enrolments:list',
    'devices.enrolments:read',
    'alerts:list',
    'alerts:read',
    'alerts.summary:read',
    'roles:list',
    'roles:read',
    'people*:list',
    'people*:read',
    'tags:list',
    'tags:read',
    'licenses:list',
    'licenses:read',
    'migrations:list',
    'migrations:read',
    'migrations.files:list',
    'commands:list',
    'devices.commands:list',
    'account.*:list',
    'account.*:read',
    'activities:*',
    'device_activities:*',
    'supportaccess:list',
    'supportaccess:read',
    'transfers:list',
    'transfers:read',
    // Configs and reconciliations.
    'transfer_*:list',
    'transfer_*:read',
    'metrics:*',
  ]),
  systemRole(
    'Regulatory Producer',
    'Provides recordings to a regulator: finds, downloads, transfers.',
    'none',
    [
      ...SELF,
      ...FLEET_VIEW,
      ...PAYLOAD_METADATA,
      'payloads:play',
      'payloads.playhead:update',
      'payloads:download',
      'payloads:export',
      'payloads.exports:*',
      ...PAYLOADS_OF,
      'account.legal_holds:list',
      'account.legal_matters:list',
      'transfers:*',
      'transfer_reconciliations:*',
      'transfer_configs:*',
      // Of which those of transfers only: each confirms what their other permissions allow.
      'account.proposals:*',
    ],
  ),
  systemRole('Support Metadata', 'For support staff: devices, logs and metadata; no recordings.', 'ops', [
    ...SELF,
    ...FLEET_VIEW,
    ...DEVICE_FACTS,
    ...PAYLOAD_METADATA,
    'alerts:list',
    'alerts:read',
    'alerts.summary:read',
    ...PAYLOADS_OF,
    'commands:list',
    'devices.commands:list',
    'licenses:list',
    'licenses:read',
    'migrations:list',
    'migrations:read',
    'transfers:list',
    'transfers:read',
    'transfer_reconciliations:list',
    'transfer_reconciliations:read',
    'metrics:*',
  ]),
  systemRole(
    'Support Content',
    'For support staff: Support Metadata plus playback; each use raises an alert.',
    'none',
    [...SELF, ...FLEET_VIEW, ...PAYLOAD_METADATA, 'payloads:play', ...PAYLOADS_OF],
    { is_alertable: true },
  ),
  systemRole('Receipt App', 'For client apps: fetches recordings and confirms receipt.', 'none', [
    'payloads:list',
    'payloads:read',
    'payloads:download',
    'receipts:confirm',
  ]),
]

/** Roles of the provider's own client, which no other client has. Inside a client they give nothing. */
export const PROVIDER_ROLES: readonly Role[] = [
  systemRole('Provider Administrator', 'Runs the installation: clients, staff, support, licences.', 'all', [
    ...SELF,
    'internal.*',
  ]),
  systemRole('Provider Support', 'Requests support access from clients and works in support mode.', 'ops', [
    ...SELF,
    'internal.clients:list',
    'internal.clients:read',
    'internal.supportaccess:*',
    'internal.support_mode:*',
    'internal.roles:list',
    'internal.alerts:list',
    'internal.alerts:read',
    'internal.countries:list',
    'internal.telemetry:list',
    'internal.clients.telemetry:list',
    'internal.statistics:read',
    'internal.staff:list',
  ]),
]

/** The system roles of a client. */
export function systemRolesFor({ is_provider }: { is_provider: boolean }): readonly Role[] {
  return is_provider ? [...SYSTEM_ROLES, ...PROVIDER_ROLES] : SYSTEM_ROLES
}

/** The actions that roles of a client are compiled against: `internal.*` exists for the provider's own client only. */
export function actionsFor(
  { is_provider }: { is_provider: boolean },
  allActions: readonly string[],
): readonly string[] {
  return is_provider ? allActions : allActions.filter((action) => !action.startsWith(INTERNAL))
}

function systemRole(
  role_reference: string,
  description: string,
  alerts: AlertRights,
  actions_matching: string[],
  { is_alertable = false }: { is_alertable?: boolean } = {},
): Role {
  const patterns = withoutCovered([...new Set(actions_matching)])
  const { per_list } = PATTERN_LIMITS
  return {
    role_reference,
    description,
    permissions: Array.from({ length: Math.ceil(patterns.length / per_list) }, (_, i) => ({
      actions_matching: patterns.slice(i * per_list, (i + 1) * per_list),
    })),
    payload_types: [],
    cidr_ranges: [],
    alert_permissions: {
      ops_read: alerts !== 'none',
      ops_write: alerts === 'ops' || alerts === 'all',
      sec_read: alerts === 'read' || alerts === 'all',
      sec_write: alerts === 'all',
    },
    is_alertable,
    is_system: true,
  }
}

/** Without what another pattern of the list allows as well. */
function withoutCovered(patterns: readonly string[]): string[] {
  const covers = (other: string, each: string) =>
    other !== each && other.endsWith('*') && each.startsWith(other.slice(0, -1))
  return patterns.filter((each) => !patterns.some((other) => covers(other, each)))
}
