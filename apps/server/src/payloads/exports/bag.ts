import { createHash } from 'node:crypto'
import type { AppContext } from '../../app-context.ts'
import {
  type ArchiveLine,
  type BagInfo,
  contentsFile,
  fileNames,
  type OpenBag,
  type TagFile,
} from '../data/archive-files.ts'
import { type ExportedFacts, findExportedFacts, noteSent } from './export-store.ts'
import { csvFile, type Described, jsonFile, pathOf } from './facts.ts'
import { reportFile } from './report.ts'

/**
 * Begins a bag (BagIt 1.0, RFC 8493) of recordings with readable file names, their metadata, and a report in plain
 * words. Memory holds the facts of one part, never bytes of recordings.
 */
export const openBag =
  ({ db, now: clock }: Pick<AppContext, 'db' | 'now'>): OpenBag =>
  async (info, { client_id, client_name, portal_user, reason, payload_ids, now }) => {
    const facts = new Map(
      (await db.read(client_id, (q) => findExportedFacts(q, payload_ids))).map((each) => [
        each.payload_reference,
        each,
      ]),
    )
    const named = fileNames()
    return {
      nameOf: (object) => `${info.name}/${named(pathOf(facts.get(object.payload_reference), object))}`,
      noteSent: (sent, isComplete) =>
        db.write(client_id, (tx) => noteSent(tx, info, { sent, finished_at: isComplete ? clock() : null })),
      tagFiles(all) {
        const lines = all.map(({ file, ...line }) => ({
          ...line,
          ...(file !== undefined && { file: file.slice(info.name.length + 1) }),
        }))
        const about = { client: client_name, by: portal_user, reason, now, info }
        const recordings = describe(facts, lines)
        return tagFilesOf(info, lines, { client: client_name, day: dayOf(now) }, [
          ['contents.csv', contentsFile(lines)],
          ...(info.contents.includes('csv') ? [['metadata.csv', csvFile(recordings)] as const] : []),
          ...(info.contents.includes('json') ? [['metadata.json', jsonFile(recordings)] as const] : []),
          ...(info.contents.includes('report')
            ? [['report.html', reportFile(about, recordings, lines)] as const]
            : []),
        ])
      },
    }
  }

const dayOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/** The recordings with a file in the bag, in its order. */
function describe(facts: ReadonlyMap<string, ExportedFacts>, lines: readonly ArchiveLine[]): Described {
  const sent = Map.groupBy(
    lines.filter(({ file }) => file !== undefined),
    ({ payload_reference }) => payload_reference,
  )
  return [...sent].flatMap(([reference, files]) => {
    const found = facts.get(reference)
    return found ? [[found, files] as const] : []
  })
}

/**
 * The tag files of a bag, written after its recordings because digests are known at the end. File names hold neither
 * spaces nor percent signs, so `sha256sum -c manifest-sha256.txt` reads the manifest.
 * @param day of the bag, YYYY-MM-DD
 * @param others files that describe the recordings
 */
export function tagFilesOf(
  bag: Pick<BagInfo, 'name' | 'part' | 'parts'>,
  lines: readonly ArchiveLine[],
  { client, day }: { client: string; day: string },
  others: readonly (readonly [string, string])[],
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
    ['manifest-sha256.txt', written.map(({ file, sha256 }) => `${sha256}  ${file}`)],
  ] as const
  const texts: (readonly [string, string])[] = [
    ...files.map(([name, text]) => [name, text.map((line) => `${line}\n`).join('')] as const),
    ...others,
  ]
  const digests = texts.map(([name, text]) => `${createHash('sha256').update(text).digest('hex')}  ${name}\n`)
  return [...texts, ['tagmanifest-sha256.txt', digests.join('')] as const].map(([name, input]) => ({
    name: `${bag.name}/${name}`,
    input,
  }))
}
