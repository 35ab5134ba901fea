import { randomUUID } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Announcement, LogEntry, PayloadType } from '@custodia/contract'
import type { DeviceKeyPair } from '@custodia/envelope'

/** Why the phone stopped sending a payload. Its copy is kept: a person or a later version of the app must look. */
export type RefusalReason = 'payload_conflict' | 'invalid_announcement' | 'local_copy_lost' | 'failed'

/** One payload on its way. Everything in it is sealed: it may lie on the phone's disk. */
export interface QueueEntry {
  announcement: Announcement
  /** `queued`: to be announced and uploaded. `uploaded`: the server has the bytes and checks them. `refused`: stopped. */
  state: 'queued' | 'uploaded' | 'refused'
  /** How often its data was sent, or refused on arrival. */
  sends: number
  refusal?: RefusalReason
  /** What the server said about the last failure. */
  reason?: string
  /** Its place among the recordings of its type. */
  place?: Place
}

/** The place of the newest recording of a type, and the digest that the next one names. */
export interface Place {
  seq: number
  /** SHA-256 of the sealed metadata, hexadecimal. */
  hash: string
}

/** The numbering of an installation, and its newest place of each type. */
export interface Numbering {
  chain_id: string
  places: Partial<Record<PayloadType, Place>>
}

/** The account's public key as the server gave it. */
export interface AccountKey {
  key_id: string
  kek: string
  client: string
  /** Epoch seconds. */
  read_at: number
}

/** Where a phone keeps its logs, as slips in the order in which they were added. */
export interface LogStore {
  addLogs(logs: readonly LogEntry[]): Promise<void>
  /** Names of the slips, the oldest first; without those that were set aside. */
  logSlips(): Promise<string[]>
  readLogs(slip: string): Promise<LogEntry[]>
  removeLogs(slip: string): Promise<void>
  /** Keeps a slip, and leaves it out from now on. */
  quarantineLogs(slip: string): Promise<void>
}

/**
 * Where a phone keeps what it has not handed over yet. Every write is durable when it resolves, and whole or absent after a crash.
 * `folder-store.ts` is the real one; `memory-store.ts` serves tests and load generators.
 */
export interface PhoneStore extends LogStore {
  entries(): Promise<QueueEntry[]>
  /** Adds or replaces the entry of its payload_reference. */
  putEntry(entry: QueueEntry): Promise<void>
  removeEntry(payload_reference: string): Promise<void>
  /** Replaces what was there. */
  writeSealed(payload_reference: string, chunks: AsyncIterable<Uint8Array>): Promise<void>
  /** Undefined when there is none. */
  readSealed(payload_reference: string): Promise<Blob | undefined>
  removeSealed(payload_reference: string): Promise<void>
  sealedReferences(): Promise<string[]>
  /** Undefined: nothing was recorded since the installation. */
  readNumbering(): Promise<Numbering | undefined>
  writeNumbering(numbering: Numbering): Promise<void>
  readKey(): Promise<AccountKey | undefined>
  writeKey(key: AccountKey): Promise<void>
  /** The phone's own key pair, by which it is known for ever. On a real phone the private half stays in the keystore. */
  readDeviceKey(): Promise<DeviceKeyPair | undefined>
  writeDeviceKey(pair: DeviceKeyPair): Promise<void>
}

const ENTRY = '.json'
const SEALED = '.sealed'
const PART = '.part'
const REFUSED = '.refused'
/** Digits of the names of slips: by name they are in order. */
const DIGITS = 12

/**
 * A store in a folder of its own, for one process: `queue/<payload_reference>.json` is the journal, one file per entry;
 * `sealed/<payload_reference>.sealed` the sealed data; `logs/<number>.json` the logs that were kept together; `numbering.json` the
 * newest numbers; `key.json` the account's public key; `device-key.json` the phone's own pair. Each file is written under another name,
 * synced and renamed, and its folder synced, so that a crash leaves the old content or the new one.
 */
