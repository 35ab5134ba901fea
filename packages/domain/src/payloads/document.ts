import {
  CALLING_CODES,
  DateParameter,
  dateParameterToEpoch,
  type Direction,
  type Party,
  type PayloadDocument,
  type PayloadMeta,
  PayloadReference,
  SUMMARY_PARTIES,
  type TimeWarning,
} from '@custodia/contract'
import { fold, getWords } from '../words/search-words.ts'

/** Seconds by which a clock on the wall may differ from the time of the recording: no zone is a day away. */
const DAY = 86_400
/** Minutes by which an offset may differ from its zone's: rules of summer time change, and devices learn of it late. */
const SUMMER = 60

/**
 * Implausible times of a recording, kept as evidence and shown with a warning: an unknown zone or one with another
 * offset, an impossible date, or a local clock more than a day off.
 */
export function getTimeWarnings(
  meta: Pick<PayloadMeta, 'timezone' | 'timezone_offset' | 'local_time' | 'payload_time'>,
): TimeWarning[] {
  const warnings: TimeWarning[] = []
  const offset = getOffset(meta.timezone, meta.payload_time)
  if (offset === undefined || Math.abs(offset - meta.timezone_offset) > SUMMER) warnings.push('timezone')
  const shown = wallClock(meta.local_time)
  if (shown === undefined || Math.abs(shown - meta.payload_time) > DAY) warnings.push('local_time')
  return warnings
}

/** What a clock at Greenwich would show, in epoch seconds; undefined for a date or time that does not exist. */
function wallClock(local_time: string): number | undefined {
  const stated = DateParameter.safeParse(local_time.replace('T', '-').replaceAll(':', ''))
  return stated.success ? dateParameterToEpoch(stated.data) : undefined
}

const zones = new Map<string, Intl.DateTimeFormat | undefined>()
/** Zones remembered: there are about 600, and devices write what they like. */
const REMEMBERED = 1000

/** Minutes east of UTC in a zone at a moment; undefined for an unknown zone. */
function getOffset(timezone: string, at: number): number | undefined {
  if (!zones.has(timezone)) {
    if (zones.size >= REMEMBERED) zones.clear()
    zones.set(timezone, getZone(timezone))
  }
  const parts = zones.get(timezone)?.formatToParts(at * 1000)
  const name = parts?.find(({ type }) => type === 'timeZoneName')?.value
  const match = /^GMT(?:([+-])(\d\d):(\d\d)(?::\d\d)?)?$/.exec(name ?? '')
  if (!match) return undefined
  const [, sign, hours = '0', minutes = '0'] = match
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function getZone(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' })
  } catch {
    return undefined
  }
}

export type PartyNumbers = {
  /** Our own numbers first, then the second parties', each once. */
  all: string[]
  second_party: string[]
  /** The two lists as the spec writes them, comma-delimited (section 3). */
  all_numbers: string
  second_party_numbers: string
}

/**
 * The numbers of a payload, for filters and for `all_numbers` / `second_party_numbers`. They are trimmed and
 * otherwise left as the device gave them; withheld numbers are left out.
 */
export function partyNumbers(meta: PayloadMeta): PartyNumbers {
  const own = (meta.payload_carrier_metadata ?? []).map((sim) => sim.phone_number)
  const second_party = distinct(secondPartyNumbers(meta))
  const all = distinct([...own, ...second_party])
  return { all, second_party, all_numbers: delimited(all), second_party_numbers: delimited(second_party) }
}

function secondPartyNumbers(meta: PayloadMeta): (string | null)[] {
  if ('second_parties' in meta) return meta.second_parties.map((party) => party.phone_number)
  if ('message_parties' in meta) return meta.message_parties.map((party) => party.phone_number)
  if ('second_party' in meta) return [meta.second_party]
  return []
}

function distinct(numbers: readonly (string | null | undefined)[]): string[] {
  const trimmed = numbers.map((number) => number?.trim() ?? '')
  return [...new Set(trimmed.filter((number) => number !== ''))]
}

/** Networks send names as senders, too; a comma in one must not look like two numbers. */
function delimited(numbers: readonly string[]): string {
  return numbers.map((number) => number.replaceAll(',', ' ')).join(',')
}

/**
 * The immutable part of a list row, written once when the sealed metadata is opened. It is plain text: numbers,
 * contact names, times and references only (docs/security.md). It stays small (about 250 bytes), because bytes limit
 * the speed of lists. An announced end that the sealed one contradicts gives a warning.
 */
