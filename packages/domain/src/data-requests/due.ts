/** The legal due date of a data subject request. */
import type { RequestLaw } from '@custodia/contract'
import { dayNumber, isoDay, lengthOfMonth } from '../calendar.ts'

const DAY = 86_400
/** LGPD, article 19, II: fifteen days from the request. */
const LGPD_DAYS = 15
/**
 * GDPR, article 12 (3): one month from receipt, and two more if the controller informs the person within the first.
 */
const GDPR_MONTHS = 1
const GDPR_MONTHS_AT_MOST = 3

/** When a request is due, and the latest that may be said; null: the law names no time, only that there be no undue delay. */
export function getDue(
  law: RequestLaw,
  received_at: number,
): { due_at: number | null; latest: number | null } {
  if (law === 'GDPR')
    return {
      due_at: monthsAfter(received_at, GDPR_MONTHS),
      latest: monthsAfter(received_at, GDPR_MONTHS_AT_MOST),
    }
  if (law === 'LGPD') return { due_at: received_at + LGPD_DAYS * DAY, latest: received_at + LGPD_DAYS * DAY }
  return { due_at: null, latest: null }
}

/** The same day and hour of a later month (UTC); the last day of one that has no such day. */
function monthsAfter(seconds: number, months: number): number {
  const [year = 0, month = 0, day = 0] = isoDay(seconds).split('-').map(Number)
  const later = { year: year + Math.floor((month - 1 + months) / 12), month: ((month - 1 + months) % 12) + 1 }
  const last = lengthOfMonth(later.year, later.month)
  return dayNumber(later.year, later.month, Math.min(day, last)) * DAY + (seconds % DAY)
}
