import { randomBytes } from 'node:crypto'
import { access, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../sync-folder.ts'
import { type KeyContext, KeysUnavailable, KeyUnknown } from '../port.ts'
import { publishFile, readDurably, readIfThere, replaceFile } from '../publish.ts'
import { namesIn, SEGMENT_FILE } from './segments.ts'

const EPOCH_FILE = /^epoch-(\d{6})\.key$/
/** Milliseconds after which a process checks which key versions exist. */
const LOOK_EVERY = 10_000
const HOUR = 3600

/** The master keys, which seal small secrets. */
export interface Sealing {
  seal(plaintext: Buffer, context: KeyContext): Promise<Buffer>
  open(blob: Buffer, context: KeyContext): Promise<Buffer>
  /** The blob under the newest master key; undefined when it is current. */
  reseal(blob: Buffer, context: KeyContext): Promise<Buffer | undefined>
}

type EpochFile = { made_at: number; sealed: string }

export type KeyVersions = ReturnType<typeof versionedKeys>

/**
 * Key versions of a keystore: files `epoch-<number>.key`, each sealed under the master key. The newest seals
 * the slots.
 */
export function versionedKeys(folder: string, sealing: Sealing, now: () => number) {
  const known = new Map<number, Buffer>()
  let newest = 0
  let lookedAt = -Infinity
  const path = (epoch: number) => join(folder, `epoch-${String(epoch).padStart(6, '0')}.key`)

  async function list(): Promise<number[]> {
    const names = await namesIn(folder)
    return names.flatMap((name) => Number(EPOCH_FILE.exec(name)?.[1] ?? 0) || []).toSorted((a, b) => a - b)
  }

  async function key(epoch: number): Promise<Buffer> {
    const there = known.get(epoch)
    if (there) return there
    const file = parse(await readDurably(path(epoch)))
    if (!file) throw new KeyUnknown(`the key of epoch ${epoch} is not in ${folder}`)
    const opened = await sealing.open(Buffer.from(file.sealed, 'base64'), contextOf(epoch))
    known.set(epoch, opened)
    return opened
  }

  async function make(epoch: number): Promise<void> {
    const fresh = randomBytes(32)
    const sealed = await sealing.seal(fresh, contextOf(epoch))
    fresh.fill(0)
    const file: EpochFile = { made_at: now(), sealed: sealed.toString('base64') }
    // Another process was faster, and its key wins.
    await publishFile(path(epoch), Buffer.from(JSON.stringify(file)))
  }

  /** Syncs with other processes' key versions; makes the first one of an empty keystore. */
  async function look(): Promise<void> {
    // Segments are listed first: a process that starts concurrently makes its key version before its segment.
    const hasSlots = (await namesIn(folder)).some((name) => SEGMENT_FILE.test(name))
    const there = await list()
    if (there.length === 0 && hasSlots)
      throw new KeysUnavailable(
        `${folder} holds slots but no epoch key; restore it from the newest backup of the keys`,
      )
    if (there.length === 0) {
      // A new number: slots of a lost keystore may come back from a backup, with their key versions.
      const first = Math.floor(now() / HOUR)
      await make(first)
      there.push(...(await list()))
    }
    // Not overwritten: another process may be sealing with it, and finds out afterwards that the key version
    // has ended.
    for (const epoch of known.keys()) if (!there.includes(epoch)) known.delete(epoch)
    newest = there.at(-1) ?? 0
    lookedAt = performance.now()
  }

  return {
    list,
    key,
    look,

    /** The newest key version, with its key. */
    async newest(): Promise<{ epoch: number; key: Buffer }> {
      if (performance.now() - lookedAt > LOOK_EVERY) await look()
      try {
        return { epoch: newest, key: await key(newest) }
      } catch (error) {
        if (!(error instanceof KeyUnknown)) throw error
        await look()
        return { epoch: newest, key: await key(newest) }
      }
    },

    /**
     * Whether a key version is still the newest, read from disk: a rotation may have missed slots that were
     * sealed before the next version began.
     */
    async isNewest(epoch: number): Promise<boolean> {
      if ((await isThere(path(epoch + 1))) || !(await isThere(path(epoch)))) await look()
      return newest === epoch
    },

    /** Creation time of a key version, epoch seconds; 0: its erasure was interrupted. */
    async madeAt(epoch: number): Promise<number> {
      return parse(await readIfThere(path(epoch)))?.made_at ?? 0
    },

    /** Makes the next key version; resolves to its number. */
    async begin(): Promise<number> {
      await look()
      await make(newest + 1)
      await look()
      return newest
    },

    /** Destroys a key version: overwritten, then removed. */
    async erase(epoch: number): Promise<void> {
      known.delete(epoch)
      // With the remains of an interrupted attempt to seal the file again.
      const names = (await namesIn(folder)).filter((name) => join(folder, name).startsWith(path(epoch)))
      for (const name of names) await overwrite(join(folder, name))
      for (const name of names) await unlink(join(folder, name))
      await syncFolder(folder)
    },

    /** Seals the files of older master keys again; resolves to their number. */
    async reseal(): Promise<number> {
      let count = 0
      for (const epoch of await list()) {
        const file = parse(await readIfThere(path(epoch)))
        const sealed = file && (await sealing.reseal(Buffer.from(file.sealed, 'base64'), contextOf(epoch)))
        if (!sealed) continue
        const again: EpochFile = { made_at: file.made_at, sealed: sealed.toString('base64') }
        await replaceFile(path(epoch), Buffer.from(JSON.stringify(again)))
        count++
      }
      return count
    },
  }
}

const contextOf = (epoch: number): KeyContext => ({
  client: '',
  purpose: 'slot_epoch',
  reference: String(epoch),
})

/** Undefined also for a partly erased file, which cannot be opened. */
function parse(file: Buffer | undefined): EpochFile | undefined {
  try {
    return file && (JSON.parse(file.toString()) as EpochFile)
  } catch {
    return undefined
  }
}

async function overwrite(path: string): Promise<void> {
  const file = await open(path, 'r+')
  try {
    const { size } = await file.stat()
    await file.write(randomBytes(size), 0, size, 0)
    await file.datasync()
  } finally {
    await file.close()
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )
