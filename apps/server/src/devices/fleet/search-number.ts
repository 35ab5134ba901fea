/** Minimum number of trailing digits in a search. */
const SIGNIFICANT_DIGITS = 4
/** Digits of a number without its country code. */
const LOCAL_DIGITS = 7

/** Ranges of reversed digits: from `lows`, below `highs`. */
export interface SearchNumber {
  lows: string[]
  highs: string[]
}

/**
 * Ranges for numbers that end with the typed digits, with or without the national zero. Migrated local numbers match
 * whole; undefined without a number.
 */
export function searchNumber(typed: string): SearchNumber | undefined {
  const digits = /^[+\d\s().-]+$/.test(typed) ? typed.replace(/\D/g, '') : ''
  if (digits.length < SIGNIFICANT_DIGITS - 1) return undefined
  const reversed = [...digits].toReversed().join('')
  const search: SearchNumber = { lows: [], highs: [] }
  // The collation "C" sorts a slash before digits and a colon after them.
  const add = (low: string, mark: '/' | ':') => {
    search.lows.push(low)
    search.highs.push(low + mark)
  }
  for (const end of new Set([reversed, reversed.replace(/0$/, '')]))
    if (end.length >= SIGNIFICANT_DIGITS) add(end, ':')
  if (digits.length < SIGNIFICANT_DIGITS) add(reversed, '/')
  for (let length = LOCAL_DIGITS; length < digits.length; length++)
    for (const whole of [reversed.slice(0, length), `${reversed.slice(0, length)}0`]) add(whole, '/')
  return search
}
