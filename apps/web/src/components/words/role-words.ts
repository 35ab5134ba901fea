import type { StoredRole } from '@custodia/contract'
import type { I18n, MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'

/** Descriptions of system roles by name. Names are not translated: tokens carry them. */
const DESCRIPTIONS: Readonly<Record<string, MessageDescriptor>> = {
  'Account Administrator': msg`Access, people, devices, retention and settings of the account; no recordings.`,
  'Compliance Manager': msg`Reviews everything; sets and releases legal holds; restores.`,
  'Compliance Reviewer': msg`Finds, plays, downloads and comments recordings.`,
  'Fleet Administrator': msg`Devices, device users and commands; no recordings.`,
  Auditor: msg`Reads settings and audit trails; changes nothing and hears nothing.`,
  'Regulatory Producer': msg`Produces recordings for a regulator: finds, downloads, transfers.`,
  'Support Metadata': msg`For support staff: devices, logs and metadata; no recordings.`,
  'Support Content': msg`For support staff: like Support Metadata, and may play recordings; each use raises an alert.`,
  'Receipt App': msg`For client apps: fetch recordings and confirm their receipt.`,
  'Provider Administrator': msg`Runs the installation: clients, staff, support, licences.`,
  'Provider Support': msg`Asks clients for support access and acts in support mode.`,
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
