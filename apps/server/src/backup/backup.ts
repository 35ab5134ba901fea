import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { AppContext } from '../app-context.ts'
import { runningEmbedded } from '../ports/database/embedded.ts'
import { filesystemStore } from '../ports/objects/filesystem.ts'
import type { ObjectStore } from '../ports/objects/port.ts'
import { baseBackup } from './base-backup.ts'
import { copyKeys } from './copy-keys.ts'
import { copySlots } from './copy-slots.ts'
import { copyObjects } from './copy-objects.ts'
import { dumpDatabase } from './dump.ts'
import { type Manifest, nameOf, newestBackup, writeManifest } from './manifest.ts'

export interface BackupTargets {
  /** Folder that holds all backups. */
  target: string
  /** Where the keys go; `<target>/keys` when left out. */
  keys?: string | undefined
  /** Leaves the database out, which other tools back up. */
  withoutDatabase?: boolean
}

/**
 * Backs an installation up whose database runs: keys, database, objects, the keys again, and the keystore of slots. In this order every row of the restored
 * database finds its object and its keys: both were durable before the row, objects are never removed while a row names them, and
 * keys that were retired meanwhile are in the first copy. Without its manifest, which is written last, the folder is no backup.
 */
export async function backUp(
  { config, objects, now }: Pick<AppContext, 'config' | 'objects' | 'now'>,
  { target, keys, withoutDatabase = false }: BackupTargets,
): Promise<{ folder: string; manifest: Manifest }> {
  const began_at = now()
  const name = nameOf(began_at)
  const folder = join(resolve(target), name)
  const before = await newestBackup(target)
  await mkdir(resolve(target), { recursive: true, mode: 0o700 })
  await mkdir(folder, { mode: 0o700 })
  const [keyFolder, keyTarget] = [
    join(config.dataDir, 'keys'),
    join(resolve(keys ?? join(target, 'keys')), name),
  ]
  const firstKeys = await copyKeys(keyFolder, keyTarget, [])
  const database = withoutDatabase ? null : await copyDatabase(config, join(folder, 'database'))
  const copied = await copyObjects(objects, backupStore(target), folder, before)
  const manifest: Manifest = {
    format: 1,
    name,
    began_at,
    database,
    objects: copied,
    keys: await copyKeys(keyFolder, keyTarget, firstKeys),
    finished_at: now(),
  }
  await copySlots(keyFolder, dirname(keyTarget), name)
  await writeManifest(folder, manifest)
  return { folder, manifest }
}

async function copyDatabase(config: AppContext['config'], target: string): Promise<Manifest['database']> {
  if (config.database.url !== undefined)
    return dumpDatabase(config.database.backup ?? config.database.url, target)
  const dataDir = join(config.dataDir, 'postgres')
  const running = runningEmbedded(dataDir)
  if (running === undefined) throw new Error(`the database in ${dataDir} does not run`)
  return baseBackup(running, dataDir, target)
}

/** The objects of all backups in a target, each once. Nobody uploads to it. */
export const backupStore = (target: string): ObjectStore =>
  filesystemStore({
    root: join(resolve(target), 'objects'),
    base_url: '',
    upload_secret: Buffer.alloc(0),
    now: () => Math.floor(Date.now() / 1000),
  })
