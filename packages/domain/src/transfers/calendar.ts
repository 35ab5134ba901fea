/** Days from 1970-01-01 to a day of the Gregorian calendar; `month` is 1 to 12. Years are counted from March, so that a leap day is the last. */
export function dayNumber(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return y * 365 + Math.floor(y / 4) - Math.floor(y / 100) + Math.floor(y / 400) + dayOfYear - 719_468
}

/** Days of a month, 1 to 12. */
export const lengthOfMonth = (year: number, month: number): number =>
  (month === 12 ? dayNumber(year + 1, 1, 1) : dayNumber(year, month + 1, 1)) - dayNumber(year, month, 1)

/** Day of the week of a day number from 1970-01-01, a Thursday, on: 1 (Sunday) to 7. */
export const weekdayOf = (number: number): number => ((number + 4) % 7) + 1
