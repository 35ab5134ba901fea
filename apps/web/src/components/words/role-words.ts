import type { StoredRole } from '@custodia/contract'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** Descriptions of system roles by name. Names are not translated: tokens carry them. */
const DESCRIPTIONS: Readonly<Record<string, MessageDescriptor>> = {
  'Account Administrator': msg`Access, people, devices, retention and settings of the account; no recordings.`,
  'Compliance Manager': msg`Reviews everything; places and releases legal holds; restores.`,
  'Compliance Reviewer': msg`Finds, plays, downloads and comments recordings.`,
  'Fleet Administrator': msg`Devices, device users and commands; no recordings.`,
  Auditor: msg`Reads settings and audit logs; no changes, no playback.`,
  'Regulatory Producer': msg`Provides recordings to a regulator: finds, downloads, transfers.`,
  'Support Metadata': msg`For support staff: devices, logs and metadata; no recordings.`,
  'Support Content': msg`For support staff: Support Metadata plus playback; each use raises an alert.`,
  'Receipt App': msg`For client apps: fetches recordings and confirms receipt.`,
  'Provider Administrator': msg`Runs the installation: clients, staff, support, licences.`,
  'Provider Support': msg`Requests support access from clients and works in support mode.`,
}

/** Description of a role: translated for system roles, as written for others. */
export function roleDescription(
  role: Pick<StoredRole, 'role_reference' | 'is_system' | 'description'>,
  i18n: Pick<I18n, '_'>,
): string {
  const own = role.description ?? ''
  const known = role.is_system ? DESCRIPTIONS[role.role_reference] : undefined
  return known === undefined ? own : i18n._(known)
}
