import { dayText, WEEK } from '../../components/lists/date-range.ts'

/** Start of "new" for a user, as a date of a list's address. */
export type NewSince =
  | { kind: 'first_visit'; from: string }
  | { kind: 'today' | 'day'; from: string; day: Date }

/**
 * Lists use days, so "new" begins with the day of the last visit; on the first visit, with the last week.
 * @param last_visit_at epoch seconds
 * @param now epoch milliseconds
 */
export function newSince(last_visit_at: number | null, now: number): NewSince {
  if (last_visit_at === null) return { kind: 'first_visit', from: WEEK }
  const from = dayText(last_visit_at)
  const isToday = from === dayText(now / 1000)
  return {
    kind: isToday ? 'today' : 'day',
    from: isToday ? 'today' : from,
    day: new Date(last_visit_at * 1000),
  }
}
