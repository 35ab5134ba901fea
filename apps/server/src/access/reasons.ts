import { Problem } from '../http/problem.ts'

/**
 * Throws unless what an account asks of whoever takes data away was said. `asked`: its reasons to choose from, none of them where people say it in
 * their own words, null where it does not ask. Problem: reason_required.
 */
export function assertReason(asked: readonly string[] | null, reason: string | undefined): void {
  if (asked === null) return
  if (reason === undefined) throw new Problem('reason_required', { detail: 'no reason' })
  if (asked.length > 0 && !asked.includes(reason))
    throw new Problem('reason_required', { detail: 'none of the account’s reasons' })
}
