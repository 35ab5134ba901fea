import { randomBytes } from 'node:crypto'
import { mkdir, readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../sync-folder.ts'
import { KeysUnavailable, KeyUnknown } from './port.ts'
import { publishFile, readDurably } from './signing.ts'

const keySize = 32
/** Milliseconds after which a process checks for rotations of others. */
const LOOK_EVERY = 10_000

export type MasterKeys = {
  /** The current key with its version; made when the folder is empty. */
  newest(): Promise<{ version: number; key: Buffer }>
  /** The key of a version; reads the disk when it is unknown. Throws KeyUnknown. */
  version(version: number): Promise<Buffer>
  /** Makes a new key. Older ones stay for their ciphertexts. */
  rotate(): Promise<number>
  /** Every version in the folder, oldest first. */
  versions(): Promise<number[]>
  /** Destroys an old key: its ciphertexts can never be opened again. Refuses the newest. */
  retire(version: number): Promise<void>
}

/**
 * Versioned master keys as files `master-<version>.key` of 32 bytes, mode 0600. Processes that share the
 * folder publish a version once, and find those of others on demand.
 */
export function masterKeys(folder: string, isInUse: () => Promise<boolean> = async () => false): MasterKeys {
  const known = new Map<number, Buffer>()
  let sealing = 0
  let lookedAt = -Infinity
  let looking: Promise<void> | undefined
  const path = (version: number) => join(folder, `master-${String(version).padStart(6, '0')}.key`)

  async function load(version: number): Promise<Buffer | undefined> {
    const key = known.get(version) ?? (await readDurably(path(version)))
    if (!key || known.has(version)) return key
    if (key.length !== keySize) throw new KeysUnavailable(`${path(version)} does not hold ${keySize} bytes`)
    const { mode } = await stat(path(version))
    if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
      throw new KeysUnavailable(`${path(version)} can be read by others; set its mode to 0600`)
    }
    known.set(version, key)
    return key
  }

  async function make(version: number): Promise<number> {
    // Another process was faster, and its key wins.
    await publishFile(path(version), randomBytes(keySize))
    return version
  }

  async function look(): Promise<void> {
    const found = (await newestVersion(folder, isInUse)) || (await make(1))
    // A rotation of this process may have ended meanwhile.
    sealing = Math.max(sealing, found)
    lookedAt = performance.now()
  }

  return {
    async newest() {
      // Thousands of keys sealed at once wait for one look: each takes a connection of the database.
      if (performance.now() - lookedAt > LOOK_EVERY)
        await (looking ??= look().finally(() => {
          looking = undefined
        }))
      return { version: sealing, key: await this.version(sealing) }
    },
    async version(version) {
      const key = await load(version)
      if (!key) throw new KeyUnknown(`master key ${version} is not in ${folder}`)
      return key
    },
    async rotate() {
      sealing = await make((await newestVersion(folder, isInUse)) + 1)
      lookedAt = performance.now()
      return sealing
    },
    versions: () => versionsIn(folder),
    async retire(version) {
      if (version >= ((await versionsIn(folder)).at(-1) ?? 0))
        throw new RangeError('the newest key is in use')
      known.delete(version)
      await unlink(path(version))
      await syncFolder(folder)
    },
  }
}

/** The newest version in the folder; 0 when it is new. Throws when it lost its keys. */
async function newestVersion(folder: string, isInUse: () => Promise<boolean>): Promise<number> {
  // Before the search for master keys, as below.
  const isKnown = await isInUse()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const used = (await readdir(folder)).some((name) =>
    ['device', 'secrets', 'signing', 'slots'].includes(name),
  )
  // Listed after the search for sealed keys: a process that starts concurrently makes its master key first.
  const names = await readdir(folder)
  const newest = Math.max(0, ...names.map((name) => Number(/^master-(\d{6})\.key$/.exec(name)?.[1] ?? 0)))
  if (newest === 0 && used) {
    throw new KeysUnavailable(
      `${folder} holds sealed keys but no master key; restore master-*.key from a backup`,
    )
  }
  if (newest === 0 && isKnown) {
    throw new KeysUnavailable(
      `${folder} is empty, but the database has clients whose keys it held; restore it from a backup, for nothing can be read without it`,
    )
  }
  return newest
}

async function versionsIn(folder: string): Promise<number[]> {
  return (await readdir(folder))
    .flatMap((name) => Number(/^master-(\d{6})\.key$/.exec(name)?.[1] ?? 0) || [])
    .toSorted((a, b) => a - b)
}
