import type { DataStatus } from '@custodia/contract'

/** What became of one payload of an archive. */
export interface ArchiveLine {
  payload_reference: string
  status: DataStatus
  /** Of what is in it. */
  file?: string
  size?: number
  sha256?: string
}

/** The table that comes with an archive: nothing in it is a formula, for none of its values begins as one. */
export const contentsFile = (lines: readonly ArchiveLine[]): string =>
  [
    'payload_reference,status,file,size,sha256',
    ...lines.map(({ payload_reference, status, file = '', size = '', sha256 = '' }) =>
      [payload_reference, status, file, size, sha256].join(),
    ),
    '',
  ].join('\r\n')