export function payloadDocument(meta: PayloadMeta, announced_end?: number | null): PayloadDocument {
  const parties = getParties(meta)
  const warnings = getTimeWarnings(meta)
  if (isOtherEnd(meta, announced_end)) warnings.push('payload_end_time')
  const document: PayloadDocument = {
    duration: getDuration(meta),
    direction: getDirection(meta),
    parties: parties?.slice(0, SUMMARY_PARTIES),
    party_count: parties?.length,
    timezone: meta.timezone,
    timezone_offset: meta.timezone_offset,
    local_time: meta.local_time,
    time_warnings: warnings.length > 0 ? warnings : undefined,
    thread_id: 'thread_id' in meta ? meta.thread_id : undefined,
    length: 'length' in meta ? meta.length : undefined,
  }
  // Absent rather than undefined, so that the document equals what is read back from JSON.
  return Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined))
}

/** Seconds: as the device measured it, else from start to end; nothing for what has no length in time. */
function getDuration(meta: PayloadMeta): number | undefined {
  if ('payload_duration' in meta && meta.payload_duration !== undefined) return meta.payload_duration
  if ('payload_full_duration' in meta && meta.payload_full_duration !== undefined)
    return meta.payload_full_duration
  if (!('payload_end_time' in meta)) return undefined
  return Math.max(0, meta.payload_end_time - meta.payload_time)
}

/** Whether the announced end of a recording is another than the sealed one. */
export const isOtherEnd = (meta: PayloadMeta, announced_end: number | null | undefined): boolean =>
  typeof announced_end === 'number' && 'payload_end_time' in meta && meta.payload_end_time !== announced_end

/** End of the recording by its sealed metadata alone. */
export const sealedEnd = (meta: PayloadMeta): number =>
  'payload_end_time' in meta ? meta.payload_end_time : meta.payload_time + (getDuration(meta) ?? 0)

/** Of a message: its own; of a call: the first party's, who is the one that called or was called. */
function getDirection(meta: PayloadMeta): Direction | undefined {
  if ('second_parties' in meta) return meta.second_parties[0]?.direction
  return 'direction' in meta ? meta.direction : undefined
}

/** The second parties, of whatever form; undefined where there can be none. */
export function getParties(meta: PayloadMeta): Party[] | undefined {
  if ('second_parties' in meta) return meta.second_parties.map(party)
  if ('message_parties' in meta) return meta.message_parties.map(party)
  if ('second_party' in meta) {
    return [party({ phone_number: meta.second_party, contact_name: meta.saved_name_for_second_party })]
  }
  return undefined
}

function party({ phone_number, contact_name, direction }: Party): Party {
  return { phone_number, ...(contact_name ? { contact_name } : {}), ...(direction ? { direction } : {}) }
}

/** Digits after leading zeros that make a number unique. */
const SIGNIFICANT_DIGITS = 9
/** Digits of a number from which on they may be its ending; fewer are a whole number, such as a short code, or none. */
export const ENDING_DIGITS = 4
/** Digits that are left of a national form without its leading zeros. */
const NATIONAL_DIGITS = 7
/** Words kept of one payload. */
const WORDS = 2000
const SEARCH_TERMS = 8

const APOSTROPHES = /['’ʼ`´]/g

/** The words under which a name is found: `O’Neill` as o, neill and oneill, `Anne-Marie` as anne, marie and annemarie. */
export const nameWords = (name: string): string[] => {
  const joined = name.replace(APOSTROPHES, '').replace(/(?<=\p{L})[-‐‑](?=\p{L})/gu, '')
  return [...new Set([...getWords(name), ...getWords(joined)])]
}

const HAS_LETTER = /\p{L}/u
const getDigits = (text: string): string => fold(text).replace(/\D/g, '')

/** The searchable fields of a payload, other than its reference and its person. */
export interface SearchEntry {
  /** Each once. */
  words: readonly string[]
  /** Numbers as they are written, with their digits from the last to the first. Networks send names too: those are words. */
  numbers: readonly { number: string; reversed: string }[]
  /** All of it in one line, to be asked with `wordPattern`, `endingPattern`, `wholePattern` and `beginningPattern`. */
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
    const reversed = HAS_LETTER.test(number) ? '' : reverse(getDigits(number))
    return reversed === '' ? [] : [{ number, reversed }]
  })
  const digits = new Set(numbers.map(({ reversed }) => reverse(reversed)))
  const text = `${words.map((word) => ` ${word}`).join('')}${[...digits].map((each) => `#${each}$`).join('')}`
  return { words, numbers, text }
}

