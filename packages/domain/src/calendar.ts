/** The calendar in UTC. Callers give the moment: the domain has no clock. */
// oxlint-disable no-restricted-globals -- dates of a given moment only

const DAY_MS = 86_400_000

/** Days from 1970-01-01 to a day; `month` is 1 to 12. */
export const dayNumber = (year: number, month: number, day: number): number =>
  Date.UTC(year, month - 1, day) / DAY_MS

/** Days of a month, 1 to 12. */
export const lengthOfMonth = (year: number, month: number): number =>
  new Date(Date.UTC(year, month, 0)).getUTCDate()

/** Day of the week of a day: 1 (Sunday) to 7. */
export const getWeekday = (year: number, month: number, day: number): number =>
  new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1

/** `yyyy-mm-dd` of epoch seconds. RangeError: not a time. */
export const isoDay = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)
