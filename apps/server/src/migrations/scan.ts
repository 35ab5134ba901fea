import { createHash } from 'node:crypto'
import { type Fault, fault } from '@custodia/contract'
import { migration } from '@custodia/domain'
import type { AppContext } from '../app-context.ts'
import { ScanLimitExceeded } from '../ports/scanner/port.ts'
import { type DroppedFile, listDropped, readDropped } from './folder.ts'
import type { Progress } from './progress.ts'
import { type NewResult, NO_DATA, type ScannedFile } from './work-store.ts'

/** Maximum size of a manifest in bytes. */
const MANIFEST_LIMIT = 64 * 1024 ** 2
const FILES_PER_TRANSACTION = 50

type FoundFile = Omit<ScannedFile, 'line'>

/** Hashes, scans and compares all files with the manifest before the import. Known files are not scanned again. */
export async function scanFolder(
  { scanner }: Pick<AppContext, 'scanner'>,
  folder: string,
  known: ReadonlySet<string>,
  keep: (files: FoundFile[]) => Promise<void>,
  progress: Progress,
): Promise<void> {
  const manifest = await readManifest(folder)
  let batch: FoundFile[] = []
  for (const file of await listDropped(folder)) {
    if (known.has(file.filename)) continue
    const scanned = await scan(scanner, folder, file, progress).catch(ignoreUnreadable)
    progress.noteItems(1)
    const { sha256, isInfected } = scanned ?? { sha256: '', isInfected: false }
    const expected = manifest?.get(file.filename)
    const problem = !scanned
      ? 'UnknownFile'
      : isInfected
        ? 'FileQuarantined'
        : expected !== undefined && expected !== sha256
          ? 'FileDigestMismatch'
          : migration.migrationFile(file.filename) === 'unknown'
            ? 'UnknownFile'
            : null
    if (batch.push({ ...file, sha256, problem }) < FILES_PER_TRANSACTION) continue
    await keep(batch)
    batch = []
  }
  await keep(batch)
}

/** Undefined for a file without a readable name. */
function ignoreUnreadable(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

async function scan(
  scanner: AppContext['scanner'],
  folder: string,
  { filename }: DroppedFile,
  progress: Progress,
) {
  const hash = createHash('sha256')
  async function* hashed() {
    for await (const chunk of readDropped(folder, filename, progress.noteRead)) {
      hash.update(chunk)
      yield chunk
    }
  }
  let isInfected = false
  if (scanner.configured) {
    try {
      isInfected = (await progress.orCut(scanner.scan(hashed()))).infected
    } catch (error) {
      if (!(error instanceof ScanLimitExceeded)) throw error
      isInfected = true
    }
    if (isInfected) return { sha256: '', isInfected }
  } else for await (const _ of hashed());
  return { sha256: hash.digest('hex'), isInfected }
}

/** Digests by file; undefined without a readable manifest. */
async function readManifest(folder: string): Promise<Map<string, string> | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of readDropped(folder, migration.MANIFEST)) {
      size += chunk.length
      if (size > MANIFEST_LIMIT) return undefined
      chunks.push(chunk)
    }
    const stated: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    const files = isRecord(stated) && isRecord(stated['files']) ? stated['files'] : stated
    if (!isRecord(files)) return undefined
    return new Map(
      Object.entries(files).flatMap(([name, digest]) =>
        typeof digest === 'string' ? [[name, digest.toLowerCase()] as const] : [],
      ),
    )
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A name of a manifest, which may be any text, as the database can store it. */
const storable = (name: string): string =>
  name.slice(0, migration.PATH_LENGTH).replaceAll('\0', '\uFFFD').toWellFormed()

/** Results about files: unread ones, those that differ from the manifest, and missing ones. */
export async function fileResults(folder: string, files: readonly ScannedFile[]): Promise<NewResult[]> {
  const result = (
    filename: string,
    result_type: NewResult['result_type'],
    faults: Fault[] = [],
  ): NewResult => ({ result_type, kind: 'File', item: filename, filename, line: null, ...NO_DATA, faults })
  const there = new Set(files.map(({ filename }) => filename))
  const missing = [...((await readManifest(folder)) ?? [])].flatMap(([name]) =>
    there.has(name) ? [] : [storable(name)],
  )
  const hasManifest = there.has(migration.MANIFEST) && (await readManifest(folder)) === undefined
  return [
    ...files.flatMap(({ filename, problem }) => (problem ? [result(filename, problem)] : [])),
    ...missing.map((name) =>
      result(name, 'FileDigestMismatch', [fault('filename', 'unknown_reference', { value: name })]),
    ),
    ...(hasManifest ? [result(migration.MANIFEST, 'Error', [fault('files', 'invalid')])] : []),
  ]
}
