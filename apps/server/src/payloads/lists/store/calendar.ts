/** Seconds [from, to). */
export type Range = readonly [from: number, to: number]

const DAY = 86_400

/**
 * Splits [from, to) into whole months, whole days and remainders of at most two days (all UTC), so that each uses the
 * coarsest counter. Clamps bounds to the years 1970 to 9999.
 */
export function splitRange(from: number, to: number): { months: Range[]; days: Range[]; seconds: Range[] } {
  const last = Date.UTC(10_000, 0) / 1000
  const [start, end] = [Math.max(0, from), Math.min(to, last)]
  if (start >= end) return { months: [], days: [], seconds: [] }
  const firstDay = Math.ceil(start / DAY) * DAY
  const lastDay = Math.floor(end / DAY) * DAY
  if (firstDay >= lastDay) {
    return {
      months: [],
      days: [],
      seconds: pieces([start, Math.min(firstDay, end)], [Math.max(firstDay, start), end]),
    }
  }
  const seconds = pieces([start, firstDay], [lastDay, end])
  const firstMonth = monthAtOrAfter(firstDay)
  const lastMonth = monthAtOrBefore(lastDay)
  if (firstMonth >= lastMonth) return { months: [], days: pieces([firstDay, lastDay]), seconds }
  return {
    months: [[firstMonth, lastMonth]],
    days: pieces([firstDay, firstMonth], [lastMonth, lastDay]),
    seconds,
  }
}

const pieces = (...ranges: Range[]): Range[] => ranges.filter(([from, to]) => from < to)

function monthAtOrBefore(seconds: number): number {
  const at = new Date(seconds * 1000)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth()) / 1000
}

function monthAtOrAfter(seconds: number): number {
  const month = monthAtOrBefore(seconds)
  if (month === seconds) return month
  const at = new Date(month * 1000)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1) / 1000
}
