import { Problem } from '../http/problem.ts'

/**
 * Throws if the account requires a reason and `reason` does not meet the requirement. Problem: reason_required.
 * @param asked reasons to choose from; empty for free text; null if the account requires none
 */
export function assertReason(asked: readonly string[] | null, reason: string | undefined): void {
  if (asked === null) return
  if (reason === undefined) throw new Problem('reason_required', { detail: 'no reason' })
  if (asked.length > 0 && !asked.includes(reason))
    throw new Problem('reason_required', { detail: 'none of the account’s reasons' })
}
