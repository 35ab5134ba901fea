import { createHash } from 'node:crypto'
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

/** The metadata of a bag. */
export interface BagInfo {
  /** Name of the bag's folder. */
  name: string
  /** Its number, and the number of bags. */
  part: number
  parts: number
}

/** A file of a bag other than a recording. */
interface TagFile {
  name: string
  input: string
}

/** The folder of a bag's recordings. */
export const inBag = ({ name }: Pick<BagInfo, 'name'>, file: string): string => `${name}/data/${file}`

/**
 * The tag files of a bag (BagIt 1.0, RFC 8493), written after its recordings because digests are known at the
 * end. File names hold neither spaces nor percent signs.
 * @param contents the table of results per payload
 * @param day of the bag, YYYY-MM-DD
 */
export function tagFilesOf(
  bag: BagInfo,
  {
    lines,
    contents,
    client,
    day,
  }: { lines: readonly ArchiveLine[]; contents: string; client: string; day: string },
): TagFile[] {
  const written = lines.flatMap(({ file, size = 0, sha256 = '' }) =>
    file === undefined ? [] : [{ file, size, sha256 }],
  )
  const octets = written.reduce((sum, { size }) => sum + size, 0)
  const files = [
    ['bagit.txt', ['BagIt-Version: 1.0', 'Tag-File-Character-Encoding: UTF-8']],
    [
      'bag-info.txt',
      [
        // A line break would start another element.
        `Source-Organization: ${client.replace(/\s+/g, ' ')}`,
        `External-Identifier: ${bag.name}`,
        `Bagging-Date: ${day}`,
        `Payload-Oxum: ${octets}.${written.length}`,
        `Bag-Count: ${bag.part} of ${bag.parts}`,
      ],
    ],
    ['manifest-sha256.txt', written.map(({ file, sha256 }) => `${sha256}  data/${file}`)],
  ] as const
  const texts: (readonly [string, string])[] = [
    ...files.map(([name, text]) => [name, text.map((line) => `${line}\n`).join('')] as const),
    ['contents.csv', contents],
  ]
  const digests = texts.map(([name, text]) => `${createHash('sha256').update(text).digest('hex')}  ${name}\n`)
  return [...texts, ['tagmanifest-sha256.txt', digests.join('')] as const].map(([name, input]) => ({
    name: `${bag.name}/${name}`,
    input,
  }))
}
