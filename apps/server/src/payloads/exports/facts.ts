import { csvText } from '@custodia/contract'
import { ORIGINAL } from '../data-objects.ts'
import type { ArchiveLine, BaggedObject } from '../data/archive-files.ts'
import { getFileEnding } from '../data/data-headers.ts'
import type { ExportedFacts } from './export-store.ts'

/** Local date and time of a recording, `2026-11-25 13:58:04`; by UTC where the device reported none. */
export function localTime({ document: { local_time }, payload_time }: ExportedFacts): string {
  const [, day, clock] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(local_time ?? new Date(payload_time * 1000).toISOString()) ??
    []
  return `${day} ${clock}`
}

/** The person of a recording, else the reference of the person or device. */
export const getPerson = ({ person, device_user_reference, device_reference }: ExportedFacts): string =>
  person ?? device_user_reference ?? device_reference

/** The second parties of a recording, as `Ana Lima +5511955550712`, and how many more there are. */
export function getParties({ document: { parties = [], party_count } }: ExportedFacts): {
  names: string[]
  more: number
} {
  const names = parties.map(({ contact_name, phone_number }) =>
    [contact_name, phone_number].filter(Boolean).join(' '),
  )
  return { names, more: Math.max(0, (party_count ?? parties.length) - parties.length) }
}

/** Letters that Unicode does not decompose. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  Æ: 'Ae',
  œ: 'oe',
  Œ: 'Oe',
  ø: 'o',
  Ø: 'O',
  đ: 'd',
  Đ: 'D',
  ł: 'l',
  Ł: 'L',
  ı: 'i',
}
/** Characters of a name or number in a file name. */
const LONGEST = 40

/**
 * A text as a part of a file name. ASCII only, because unzip programs and `sha256sum` disagree on other characters, and
 * without the characters that Windows forbids.
 */
function namePart(text: string): string {
  return text
    .replace(/[^\0-\x7F]/gu, (letter) => LETTERS[letter] ?? letter)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9+]+/g, '-')
    .slice(0, LONGEST)
    .replace(/^-+|-+$/g, '')
}

/** A number as a part of a file name, without the grouping of its digits. */
const numberPart = (number: string): string =>
  /^\+?[\d\s().-]+$/.test(number) ? number.replace(/[^+\d]/g, '').slice(0, LONGEST) : namePart(number)

const FOLDERS = { originals: 'originals', playable: 'playable' } as const

/** Path of an object in a bag: `data/originals/2026-11-25_1358_Sofia-Duarte_+5511955550712.wav`. */
export function getPath(facts: ExportedFacts | undefined, object: BaggedObject): string {
  const folder = object.kind === ORIGINAL ? FOLDERS.originals : FOLDERS.playable
  const [party] = facts?.document.parties ?? []
  const parts = facts
    ? [
        localTime(facts).slice(0, 16).replace(' ', '_').replace(':', ''),
        namePart(getPerson(facts)),
        party?.phone_number ? numberPart(party.phone_number) : namePart(party?.contact_name ?? ''),
      ]
    : [namePart(object.payload_reference)]
  return `data/${folder}/${parts.filter(Boolean).join('_')}.${getFileEnding(object)}`
}

const iso = (seconds: number | null): string | null =>
  seconds === null ? null : new Date(seconds * 1000).toISOString()

/** Metadata of a recording and its files in the bag. */
const getMetadata = (facts: ExportedFacts, lines: readonly ArchiveLine[]) => ({
  payload_reference: facts.payload_reference,
  payload_type: facts.payload_type,
  local_time: localTime(facts),
  timezone: facts.document.timezone ?? null,
  payload_time: iso(facts.payload_time),
  payload_end_time: iso(facts.payload_end_time),
  processed_at: iso(facts.processed_at),
  duration: facts.document.duration ?? null,
  direction: facts.document.direction ?? null,
  person: facts.person,
  device_user_reference: facts.device_user_reference,
  device_reference: facts.device_reference,
  group: facts.group,
  parties: facts.document.parties ?? [],
  party_count: facts.document.party_count ?? 0,
  files: lines.flatMap(({ file, size = 0, sha256 = '' }) =>
    file === undefined ? [] : [{ file, size, sha256 }],
  ),
})

/** Facts with the lines of the same recording. */
export type RecordingFacts = readonly (readonly [ExportedFacts, readonly ArchiveLine[]])[]

/** Metadata as a JSON file. */
export const jsonFile = (recordings: RecordingFacts): string =>
  `${JSON.stringify(
    recordings.map((each) => getMetadata(...each)),
    undefined,
    2,
  )}\n`

/** Metadata as a table (RFC 4180), one row a recording; an apostrophe escapes formulas. */
export function csvFile(recordings: RecordingFacts): string {
  const rows = recordings.map(([facts, lines]) => {
    const { parties: _parties, files, ...row } = getMetadata(facts, lines)
    return {
      ...row,
      parties: getParties(facts).names.join('; '),
      files: files.map(({ file }) => file).join('; '),
      sha256: files.map(({ sha256 }) => sha256).join('; '),
    }
  })
  const [first] = rows
  const table = first ? [Object.keys(first), ...rows.map((row) => Object.values(row))] : []
  return table.map((row) => `${row.map(cell).join()}\r\n`).join('')
}

function cell(value: string | number | null): string {
  const safe = typeof value === 'number' ? String(value) : csvText(value ?? '')
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

const FIELD = '\u0014'
const QUOTE = '\u00FE'
const RESERVED = new RegExp(`[${FIELD}${QUOTE}\u00AE\\r\\n]+`, 'g')
/** Columns of a load file, as review platforms name them. */
const LOAD_COLUMNS = [
  'DOCID',
  'CUSTODIAN',
  'GROUP',
  'DOCTYPE',
  'DATESENT',
  'TIMESENT',
  'TIMEZONE',
  'DURATION',
  'PARTICIPANTS',
  'DEVICE',
  'FILENAME',
  'FILEEXT',
  'FILESIZE',
  'SHA256HASH',
  'NATIVELINK',
] as const

/**
 * Files of recordings as an EDRM load file in the format of Concordance (DAT), UTF-8 with byte order mark: one row a
 * file.
 */
export function loadFile(recordings: RecordingFacts): string {
  const rows = recordings.flatMap(([facts, lines]) =>
    lines.flatMap(({ file, size = 0, sha256 = '' }, n) => {
      if (file === undefined) return []
      const [day = '', clock = ''] = localTime(facts).split(' ')
      const name = file.slice(file.lastIndexOf('/') + 1)
      return [
        [
          n === 0 ? facts.payload_reference : `${facts.payload_reference}.${n + 1}`,
          getPerson(facts),
          facts.group,
          facts.payload_type,
          day,
          clock,
          facts.document.timezone ?? '',
          String(facts.document.duration ?? ''),
          getParties(facts).names.join('; '),
          facts.device_reference,
          name,
          name.slice(name.lastIndexOf('.') + 1),
          String(size),
          sha256,
          file.replaceAll('/', '\\'),
        ],
      ]
    }),
  )
  // Values hold neither delimiters nor line breaks.
  const value = (text: string) => `${QUOTE}${text.replace(RESERVED, ' ')}${QUOTE}`
  return `\uFEFF${[LOAD_COLUMNS, ...rows].map((row) => `${row.map(value).join(FIELD)}\r\n`).join('')}`
}
