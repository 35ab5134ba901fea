import type { Total } from '@custodia/contract'

/** Normalises a text for comparison: lower case without accents, so that `funcoes` finds `Funções`. */
export const foldText = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** Whether `text` contains the search text, ignoring case and accents. */
export const includesText = (text: string, search: string): boolean =>
  foldText(text).includes(foldText(search.trim()))

/** Shortens `value` to `length` characters in the middle: both ends distinguish references. */
export function middleEllipsis(value: string, length: number): string {
  const characters = [...value]
  if (characters.length <= length) return value
  const kept = Math.max(2, length - 1)
  const tail = Math.floor(kept / 2)
  return `${characters.slice(0, kept - tail).join('')}…${characters.slice(-tail).join('')}`
}

/** A count that stopped at the limit reads `1,000+`. */
export const totalText = ({ total, is_capped }: Total, number: (count: number) => string): string =>
  `${number(total)}${is_capped ? '+' : ''}`
