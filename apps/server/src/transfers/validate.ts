import { type Fault, fault, type TransferConfigInput } from '@custodia/contract'
import { scheduleFault, transferRoot } from '@custodia/domain'
import { pgpKeyFacts } from '../ports/targets/formats/pgp.ts'
import { TargetProblem } from '../ports/targets/port.ts'
import type { StoredConfig } from './store.ts'
import { rootOf, type SealedSecrets } from './target.ts'

/** Faults of a config: schedule, zip password, and what an active one needs to reach its server. */
export function settingsFaults(
  input: TransferConfigInput,
  sealed: SealedSecrets,
  now: number,
  present: StoredConfig | undefined,
): Fault[] {
  const { params, schedule, transfer_file_format, is_active } = input
  const faults: Fault[] = []
  const lacks = (field: string) => faults.push(fault(field, 'required', { field }))
  if (!isRoot(rootOf(params)))
    faults.push(
      fault(params.target_type === 'S3' ? 'params.destination' : 'params.root_directory', 'invalid'),
    )
  // An expired saved schedule does not prevent disabling the config.
  if (schedule && (is_active || schedule !== present?.config.schedule))
    faults.push(...scheduleFaults(schedule, now))
  if (transfer_file_format === 'ZippedWithPassword' && !sealed.zip_password) lacks('zip_password')
  if (transfer_file_format === 'PGP' && input.pgp_key === null) lacks('pgp_key')
  if (is_active && params.target_type === 'SFTP') {
    if (params.host_key === null) lacks('params.host_key')
    if (!sealed.sftp_password && !sealed.sftp_private_key) lacks('sftp_password')
  }
  return faults
}

/** Faults of a schedule: invalid, or it never runs. */
export function scheduleFaults(schedule: string, now: number): Fault[] {
  const why = scheduleFault(schedule, now)
  return why ? [fault('schedule', why === 'schedule_never' ? 'schedule_never' : 'schedule')] : []
}

/** Whether a path is a valid root: it must not climb. */
function isRoot(root: string): boolean {
  try {
    transferRoot(root)
    return true
  } catch {
    return false
  }
}

/** A key must encrypt now: not private, expired or signing-only. */
export async function keyFaults(pgp_key: string | null): Promise<Fault[]> {
  if (pgp_key === null) return []
  try {
    await pgpKeyFacts(pgp_key)
    return []
  } catch (error) {
    if (error instanceof TargetProblem) return [fault('pgp_key', 'pgp_key')]
    throw error
  }
}
