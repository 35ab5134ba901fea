/** Text as it is compared: without case, accents, width, marks of direction, and with the digits of other scripts as ours. */
export function fold(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .replaceAll('ς', 'σ')
    .normalize('NFC')
}

/** Characters of one word; more are cut off. */
const WORD_LENGTH = 64
export const cutWord = (word: string): string =>
  word.length <= WORD_LENGTH ? word : [...word].slice(0, WORD_LENGTH).join('')

/** The words of a text, folded. Marks and signs between letters separate. */
export const wordsOf = (text: string): string[] =>
  (fold(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []).map(cutWord)