export const getSearchEntry = (meta: PayloadMeta): SearchEntry =>
  searchEntry(getParties(meta) ?? [], partyNumbers(meta).all)

export const reverse = (digits: string): string => [...digits].reverse().join('')

// Words hold letters and digits only, so nothing in them is a wildcard of LIKE.
export const wordPattern = (word: string): string => `% ${word}%`
export const endingPattern = (digits: string): string => `%${digits}$%`
export const wholePattern = (digits: string): string => `%#${digits}$%`

const CODES = /* @__PURE__ */ Object.keys(CALLING_CODES)
/** Digits of numbers that begin so, without a zero that is only dialled at home: with every calling code. */
export const withCallingCodes = (national: string): string[] => CODES.map((code) => `${code}${national}`)
/** A regular expression of numbers that begin so. */
export const beginningPattern = ({ beginnings, national }: SearchTerm): string =>
  `#(?:${[...beginnings, ...(national === undefined ? [] : [`(?:${CODES.join('|')})${national}`])].join('|')})`

/** Whether a line of a search entry matches a term; the same rule as the SQL patterns. */
export const matchesTerm = (line: string, term: SearchTerm): boolean =>
  (term.word !== undefined && line.includes(` ${term.word}`)) ||
  term.endings.some((digits) => line.includes(`${digits}$`)) ||
  term.wholes.some((digits) => line.includes(`#${digits}$`)) ||
  (term.beginnings.length > 0 && new RegExp(beginningPattern(term)).test(line))

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
  /** Digits with which a number begins: those after a plus sign, and a national form, whose digits may follow any calling code. */
  beginnings: readonly string[]
  national?: string | undefined
}

export interface Search {
  /** Spellings of a reference that it may be; when one of them is, that is it. */
  references: readonly string[]
  /** All of them; none when it holds neither letter nor digit, and then nothing is found. */
  terms: readonly SearchTerm[]
}

/**
 * Searches words one by one, at any place; only the first few count. Digits between words are one number, however
 * grouped, by its ending, its national form, or its beginning after `+` or `0`; digits alone may also begin a word of a name.
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
  const terms = [...words].map((word): SearchTerm => ({ word, endings: [], wholes: [], beginnings: [] }))
  return {
    references,
    terms: [...(getDigits(number) === '' ? [] : [numberTerm(number)]), ...terms].slice(0, SEARCH_TERMS),
  }
}

/**
 * The list filter for all payloads with a number: in any notation if it has enough digits to be unique, else exactly,
 * such as a short code or a sender name.
 */
export function sameNumber(number: string): { search: string } | { number: string } {
  const digits = getDigits(number).replace(/^0+/, '')
  return HAS_LETTER.test(number) || digits.length < SIGNIFICANT_DIGITS ? { number } : { search: number }
}

/** Beginnings of words that a text asks for, whichever way it is written. */
export const searchWords = (part: string) => getWords(part.replace(APOSTROPHES, ''))

/** `+44 (0)7700 900123`, `0044 7700…`, `(0)7700-900123`, `07700900123`, `900 123`, `0123`. */
function numberTerm(text: string): SearchTerm {
  const parts = getWords(text)
  const word = parts.length === 1 ? parts[0] : undefined
  // A zero that is only dialled at home.
  const dialled = fold(text).replace(/\(\s*0\s*\)/g, '')
  const digits = dialled.replace(/\D/g, '')
  if (digits.length < ENDING_DIGITS)
    return { word, endings: [], wholes: digits === '' ? [] : [digits], beginnings: [] }
  const significant = digits.replace(/^0+/, '')
  const endings = significant.length >= NATIONAL_DIGITS ? [digits, significant] : [digits]
  const international = /^\s*\+/.test(dialled) ? digits : /^\D*00[1-9]/.test(dialled) ? significant : ''
  const national = international.slice(callingCodeLength(international))
  const wholes = national.length >= NATIONAL_DIGITS ? [national, `0${national}`] : []
  const begun = international === '' && digits.startsWith('0') ? significant : ''
  return {
    word,
    endings: [...new Set(endings)],
    wholes,
    beginnings: [international, begun && digits].filter((each) => each !== ''),
    ...(begun.length >= ENDING_DIGITS - 1 && { national: begun }),
  }
}

/** Of three digits are the calling codes that no shorter one begins. */
const callingCodeLength = (digits: string): number =>
  [1, 2].find((length) => CALLING_CODES[Number(digits.slice(0, length))] !== undefined) ?? 3
