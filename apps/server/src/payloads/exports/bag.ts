import { createHash } from 'node:crypto'
import type { ExportContent } from '@custodia/contract'
import { hashing } from '@custodia/envelope'
import { formatKey, SIGNATURES, SIGNER_ELEMENT } from '@custodia/sealed-log'
import type { AppContext } from '../../app-context.ts'
import { findDisplayNames, nameInDocument } from '../../device-records/names-store.ts'
import { sha256 } from '../../sealed-log/notes.ts'
import {
  type ArchiveLine,
  type BagInfo,
  contentsFile,
  fileNames,
  type NamedInput,
  type OpenBag,
  type TagFile,
} from '../data/archive-files.ts'
import { evidenceFiles, type RecordingEvidence } from './evidence.ts'
import { type ExportedFacts, findExportedFacts, noteSent } from './export-store.ts'
import { csvFile, type RecordingFacts, jsonFile, loadFile, getPath } from './facts.ts'
import { certificateFile, reportFile } from './report.ts'
import { readSigner, signBag, type Signer } from './sign-bag.ts'
import { viewerFile } from './viewer.ts'

/**
 * Begins a bag (BagIt 1.0, RFC 8493) of recordings with readable file names, their metadata, and a report in plain
 * words. Memory holds the facts of one part, never bytes of recordings.
 */
export const openBag =
  ({ db, keys, now: clock }: Pick<AppContext, 'db' | 'keys' | 'now'>): OpenBag =>
  async (info, about) => {
    const { client_id, client, client_name, payload_ids, now } = about
    const facts = new Map(
      (await db.read(client_id, (q) => findExportedFacts(q, payload_ids))).map((each) => [
        each.payload_reference,
        each,
      ]),
    )
    const named = fileNames()
    return {
      getName: (object) => `${info.name}/${named(getPath(facts.get(object.payload_reference), object))}`,
      noteSent: (sent, isComplete) =>
        db.write(client_id, (tx) => noteSent(tx, info, { sent, finished_at: isComplete ? clock() : null })),
      async *tagFiles(all) {
        const lines = all.map(({ file, ...line }) => ({
          ...line,
          ...(file !== undefined && { file: file.slice(info.name.length + 1) }),
        }))
        const signer = await readSigner(keys, client)
        const described = { info, lines, recordings: describe(facts, lines), signer }
        const manifest = yield* getTagFiles(
          info,
          lines,
          { client: client_name, day: getDay(now), signer },
          describingFiles({ db }, about, described),
        )
        const signatures = await signBag(keys, client, { manifest, name: info.name, now })
        yield { name: `${info.name}/${SIGNATURES.ed25519}`, input: Buffer.from(signatures.ed25519) }
        yield { name: `${info.name}/${SIGNATURES.cms}`, input: Buffer.from(signatures.cms) }
      },
    }
  }

type About = Parameters<OpenBag>[1]

/** The files of a bag that describe its recordings, as far as the user chose them. */
async function* describingFiles(
  ctx: Pick<AppContext, 'db'>,
  { client_id, client_name, portal_user, reason, readAccess, now }: About,
  described: { info: BagInfo; lines: readonly ArchiveLine[]; recordings: RecordingFacts; signer: Signer },
): AsyncGenerator<NamedInput> {
  const { info, lines, recordings, signer } = described
  const names = await ctx.db.read(client_id, (q) => findDisplayNames(q, [portal_user]))
  const about = { client: client_name, by: nameInDocument(portal_user, names), reason, now, info }
  const has = (content: ExportContent) => info.contents.includes(content)
  yield ['contents.csv', contentsFile(lines)]
  if (has('csv')) yield ['metadata.csv', csvFile(recordings)]
  if (has('json')) yield ['metadata.json', jsonFile(recordings)]
  if (has('report')) yield ['report.html', reportFile(about, recordings, lines)]
  if (!has('evidence')) return
  const evidence = new Map<string, RecordingEvidence>()
  const facts = recordings.map(([each]) => each)
  yield* evidenceFiles(ctx, client_id, readAccess, facts, evidence)
  yield ['load-file.dat', loadFile(recordings)]
  const certified = {
    recordings: recordings.length,
    digest: createHash('sha256').update(getManifest(lines)).digest('hex'),
    key: formatKey(sha256, signer.key),
  }
  yield ['certificate-fre-902.html', certificateFile(about, { ...certified, locale: 'en-GB' })]
  yield ['declaracao-de-integridade.html', certificateFile(about, { ...certified, locale: 'pt-BR' })]
  yield ['index.html', viewerFile(about, recordings, evidence)]
}

