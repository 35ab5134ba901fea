import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../ports/sync-folder.ts'
import type { BaseBackup } from './base-backup.ts'
import type { CopiedFile } from './copy-file.ts'
import type { Dump } from './dump.ts'

/** What a backup holds. It is written last: a folder without it is no backup. */
export interface Manifest {
  format: 1
  name: string
  /** Epoch seconds. */
  began_at: number
  finished_at: number
  /** Null: other tools back the database up. */
  database: BaseBackup | Dump | null
  /** Lines of `objects.jsonl`: one per object, in the folder `objects` that all backups share. */
  objects: { count: number; size: number; new: number; list: CopiedFile }
  /** Of `<keys>/<name>`, a folder that may lie elsewhere. */
  keys: CopiedFile[]
}

export const OBJECT_LIST = 'objects.jsonl'
const MANIFEST = 'manifest.json'

/** Name of a backup that begins now: sorts by time. */
export const nameOf = (began_at: number): string =>
  new Date(began_at * 1000).toISOString().slice(0, 19).replaceAll(':', '-')

/** Declares a backup whole. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${MANIFEST}.part`)
  await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true })
  await rename(draft, join(folder, MANIFEST))
  await syncFolder(folder)
}

/** Reads the manifest of a backup; throws when the folder is none, or one that was broken off. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch(() => undefined)
  if (text === undefined) throw new Error(`${folder} is no whole backup: it has no ${MANIFEST}`)
  const manifest = JSON.parse(text) as Manifest
  if (manifest.format !== 1)
    throw new Error(`${folder} was made by another release (format ${manifest.format})`)
  return manifest
}

/** The folder of the newest whole backup in a target; undefined: there is none. */
export async function newestBackup(target: string): Promise<string | undefined> {
  const names = (await readdir(target).catch(() => [])).filter((name) => /^\d{4}-\d\d-\d\dT/.test(name))
  for (const name of names.toSorted().reverse()) {
    const isWhole = await readManifest(join(target, name)).then(
      () => true,
      () => false,
    )
    if (isWhole) return join(target, name)
  }
  return undefined
}
