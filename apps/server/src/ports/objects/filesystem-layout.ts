import type { Dirent } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import {
  assertObjectKey,
  decodeSegment,
  encodeSegment,
  type ListedObject,
  ObjectStoreUnavailable,
} from './port.ts'

/** Runs a file operation; system errors (ENOSPC, EIO, EACCES, …) become ObjectStoreUnavailable. */
export async function onDisk<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation()
  } catch (error) {
    throw errorCode(error)
      ? new ObjectStoreUnavailable(`disk: ${(error as Error).message}`, { cause: error })
      : error
  }
}

/** The system's code of an error, such as ENOENT; undefined for other errors. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'errno' in error && 'code' in error ? error.code : undefined
  return typeof code === 'string' ? code : undefined
}

/** `operation`, or undefined when it fails with one of `codes`. */
export async function unless<T>(codes: string[], operation: () => Promise<T>): Promise<T | undefined> {
  try {
    return await operation()
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}

/**
 * Makes new and removed names durable in every folder from `folder` up to `top`, by `sync`: POSIX syncs one
 * folder at a time.
 */
export async function syncFolders(
  folder: string,
  top: string,
  sync: (folder: string) => Promise<void>,
): Promise<void> {
  await Promise.all(foldersUpTo(folder, top).map(sync))
}

/** A folder and its parents up to `top`. */
export function foldersUpTo(folder: string, top: string): string[] {
  const folders = [folder]
  for (let next = folder; next !== top && next.length > top.length;) folders.push((next = dirname(next)))
  return folders
}

// Escaped segments contain no dot, so files and folders never collide: `a` and `a/b` may both be objects.
const ending = '.data'

/** The path of an object: one folder per segment below `objects/`. */
export function objectPath(root: string, key: string): string {
  assertObjectKey(key)
  return `${join(root, 'objects', ...key.split('/').map(encodeSegment))}${ending}`
}

/** The folder of unpublished parts; on the same file system as the objects, so that link() works. */
export function partsFolder(root: string): string {
  return join(root, 'parts')
}

/** The meaning of a folder entry: an object, or a key segment; undefined for a foreign file. */
export function objectEntry(entry: Dirent): { segment: string; isObject: boolean } | undefined {
  const isObject = entry.isFile() && entry.name.endsWith(ending)
  if (!isObject && !entry.isDirectory()) return undefined
  const segment = decodeSegment(isObject ? entry.name.slice(0, -ending.length) : entry.name)
  return segment === undefined ? undefined : { segment, isObject }
}

/** A request to the listing thread and its response; no objects: the end of the list. */
export interface ListQuestion {
  root: string
  prefix: string
}
export type ListAnswer = { objects: ListedObject[] } | { problem: string }

/**
 * Lists objects whose key starts with `prefix`. A thread walks the folders, except below two folders, where a
 * payload has few objects and starting a thread would take longer. Throws ObjectStoreUnavailable.
 */
export async function* listFiles(root: string, prefix: string): AsyncGenerator<ListedObject> {
  const segments = prefix.split('/').slice(0, -1)
  if (segments.length > 1 && prefix.endsWith('/'))
    return yield* listFolder(join(root, 'objects', ...segments.map(encodeSegment)), segments)
  const workerData: ListQuestion = { root, prefix }
  const worker = new Worker(new URL('./list-worker.ts', import.meta.url), { workerData })
  const ask = () =>
    new Promise<ListAnswer>((resolve, reject) => {
      worker.removeAllListeners()
      worker.once('message', resolve).once('error', reject)
      worker.once('exit', (code) => reject(new Error(`the thread that lists objects ended with ${code}`)))
      worker.postMessage('next')
    })
  try {
    for (let answer = ask(); ;) {
      const batch = await answer
      if ('problem' in batch) throw new ObjectStoreUnavailable(`disk: ${batch.problem}`)
      if (batch.objects.length === 0) return
      // The thread searches while these are passed on.
      answer = ask()
      answer.catch(() => undefined)
      yield* batch.objects
    }
  } finally {
    worker.removeAllListeners()
    await worker.terminate()
  }
}

/** Objects below a folder; skips concurrently deleted ones. */
async function* listFolder(folder: string, segments: readonly string[]): AsyncGenerator<ListedObject> {
  const entries = await onDisk(() =>
    unless(['ENOENT', 'ENOTDIR'], () => readdir(folder, { withFileTypes: true })),
  )
  for (const entry of entries ?? []) {
    const { segment, isObject } = objectEntry(entry) ?? {}
    if (segment === undefined) continue
    const path = join(folder, entry.name)
    if (!isObject) yield* listFolder(path, [...segments, segment])
    else {
      const found = await onDisk(() => unless(['ENOENT'], () => stat(path)))
      const key = [...segments, segment].join('/')
      if (found) yield { key, size: found.size, modified_at: Math.floor(found.mtimeMs / 1000) }
    }
  }
}
