import { CALLING_CODES, type Party, type PayloadMeta, PayloadReference } from '@custodia/contract'
import { fold, wordsOf } from '../words/fold.ts'
import { partiesOf } from './document.ts'
import { partyNumbers } from './numbers.ts'

/** Digits, beside leading zeros, by which a number tells itself from every other. */
const SIGNIFICANT_DIGITS = 9
/** Digits of a number from which on they may be its ending; fewer are a whole number, such as a short code, or none. */
export const ENDING_DIGITS = 4
/** Digits that are left of a national form without its leading zeros. */
const NATIONAL_DIGITS = 7
/** Words kept of one payload. */
const WORDS = 2000
/** Terms of one search. */
const SEARCH_TERMS = 8

const APOSTROPHES = /['’ʼ`´]/g

/** The words under which a name is found: `O’Neill` as o, neill and oneill, `Anne-Marie` as anne, marie and annemarie. */
export const nameWords = (name: string): string[] => {
  const joined = name.replace(APOSTROPHES, '').replace(/(?<=\p{L})[-‐‑](?=\p{L})/gu, '')
  return [...new Set([...wordsOf(name), ...wordsOf(joined)])]
}

const HAS_LETTER = /\p{L}/u
const digitsOf = (text: string): string => fold(text).replace(/\D/g, '')

/** By what a payload is found, beside its reference and the person who held the phone. */
export interface SearchEntry {
  /** Each once. */
  words: readonly string[]
  /** Numbers as they are written, with their digits from the last to the first. Networks send names too: those are words. */
  numbers: readonly { number: string; reversed: string }[]
  /** All of it in one line, to be asked with `wordPattern`, `endingPattern` and `wholePattern`. */
  text: string
}

/** What a search finds of a payload's parties. */
export function searchEntry(
  parties: readonly Pick<Party, 'contact_name'>[],
  all_numbers: readonly string[],
): SearchEntry {
  const names = [
    ...parties.map(({ contact_name }) => contact_name ?? ''),
    ...all_numbers.filter((number) => HAS_LETTER.test(number)),
  ]
  const words = [...new Set(names.flatMap(nameWords))].slice(0, WORDS)
  const numbers = all_numbers.flatMap((number) => {
    const reversed = HAS_LETTER.test(number) ? '' : reverse(digitsOf(number))
    return reversed === '' ? [] : [{ number, reversed }]
  })
  const digits = new Set(numbers.map(({ reversed }) => reverse(reversed)))
  const text = `${words.map((word) => ` ${word}`).join('')}${[...digits].map((each) => `#${each}$`).join('')}`
  return { words, numbers, text }
}

export const searchEntryOf = (meta: PayloadMeta): SearchEntry =>
  searchEntry(partiesOf(meta) ?? [], partyNumbers(meta).all)

export const reverse = (digits: string): string => [...digits].reverse().join('')

// Words hold letters and digits only, so nothing in them is a wildcard of LIKE.
export const wordPattern = (word: string): string => `% ${word}%`
export const endingPattern = (digits: string): string => `%${digits}$%`
export const wholePattern = (digits: string): string => `%#${digits}$%`

/** Whether a line of a search entry has what is sought: what the patterns say, said here. */
export const matchesTerm = (line: string, { word, endings, wholes }: SearchTerm): boolean =>
  (word !== undefined && line.includes(` ${word}`)) ||
  endings.some((digits) => line.includes(`${digits}$`)) ||
  wholes.some((digits) => line.includes(`#${digits}$`))

/** The line of a name alone. */
export const nameLine = (name: string): string =>
  nameWords(name)
    .map((word) => ` ${word}`)
    .join('')

/** One thing that a payload must have, whatever else is searched for: one of these. */
export interface SearchTerm {
  /** The beginning of a word. */
  word?: string | undefined
  /** Digits in which a number ends, and digits that are all of one. */
  endings: readonly string[]
  wholes: readonly string[]
}

/** What somebody typed into a search, as it may be meant. */
export interface Search {
  /** Spellings of a reference that it may be; when one of them is, that is it. */
  references: readonly string[]
  /** All of them; none when it holds neither letter nor digit, and then nothing is found. */
  terms: readonly SearchTerm[]
}

/**
 * Words are looked for one by one, wherever they stand; the first few count. Digits between them are one number, however it is grouped:
 * its ending, or its national form; but digits alone may also begin a word of a name.
 */
export function interpretSearch(typed: string): Search {
  const plain = typed
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .trim()
  const references = PayloadReference.safeParse(plain).success
    ? [...new Set([plain, plain.toUpperCase()])]
    : []
  const parts = plain.split(/\s+/u)
  const words = new Set(parts.filter((part) => HAS_LETTER.test(part)).flatMap(searchWords))
  const number = parts.filter((part) => !HAS_LETTER.test(part)).join(' ')
  const terms = [...words].map((word): SearchTerm => ({ word, endings: [], wholes: [] }))
  return {
    references,
    terms: [...(digitsOf(number) === '' ? [] : [numberTerm(number)]), ...terms].slice(0, SEARCH_TERMS),
  }
}

/**
 * What a list is asked for to show everything with a number: however phones have written it, where it has digits enough to be no other one's
 * ending; else exactly as it is, such as a short code or the name of a sender.
 */
export function sameNumber(number: string): { search: string } | { number: string } {
  const digits = digitsOf(number).replace(/^0+/, '')
  return HAS_LETTER.test(number) || digits.length < SIGNIFICANT_DIGITS ? { number } : { search: number }
}

/** Beginnings of words that a text asks for, whichever way it is written. */
export const searchWords = (part: string) => wordsOf(part.replace(APOSTROPHES, ''))

/** `+44 (0)7700 900123`, `0044 7700…`, `(0)7700-900123`, `07700900123`, `900 123`, `0123`. */
function numberTerm(text: string): SearchTerm {
  const parts = wordsOf(text)
  const word = parts.length === 1 ? parts[0] : undefined
  // A zero that is only dialled at home.
  const dialled = fold(text).replace(/\(\s*0\s*\)/g, '')
  const digits = dialled.replace(/\D/g, '')
  if (digits.length < ENDING_DIGITS) return { word, endings: [], wholes: digits === '' ? [] : [digits] }
  const significant = digits.replace(/^0+/, '')
  const endings = significant.length >= NATIONAL_DIGITS ? [digits, significant] : [digits]
  const international = /^\s*\+/.test(dialled) ? digits : /^\D*00[1-9]/.test(dialled) ? significant : ''
  const national = international.slice(callingCodeLength(international))
  const wholes = national.length >= NATIONAL_DIGITS ? [national, `0${national}`] : []
  return { word, endings: [...new Set(endings)], wholes }
}

/** Of three digits are the calling codes that no shorter one begins. */
const callingCodeLength = (digits: string): number =>
  [1, 2].find((length) => CALLING_CODES[Number(digits.slice(0, length))] !== undefined) ?? 3
