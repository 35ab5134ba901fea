import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { LEDGER, SLOTS } from '../ports/keys/local-file.ts'
import { SIGNING } from '../ports/keys/signing.ts'
import { syncFolder } from '../ports/sync-folder.ts'
import { type CopiedFile, copyFile, copyVerified, writeDurably } from './dump.ts'

/** Written last: a copy without it is none. */
const LIST = 'slots.json'
const isKey = (name: string) => name.endsWith('.key')
const isLedger = (name: string) => name.endsWith('.ledger')
const isSigning = (path: string) => path.startsWith(SIGNING + sep)

/**
 * Copies the key slots after the database, so that every row of that copy has its slot. A target keeps only the
 * newest copy, because an older one has erased slots. The master keys and the destruction ledger with its signing
 * keys are copied too.
 */
export async function copySlots(keys: string, target: string, name: string): Promise<void> {
  const from = join(keys, SLOTS)
  if (!existsSync(from)) return
  const all = join(target, SLOTS)
  const to = join(all, name)
  const copied: CopiedFile[] = []
  await mkdir(to, { recursive: true, mode: 0o700 })
  const copyAll = async (folder: string, is: (name: string) => boolean) => {
    for (const each of (await readdir(join(keys, folder))).filter(is)) {
      const path = join(folder, each)
      if (copied.some((known) => known.path === path)) continue
      // Erased since the listing: its keys are in a newer file, or are read again below.
      const file = await copyFile(join(keys, path), join(to, path)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return undefined
        throw error
      })
      if (file) copied.push({ path, ...file })
    }
  }
  const isMaster = (each: string) => /^master-\d{6}\.key$/.test(each)
  // The keys before the slots and after them: while they are copied another epoch may begin, and the former one end.
  await copyAll('', isMaster)
  await copyAll(SLOTS, isKey)
  await copyAll(SLOTS, (each) => each.endsWith('.slots'))
  await copyAll(SLOTS, isKey)
  await copyAll('', isMaster)
  // Last: what the slots lack is in it.
  if (existsSync(join(keys, LEDGER))) await copyAll(LEDGER, isLedger)
  if (existsSync(join(keys, SIGNING))) await copyAll(SIGNING, (each) => each.endsWith('.json'))
  await assertWhole(all, copied)
  await writeDurably(join(to, LIST), JSON.stringify(copied))
  for (const each of await readdir(all)) if (each !== name) await rm(join(all, each), { recursive: true })
  await syncFolder(all)
}

/** Segments and ledgers never go and never shrink: where one did, the copy that still has it must not be replaced. */
async function assertWhole(all: string, copied: readonly CopiedFile[]): Promise<void> {
  const former = await newestIn(all)
  const sizes = new Map(copied.map(({ path, size }) => [path, size]))
  const lost = former?.files.find(
    ({ path, size }) => !isKey(path) && !isSigning(path) && (sizes.get(path) ?? -1) < size,
  )
  if (lost)
    throw new Error(
      `the keystore lacks what ${lost.path} has in ${former?.folder}: restore them from there first`,
    )
}

/**
 * Restores key slots that a keys folder lacks. An existing keystore is newer than its copy and stays, so no erased
 * key returns.
 */
export async function restoreSlots(target: string, keys: string): Promise<void> {
  const newest = await newestIn(join(target, SLOTS))
  if (!newest) return
  const { folder: from, files } = newest
  await restoreLedger(newest, keys)
  const missing = files.filter(({ path }) => !isLedger(path) && !existsSync(join(keys, path)))
  for (const file of missing.filter(({ path }) => isSigning(path)))
    await copyVerified(join(from, file.path), join(keys, file.path), file)
  const absent = missing.filter(({ path }) => !isSigning(path))
  const there = existsSync(join(keys, SLOTS)) ? await readdir(join(keys, SLOTS)) : []
  const isWhole = there.some(isKey) && absent.every(({ path }) => isKey(path))
  if (isWhole) return
  // Slots first: they are useless without the key versions that open them.
  for (const file of absent.toSorted((a, b) => Number(isKey(a.path)) - Number(isKey(b.path))))
    await copyVerified(join(from, file.path), join(keys, file.path), file)
}

/** Restores missing parts of the destruction ledger. Its files only grow, so the longer copy of each wins. */
async function restoreLedger({ folder, files }: SlotsCopy, keys: string): Promise<void> {
  for (const file of files.filter(({ path }) => isLedger(path))) {
    const path = join(keys, file.path)
    const there = existsSync(path) ? (await stat(path)).size : -1
    if (there >= file.size) continue
    await rm(path, { force: true })
    await copyVerified(join(folder, file.path), path, file)
  }
}

interface SlotsCopy {
  folder: string
  files: CopiedFile[]
}

/** The newest whole copy of a keystore. */
async function newestIn(all: string): Promise<SlotsCopy | undefined> {
  const names = existsSync(all) ? (await readdir(all)).toSorted() : []
  const name = names.findLast((each) => existsSync(join(all, each, LIST)))
  if (name === undefined) return undefined
  const folder = join(all, name)
  return { folder, files: JSON.parse(await readFile(join(folder, LIST), 'utf8')) as CopiedFile[] }
}
