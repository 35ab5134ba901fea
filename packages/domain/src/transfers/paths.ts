import { isoDay } from '../calendar.ts'

/** What a transfer config may wrap items in. */
export type TransferFormat = 'Uncompressed' | 'Zipped' | 'ZippedWithPassword' | 'PGP'

/** What a format adds to the name of a file. */
export const FORMAT_SUFFIX: Readonly<Record<TransferFormat, string>> = {
  Uncompressed: '',
  Zipped: '.zip',
  ZippedWithPassword: '.zip',
  PGP: '.pgp',
}

export interface TransferFile {
  /** A folder of the target, absolute or not; empty for the folder where one arrives. */
  root: string
  /** Epoch seconds. */
  payload_time: number
  payload_reference: string
  /** Put before the reference as it is. */
  prefix?: string
  /** Without the dot. */
  extension: string
  format: TransferFormat
}

/**
 * The paths of a payload and its facts on a target: `{root}/{yyyy}/{mm}/{dd}/{payload_reference}.{extension}` and
 * `.json`, by the UTC day of the payload's time. Characters of a reference other than letters, digits, dash and
 * underscore are percent-encoded, so that no reference can leave its folder, be hidden or collide. So are lower-case
 * letters of a ULID and capitals of other references, because some servers keep one file of two names that differ in
 * case only. A JSON payload ends in `.data.json`.
 */
export function transferPaths(file: TransferFile): { payload: string; facts: string } {
  const name = `${file.prefix ?? ''}${encoded(file.payload_reference)}`
  const extension = file.extension.toLowerCase().replaceAll(/[^a-z0-9]/g, '') || 'bin'
  const folder = `${transferRoot(file.root)}${getFolder(file.payload_time)}`
  const suffix = FORMAT_SUFFIX[file.format]
  return {
    payload: `${folder}/${name}.${extension === 'json' ? 'data.json' : extension}${suffix}`,
    facts: `${folder}/${name}.json${suffix}`,
  }
}

/** The path of the reconciliation report of a UTC day: `{root}/reconciliation/{yyyy}/{mm}/{dd}.json`. */
export const reconciliationPath = ({
  root,
  day,
  format,
}: Pick<TransferFile, 'root' | 'format'> & { day: number }): string =>
  `${transferRoot(root)}reconciliation/${getFolder(day)}.json${FORMAT_SUFFIX[format]}`

/**
 * The normalised root: one slash between folders and at the end, empty if there is none. Throws RangeError for roots
 * with `..`, or with characters that a server may interpret.
 */
export function transferRoot(root: string): string {
  const folders = root.split('/').filter((folder) => folder !== '' && folder !== '.')
  // oxlint-disable-next-line no-control-regex -- exactly those are refused
  if (folders.some((folder) => folder === '..' || /[\u0000-\u001f\u007f\\]/.test(folder)))
    throw new RangeError('a root neither climbs nor holds backslashes or control characters')
  const start = root.startsWith('/') ? '/' : ''
  return folders.length === 0 ? start : `${start}${folders.join('/')}/`
}

const DAY = 86_400

/** The midnight, UTC, with which the day of a time begins; epoch seconds. */
export const utcDay = (seconds: number): number => Math.floor(seconds / DAY) * DAY

/** Folder of a day: `yyyy/mm/dd`. */
const getFolder = (seconds: number): string => isoDay(seconds).replaceAll('-', '/')

const ULID = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/i

function encoded(reference: string): string {
  if (reference === '') throw new RangeError('a payload has a reference')
  const other = ULID.test(reference) ? /[a-z.!~*'()]/ : /[A-Z.!~*'()]/
  return Array.from(reference.toWellFormed(), (mark) =>
    other.test(mark)
      ? `%${mark.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
      : encodeURIComponent(mark),
  ).join('')
}
