import type { DataStatus } from '@custodia/contract'

/** The result for one payload of an archive. */
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
