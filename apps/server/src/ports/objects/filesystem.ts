import { createSecretKey, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, open, opendir, rmdir, stat, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { syncFolder, syncFoldersAbove } from '../sync-folder.ts'
import {
  checkContent,
  consume,
  dropPart,
  ensureDurableFile,
  publish,
  readHandle,
  readUpTo,
  writePart,
} from './filesystem-commit.ts'
import {
  foldersUpTo,
  listFiles,
  objectPath,
  onDisk,
  partsFolder,
  syncFolders,
  unless,
} from './filesystem-layout.ts'
import { openPacks, PACKED_UP_TO, type Packs } from './packs.ts'
import { assertPrefix, ObjectNotFound, type ObjectStore } from './port.ts'
import {
  receiveUpload,
  signUploadToken,
  type UploadAddresses,
  type VerifiedUpload,
  verifyUploadToken,
} from './receive-upload.ts'

/**
 * Runs work for each item, with limited concurrency. Rejects with the first error after all running work has
 * ended.
 */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: width }, worker))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

type FilesystemConfig = UploadAddresses & {
  /** Folder of the store; made when missing. It must be on one file system. */
  root: string
  /** Public address for devices, such as `https://portal.example`, without a trailing slash. */
  base_url: string
}

export type FilesystemObjectStore = ObjectStore & {
  readonly kind: 'filesystem'
  /** What the token of an upload address permits. Throws UploadForbidden. */
  verifyUpload(token: string): VerifiedUpload
  /**
   * Receives the body of a PUT to an upload address; `content_length` from the request. Throws ContentMismatch,
   * ObjectExists (other content) or ObjectStoreUnavailable. The same content again succeeds, because the device
   * may have missed the response. After an error, respond and close the connection: the body may be half read.
   */
  receiveUpload(
    upload: VerifiedUpload,
    body: AsyncIterable<Uint8Array>,
    content_length: number | undefined,
  ): Promise<void>
}

/** Objects deleted at a time. */
const DELETED_AT_ONCE = 16

/**
 * Small objects packed into shared files (`openPacks`), larger ones as files. A file is written and synced under a
 * temporary name, then linked to its own, so an object appears whole or not at all. A failed fsync is never
 * retried, because the kernel may have dropped the dirty pages. Several processes may share the folder.
 */
export function filesystemStore(config: FilesystemConfig): FilesystemObjectStore {
  const folders = getFolders(resolve(config.root))
  const { root, parts, sync, durableRoot } = folders
  const hasFile = (key: string) => existsSync(objectPath(root, key))
  const packs = openPacks({ root, sync, durableRoot, hasFile })
  // A key object is made once, and not for each signature.
  const secret = createSecretKey(config.upload_secret)
  const store: FilesystemObjectStore = {
    kind: 'filesystem',
    ...getReads(root, packs),
    ...getWrites(folders, packs),
    ...getMaintenance(parts, packs),

    async uploadAddress(upload) {
      objectPath(root, upload.key)
      const token = signUploadToken(secret, upload)
      return { url: `${config.base_url}/device/v1/uploads/${token}`, headers: {} }
    },

    verifyUpload: (token) => verifyUploadToken(secret, token, config.now()),
    receiveUpload: (upload, body, content_length) =>
      receiveUpload(store, config.take, upload, body, content_length),
  }
  return store
}

/** The folders of a store, and how names in them become durable. */
function getFolders(root: string) {
  const top = join(root, 'objects')
  const sync = sharedSyncs()
  // The root may be as new as its content.
  let rootDurable: Promise<void> | undefined
  async function durableRoot(): Promise<void> {
    rootDurable ??= mkdir(root, { recursive: true, mode: 0o700 }).then(() => syncFoldersAbove(root))
    await rootDurable.catch((error: unknown) => {
      rootDurable = undefined
      throw error
    })
  }

  return {
    root,
    top,
    parts: partsFolder(root),
    // Within this process; between processes link() decides, and the process that finds an object makes it
    // durable.
    inTurn: mutex(),
    sync,
    settle: settledFolders({ root, top }, sync),
    durableRoot,
  }
}

function getReads(root: string, packs: Packs): Pick<ObjectStore, 'read' | 'head' | 'list'> {
  return {
    async *read(key, range, into) {
      const path = objectPath(root, key)
      const { start, end } = range ?? { start: 0, end: Infinity }
      if (!(start >= 0 && end >= start)) throw new RangeError(`impossible range ${start}-${end}`)
      const packed = await packs.read(key, { start, end }, into)
      if (packed) {
        if (packed.length > 0) yield packed
        return
      }
      const handle = await onDisk(() => unless(['ENOENT', 'ENOTDIR'], () => open(path, 'r')))
      if (!handle) throw new ObjectNotFound(key)
      try {
        yield* readHandle(handle, { start, end }, into)
      } finally {
        await handle.close()
      }
    },

    async head(key) {
      const path = objectPath(root, key)
      const found = packs.find(key) ?? (await onDisk(() => unless(['ENOENT', 'ENOTDIR'], () => stat(path))))
      return found && { size: found.size }
    },

    async *list(prefix) {
      assertPrefix(prefix)
      for (const { key, size, modified_at } of packs.list(prefix)) yield { key, size, modified_at }
      yield* listFiles(root, prefix)
    },
  }
}