export async function folderStore(folder: string): Promise<PhoneStore> {
  const queue = join(folder, 'queue')
  const sealed = join(folder, 'sealed')
  const keyFile = join(folder, 'key.json')
  const deviceKeyFile = join(folder, 'device-key.json')
  const logs = join(folder, 'logs')
  const numberingFile = join(folder, 'numbering.json')
  for (const each of [queue, sealed, logs]) await mkdir(each, { recursive: true, mode: 0o700 })
  for (const each of [folder, queue, sealed, logs]) await removeParts(each)
  const slips = [...(await namesIn(logs, ENTRY)), ...(await namesIn(logs, REFUSED))]
  let lastSlip = Math.max(0, ...slips.map(Number))
  const entryFile = (reference: string) => join(queue, `${reference}${ENTRY}`)
  const sealedFile = (reference: string) => join(sealed, `${reference}${SEALED}`)
  const slipFile = (slip: string) => join(logs, `${slip}${ENTRY}`)
  return {
    addLogs: (entries) => writeJson(slipFile(String(++lastSlip).padStart(DIGITS, '0')), entries),
    logSlips: async () => (await namesIn(logs, ENTRY)).toSorted(),
    readLogs: async (slip) => ((await readJson(slipFile(slip))) ?? []) as LogEntry[],
    removeLogs: (slip) => remove(slipFile(slip)),
    async quarantineLogs(slip) {
      await rename(slipFile(slip), join(logs, `${slip}${REFUSED}`))
      await syncFolder(logs)
    },
    async entries() {
      const references = await namesIn(queue, ENTRY)
      return Promise.all(references.map(async (each) => (await readJson(entryFile(each))) as QueueEntry))
    },
    putEntry: (entry) => writeJson(entryFile(entry.announcement.payload_reference), entry),
    removeEntry: (reference) => remove(entryFile(reference)),
    writeSealed: (reference, chunks) => replace(sealedFile(reference), chunks),
    async readSealed(reference) {
      return openAsBlob(sealedFile(reference)).catch(() => undefined)
    },
    removeSealed: (reference) => remove(sealedFile(reference)),
    sealedReferences: () => namesIn(sealed, SEALED),
    async readNumbering() {
      return (await readJson(numberingFile)) as Numbering | undefined
    },
    writeNumbering: (numbering) => writeJson(numberingFile, numbering),
    async readKey() {
      return (await readJson(keyFile)) as AccountKey | undefined
    },
    writeKey: (key) => writeJson(keyFile, key),
    async readDeviceKey() {
      return (await readJson(deviceKeyFile)) as DeviceKeyPair | undefined
    },
    writeDeviceKey: (pair) => writeJson(deviceKeyFile, pair),
  }
}

async function namesIn(folder: string, suffix: string): Promise<string[]> {
  const names = await readdir(folder)
  return names.filter((name) => name.endsWith(suffix)).map((name) => name.slice(0, -suffix.length))
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  return text === undefined ? undefined : JSON.parse(text)
}

async function writeJson(path: string, value: unknown): Promise<void> {
  await replace(path, [Buffer.from(JSON.stringify(value))])
}

async function replace(
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const part = `${path}.${randomUUID()}${PART}`
  const handle = await open(part, 'wx', 0o600)
  try {
    try {
      for await (const chunk of chunks) await handle.writeFile(chunk)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
  await syncFolder(dirname(path))
}

async function remove(path: string): Promise<void> {
  await rm(path, { force: true })
  await syncFolder(dirname(path))
}

async function syncFolder(folder: string): Promise<void> {
  // Windows has no way to sync a folder, and refuses to open one.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** What writes interrupted by a crash left behind. */
async function removeParts(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith(PART)) await rm(join(folder, name), { force: true })
  }
}

/** A store that forgets with its process. `pair`: the phone's key, where it was known before. */
export function memoryStore(pair?: DeviceKeyPair): PhoneStore {
  const entries = new Map<string, QueueEntry>()
  const sealed = new Map<string, Blob>()
  const logs = new Map<string, readonly LogEntry[]>()
  let lastSlip = 0
  let key: AccountKey | undefined
  let own = pair
  let numbering: Numbering | undefined
  return {
    addLogs: async (entries) => void logs.set(String(++lastSlip), structuredClone(entries)),
    logSlips: async () => [...logs.keys()],
    readLogs: async (slip) => [...(logs.get(slip) ?? [])],
    removeLogs: async (slip) => void logs.delete(slip),
    quarantineLogs: async (slip) => void logs.delete(slip),
    entries: async () => structuredClone([...entries.values()]),
    putEntry: async (entry) => void entries.set(entry.announcement.payload_reference, structuredClone(entry)),
    removeEntry: async (reference) => void entries.delete(reference),
    async writeSealed(reference, chunks) {
      const copies: Uint8Array<ArrayBuffer>[] = []
      for await (const chunk of chunks) copies.push(Uint8Array.from(chunk))
      sealed.set(reference, new Blob(copies))
    },
    readSealed: async (reference) => sealed.get(reference),
    removeSealed: async (reference) => void sealed.delete(reference),
    sealedReferences: async () => [...sealed.keys()],
    readNumbering: async () => structuredClone(numbering),
    async writeNumbering(value) {
      numbering = structuredClone(value)
    },
    readKey: async () => key,
    writeKey: async (value) => {
      key = value
    },
    readDeviceKey: async () => own,
    writeDeviceKey: async (value) => {
      own = value
    },
  }
}
