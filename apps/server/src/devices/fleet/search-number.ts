/** Digits from which on the end of a number is looked for. */
const SIGNIFICANT_DIGITS = 4
/** Digits that a number has without its country's code. */
const LOCAL_DIGITS = 7

/** Ranges of digits read from the last to the first: from `lows` on, below `highs`. */
export interface SearchNumber {
  lows: string[]
  highs: string[]
}

/**
 * What finds the numbers that somebody means: those that end so, as it is and without the zero of its national form; and, since the former
 * platform wrote numbers as people dial them at home, those that are the end of it, whole. Nothing for what is no number.
 */
export function searchNumber(typed: string): SearchNumber | undefined {
  const digits = /^[+\d\s().-]+$/.test(typed) ? typed.replace(/\D/g, '') : ''
  if (digits.length < SIGNIFICANT_DIGITS - 1) return undefined
  const reversed = [...digits].toReversed().join('')
  const search: SearchNumber = { lows: [], highs: [] }
  // In "C" a slash stands before the digits, and a colon behind them.
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
