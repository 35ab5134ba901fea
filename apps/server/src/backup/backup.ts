import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { access, mkdir, readdir } from 'node:fs/promises'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { createInterface } from 'node:readline'
import type { AppContext } from '../app-context.ts'
import { runningEmbedded } from '../ports/database/embedded.ts'
import { LEDGER, SLOTS } from '../ports/keys/local-file.ts'
import { filesystemStore } from '../ports/objects/filesystem.ts'
import { ObjectExists, ObjectNotFound, type ObjectStore } from '../ports/objects/port.ts'
import {
  baseBackup,
  forEachAtOnce,
  type Manifest,
  getName,
  newestBackup,
  OBJECT_LIST,
  writeManifest,
} from './base-backup.ts'
import { copySlots } from './copy-slots.ts'
import { type CopiedFile, copyFile, getDigest, dumpDatabase } from './dump.ts'

interface ListedObject {
  key: string
  size: number
  sha256: string
}

interface CopiedObjects {
  count: number
  size: number
  new: number
  list: CopiedFile
}

/**
 * Copies every object that the target lacks, hashed on the way, and lists all in `folder`. Objects are written once,
 * so those that an earlier backup (`before`) lists are not read again; those of an interrupted backup are read from
 * the target.
 */
async function copyObjects(
  from: ObjectStore,
  to: ObjectStore,
  folder: string,
  before: string | undefined,
): Promise<CopiedObjects> {
  const known = new Map<string, ListedObject>()
  if (before) for await (const each of readList(join(before, OBJECT_LIST))) known.set(each.key, each)
  const there = new Map<string, number>()
  for await (const { key, size } of to.list('')) there.set(key, size)
  const path = join(folder, OBJECT_LIST)
  const out = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
  const totals = { count: 0, size: 0, new: 0 }
  await forEachAtOnce(from.list(''), async ({ key, size }) => {
    const has = there.get(key)
    if (has !== undefined && has !== size)
      throw new Error(`object ${key} has ${has} bytes in the backup, and now ${size}`)
    const listed = has === undefined ? undefined : known.get(key)
    const found = listed ?? (await (has === undefined ? fetched(from, to, key) : hashed(to, key)))
    if (!found) return
    totals.count++
    totals.size += found.size
    if (has === undefined) totals.new++
    if (!out.write(`${JSON.stringify({ key, size: found.size, sha256: found.sha256 })}\n`))
      await once(out, 'drain')
  })
  out.end()
  await once(out, 'close')
  return { ...totals, list: { path: OBJECT_LIST, ...(await getDigest(path)) } }
}

/** Restores every missing object; an existing one must have its size. Resolves to the number of restored objects. */
export async function restoreObjects(list: string, from: ObjectStore, to: ObjectStore): Promise<number> {
  let put = 0
  await forEachAtOnce(readList(list), async ({ key, size, sha256 }) => {
    const there = await to.head(key)
    if (there && there.size !== size)
      throw new Error(`object ${key} has ${there.size} bytes, and ${size} in the backup`)
    if (there) return
    await to.put(key, from.read(key), { size, sha256 })
    put++
  })
  return put
}

/** Undefined if the object was removed meanwhile: no row needs it then. */
async function fetched(
  from: ObjectStore,
  to: ObjectStore,
  key: string,
): Promise<Omit<ListedObject, 'key'> | undefined> {
  try {
    return await to.put(key, from.read(key))
  } catch (error) {
    if (error instanceof ObjectNotFound) return undefined
    if (error instanceof ObjectExists) return hashed(to, key)
    throw error
  }
}

async function hashed(store: ObjectStore, key: string): Promise<Omit<ListedObject, 'key'>> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of store.read(key)) {
    hash.update(chunk)
    size += chunk.length
  }
  return { size, sha256: hash.digest('hex') }
}

async function* readList(path: string): AsyncGenerator<ListedObject> {
  await access(path)
  for await (const line of createInterface({ input: createReadStream(path) }))
    yield JSON.parse(line) as ListedObject
}

interface BackupTargets {
  /** Folder that holds all backups. */
  target: string
  /** Where the keys go; `<target>/keys` when left out. */
  keys?: string | undefined
  /** Leaves the database out, which other tools back up. */
  withoutDatabase?: boolean
}

/**
 * Backs up a running installation: keys, database, objects, keys again, and the key slots. In this order every
 * restored row has its object and key: both exist before the row, and a referenced object is never removed. The
 * manifest is written last; a folder without it is no backup.
 */
export async function backUp(
  { config, objects, now }: Pick<AppContext, 'config' | 'objects' | 'now'>,
  { target, keys, withoutDatabase = false }: BackupTargets,
): Promise<{ folder: string; manifest: Manifest }> {
  const began_at = now()
  const name = getName(began_at)
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

/** The objects of all backups in a target, each once. It accepts no uploads from clients. */
export const backupStore = (target: string): ObjectStore =>
  filesystemStore({
    root: join(resolve(target), 'objects'),
    base_url: '',
    upload_secret: Buffer.alloc(0),
    now: () => Math.floor(Date.now() / 1000),
  })

/**
 * Copies the files of a keys folder that the target does not have yet, all but its keystore of slots and its ledger (`copySlots`). Called before the database is copied and again after it: a
 * key that a row needs was made before the row, and one that was retired meanwhile is in the first copy.
 */
export async function copyKeys(
  from: string,
  to: string,
  known: readonly CopiedFile[],
): Promise<CopiedFile[]> {
  await mkdir(to, { recursive: true, mode: 0o700 })
  const copied = [...known]
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = relative(from, join(entry.parentPath, entry.name))
    if (path.startsWith(SLOTS + sep) || path.startsWith(LEDGER + sep)) continue
    if (!entry.isFile() || path.endsWith('.part') || copied.some((each) => each.path === path)) continue
    copied.push({ path, ...(await copyFile(join(from, path), join(to, path))) })
  }
  return copied
}

/** Records a backup that ended well. */
export async function insertBackup(
  db: Pick<AppContext['db'], 'globalWrite'>,
  { began_at, finished_at, database }: Pick<Manifest, 'began_at' | 'finished_at' | 'database'>,
): Promise<void> {
  await db.globalWrite((tx) =>
    tx.query('insert into backups (began_at, ended_at, has_database) values ($1, $2, $3)', [
      began_at,
      finished_at,
      database !== null,
    ]),
  )
}