const getDay = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10)

/** The recordings with a file in the bag, in its order. */
function describe(facts: ReadonlyMap<string, ExportedFacts>, lines: readonly ArchiveLine[]): RecordingFacts {
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
 * The tag files of a bag, written after its recordings because digests are known at the end. Returns the last manifest.
 * @param day of the bag, YYYY-MM-DD
 * @param others files that describe the recordings
 */
export async function* getTagFiles(
  bag: Pick<BagInfo, 'name' | 'part' | 'parts'>,
  lines: readonly ArchiveLine[],
  about: { client: string; day: string; signer: Signer },
  others: AsyncIterable<NamedInput> | Iterable<NamedInput>,
): AsyncGenerator<TagFile, Buffer> {
  const digests: string[] = []
  for (const [name, text] of ownFiles(bag, lines, about)) {
    digests.push(`${createHash('sha256').update(text).digest('hex')}  ${name}\n`)
    yield { name: `${bag.name}/${name}`, input: text }
  }
  for await (const [name, input] of others) {
    const hashed = hashing(getBytes(input))
    yield { name: `${bag.name}/${name}`, input: hashed.stream as AsyncIterable<Uint8Array<ArrayBuffer>> }
    digests.push(`${hashed.digest()}  ${name}\n`)
  }
  const manifest = Buffer.from(digests.join(''))
  yield { name: `${bag.name}/tagmanifest-sha256.txt`, input: manifest }
  return manifest
}

async function* getBytes(input: TagFile['input']): AsyncGenerator<Uint8Array> {
  if (typeof input === 'string') yield Buffer.from(input)
  else if (Buffer.isBuffer(input)) yield input
  else yield* input
}

/** The files that make it a bag, and the certificate of its signer. */
function ownFiles(
  bag: Pick<BagInfo, 'name' | 'part' | 'parts'>,
  lines: readonly ArchiveLine[],
  { client, day, signer }: { client: string; day: string; signer: Signer },
): (readonly [string, string])[] {
  const sizes = lines.flatMap(({ file, size = 0 }) => (file === undefined ? [] : [size]))
  const octets = sizes.reduce((sum, size) => sum + size, 0)
  const text = (all: readonly string[]) => all.map((line) => `${line}\n`).join('')
  return [
    ['bagit.txt', text(['BagIt-Version: 1.0', 'Tag-File-Character-Encoding: UTF-8'])],
    [
      'bag-info.txt',
      text([
        // A line break would start another element.
        `Source-Organization: ${client.replace(/\s+/g, ' ')}`,
        `External-Identifier: ${bag.name}`,
        `Bagging-Date: ${day}`,
        `Payload-Oxum: ${octets}.${sizes.length}`,
        `Bag-Count: ${bag.part} of ${bag.parts}`,
        `${SIGNER_ELEMENT}: ${formatKey(sha256, signer.key)}`,
      ]),
    ],
    ['signer.pem', signer.certificate],
    ['manifest-sha256.txt', getManifest(lines)],
  ]
}

/** The manifest of the recordings. File names hold neither spaces nor percent signs, so `sha256sum -c` reads it. */
const getManifest = (lines: readonly ArchiveLine[]): string =>
  lines.map(({ file, sha256: digest = '' }) => (file === undefined ? '' : `${digest}  ${file}\n`)).join('')
