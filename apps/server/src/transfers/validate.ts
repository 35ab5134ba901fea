import { type Fault, fault, type TransferConfigInput } from '@custodia/contract'
import { scheduleFault, transferRoot } from '@custodia/domain'
import { pgpKeyFacts } from '../ports/targets/formats/pgp.ts'
import { TargetProblem } from '../ports/targets/port.ts'
import type { SealedSecrets } from './secrets.ts'
import type { StoredConfig } from './store.ts'
import { rootOf } from './target.ts'

/** What a config lacks: a schedule that is one, the password of its zip files, and what an active one needs to reach its server. */
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
  // One that was saved and whose dates are over keeps nobody from switching its config off.
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

/** Why a schedule is none, or never comes. */
export function scheduleFaults(schedule: string, now: number): Fault[] {
  const why = scheduleFault(schedule, now)
  return why ? [fault('schedule', why === 'schedule_never' ? 'schedule_never' : 'schedule')] : []
}

/** Whether files have names below it: it does not climb, for one. */
function isRoot(root: string): boolean {
  try {
    transferRoot(root)
    return true
  } catch {
    return false
  }
}

/** A key to which nothing can be encrypted now is none: a private one, an expired one, one that only signs. */
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