function getWrites(
  { root, top, parts, inTurn, sync, settle, durableRoot }: ReturnType<typeof getFolders>,
  packs: Packs,
): Pick<ObjectStore, 'put' | 'ensureDurable' | 'delete'> {
  async function putFile(key: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
    const part = join(parts, `${randomUUID()}.part`)
    try {
      await writePart(part, chunks)
      await inTurn(key, () =>
        onDisk(async () => {
          await durableRoot()
          await publish(part, objectPath(root, key), settle, key, () => packs.isPacked(key))
        }),
      )
    } finally {
      await dropPart(part)
    }
  }

  return {
    async put(key, source, expect) {
      objectPath(root, key)
      const content = checkContent(source, expect)
      const read = await readUpTo(content.chunks, PACKED_UP_TO)
      await ('whole' in read ? onDisk(() => packs.put(key, read.whole)) : putFile(key, read.chunks))
      return content.result()
    },

    async ensureDurable(key, expect) {
      const path = objectPath(root, key)
      return inTurn(key, async () => {
        const packed = await packs.read(key, { start: 0, end: Infinity })
        if (packed) {
          if (expect) await consume(checkContent(Readable.from([packed]), expect).chunks)
          return packs.ensureDurable(key)
        }
        await onDisk(durableRoot)
        return ensureDurableFile(path, { root, sync }, expect)
      })
    },

    async delete(...keys) {
      const paths = new Map(keys.map((key) => [key, objectPath(root, key)]))
      const files = keys.filter((key) => !packs.find(key) || existsSync(objectPath(root, key)))
      await onDisk(() => packs.remove(keys))
      const changed = new Set<string>()
      await inParallel(files, DELETED_AT_ONCE, (key) =>
        inTurn(key, async () => {
          const path = paths.get(key) ?? ''
          await onDisk(() => unless(['ENOENT', 'ENOTDIR'], () => unlink(path)))
          let folder = dirname(path)
          // Removes empty folders too; concurrent puts make them again. Those right below the top stay
          // (`settledFolders`).
          while (dirname(folder) !== top && folder !== top && (await removeIfEmpty(folder)))
            folder = dirname(folder)
          changed.add(folder)
        }),
      )
      // Syncs each folder once, because syncs take the time.
      await inParallel([...changed], DELETED_AT_ONCE, (folder) =>
        onDisk(() => unless(['ENOENT'], () => syncFolders(folder, top, sync))),
      )
    },
  }
}

/** Remains of interrupted writes, and whether the folder works. */
function getMaintenance(parts: string, packs: Packs): Pick<ObjectStore, 'sweep' | 'leftovers' | 'health'> {
  return {
    async sweep(before) {
      let swept = await packs.sweep(before)
      for await (const path of leftParts(parts, before)) {
        await onDisk(() => unless(['ENOENT'], () => unlink(path)))
        swept++
      }
      return swept
    },

    async leftovers(before) {
      let left = packs.leftovers(before)
      for await (const _ of leftParts(parts, before)) left++
      return left
    },

    async health() {
      // A damaged index fails.
      packs.find('health')
      const probe = join(parts, `${randomUUID()}.part`)
      try {
        await writePart(
          probe,
          (async function* () {
            yield Buffer.from('probe')
          })(),
        )
      } finally {
        await dropPart(probe)
      }
    },
  }
}

async function removeIfEmpty(folder: string): Promise<boolean> {
  return (await unless(['ENOTEMPTY', 'EEXIST', 'ENOENT'], () => rmdir(folder).then(() => true))) ?? false
}

/** Parts without a write since `before`. */
async function* leftParts(parts: string, before: number): AsyncGenerator<string> {
  const entries = await onDisk(() => unless(['ENOENT'], () => opendir(parts)))
  if (!entries) return
  for await (const entry of entries) {
    const path = join(parts, entry.name)
    const found = entry.name.endsWith('.part') && (await unless(['ENOENT'], () => stat(path)))
    if (found && found.mtimeMs < before * 1000) yield path
  }
}

/** Serializes work with the same key in the order of the calls, within this process. */
function mutex(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<void>>()
  return (key, work) => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work)
    const over = mine.then(
      () => undefined,
      () => undefined,
    )
    last.set(key, over)
    void over.then(() => {
      if (last.get(key) === over) last.delete(key)
    })
    return mine
  }
}

/**
 * Makes a new name in a folder durable, with the folders above it up to `root`. Those of `top` and directly
 * below are never removed, so each process syncs them once, because even a sync without changes waits for the
 * disk.
 */
function settledFolders(
  { root, top }: { root: string; top: string },
  sync: (folder: string) => Promise<void>,
): (folder: string) => Promise<void> {
  /** Folders whose names are durable. */
  const settled = new Set<string>()
  return async (folder) => {
    const folders = foldersUpTo(folder, root)
    await Promise.all(folders.filter((_, i) => !settled.has(folders[i - 1] ?? '')).map(sync))
    for (const each of folders) if (each === top || dirname(each) === top) settled.add(each)
  }
}

interface Turn {
  /** Never rejects. */
  over: Promise<void>
  next?: Promise<void>
}

/**
 * Makes names in folders durable. Callers during a sync of a folder share the next one, because the current
 * one may have begun before their names existed. All callers of a failed sync fail.
 */
function sharedSyncs(sync = syncFolder): (folder: string) => Promise<void> {
  const mutex = new Map<string, Turn>()

  function begin(folder: string): Promise<void> {
    const done = sync(folder)
    const over = done.then(
      () => undefined,
      () => undefined,
    )
    const turn: Turn = { over }
    mutex.set(folder, turn)
    void over.then(() => {
      if (!turn.next) mutex.delete(folder)
    })
    return done
  }

  return (folder) => {
    const turn = mutex.get(folder)
    if (!turn) return begin(folder)
    turn.next ??= turn.over.then(() => begin(folder))
    return turn.next
  }
}
