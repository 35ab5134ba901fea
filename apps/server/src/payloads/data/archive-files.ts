import type { DataStatus, ExportContent, Locale } from '@custodia/contract'
import type { Access } from '@custodia/domain'

/** The result for one file of an archive, or for a payload without one. */
export interface ArchiveLine {
  payload_reference: string
  status: DataStatus
  file?: string
  size?: number
  sha256?: string
}

/** The result table of an archive; no value can start a spreadsheet formula. */
export const contentsFile = (lines: readonly ArchiveLine[]): string =>
  [
    'payload_reference,status,file,size,sha256',
    ...lines.map(({ payload_reference, status, file = '', size = '', sha256 = '' }) =>
      [payload_reference, status, file, size, sha256].join(),
    ),
    '',
  ].join('\r\n')

/**
 * Makes file names that differ in more than case, because some file systems keep only one of two such names. The later
 * one gets a number.
 */
export function fileNames(): (name: string) => string {
  const taken = new Set<string>()
  return (name) => {
    const dot = name.lastIndexOf('.')
    const [stem, end] = dot < 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)]
    let free = name
    for (let n = 2; taken.has(free.toLowerCase()); n++) free = `${stem}-${n}${end}`
    taken.add(free.toLowerCase())
    return free
  }
}

/** What an archive is that is a part of an export: a bag (BagIt 1.0, RFC 8493). */
export interface BagInfo {
  /** Name of the bag's folder. */
  name: string
  export_id: string
  /** Its number, and the number of bags. */
  part: number
  parts: number
  contents: readonly ExportContent[]
  locale: Locale
}

/** A file that describes the others. */
export interface TagFile {
  name: string
  input: string | Buffer<ArrayBuffer> | AsyncIterable<Uint8Array<ArrayBuffer>>
}

/** A file of a bag by its path. */
export type NamedInput = readonly [string, TagFile['input']]

/** An object that is written into a bag. */
export interface BaggedObject {
  payload_reference: string
  kind: string
  content_type: string
}

/** A bag while it is sent. */
export interface Bag {
  /** Path of an object in the archive; each call returns another one. */
  getName(object: BaggedObject): string
  /** Stores the progress. False when the export was cancelled. */
  noteSent(recordings: number, isComplete: boolean): Promise<boolean>
  /** The files after the recordings, when all digests are known. Each is read before the next one is asked for. */
  tagFiles(lines: readonly ArchiveLine[]): AsyncIterable<TagFile>
}

/** Begins a bag of these payloads. Exports are a higher folder, so the server hands this function over. */
export type OpenBag = (
  info: BagInfo,
  about: {
    client_id: number
    client: string
    client_name: string
    portal_user: string
    reason: string | null
    payload_ids: readonly number[]
    /** Rights of the person or app that downloads it, as of now: a download may take hours. */
    readAccess(): Promise<Access>
    /** Epoch seconds. */
    now: number
  },
) => Promise<Bag>
