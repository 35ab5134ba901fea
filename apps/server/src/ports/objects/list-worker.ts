/**
 * Walks the folders of a store in its own thread, because several file system calls per object would block a
 * serving process.
 */
import { opendirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { errorCode, type ListAnswer, type ListQuestion, objectEntry } from './filesystem-layout.ts'
import type { ListedObject } from './port.ts'
import { encodeSegment } from './port.ts'

/** Objects per response; the thread looks for the next ones after these were taken. */
const BATCH = 2000
/** Entries of a folder read at a time. */
const ENTRIES = 512

const { root, prefix } = workerData as ListQuestion
const above = prefix.split('/').slice(0, -1)
const walking = batches(walk(join(root, 'objects', ...above.map(encodeSegment)), above))

parentPort?.on('message', () => parentPort?.postMessage(next()))

function next(): ListAnswer {
  try {
    const { done, value } = walking.next()
    return { objects: done ? [] : value }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return { problem: (error as Error).message }
  }
}

function* batches(objects: Iterable<ListedObject>): Generator<ListedObject[], void> {
  let batch: ListedObject[] = []
  for (const object of objects) {
    if (batch.push(object) < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Skips a concurrently deleted folder or file. */
function* walk(folder: string, segments: readonly string[]): Generator<ListedObject, void> {
  const entries = unless(['ENOENT', 'ENOTDIR'], () => opendirSync(folder, { bufferSize: ENTRIES }))
  if (!entries) return
  try {
    for (let entry = entries.readSync(); entry; entry = entries.readSync()) {
      const { segment, isObject } = objectEntry(entry) ?? {}
      if (segment === undefined) continue
      const key = segments.length === 0 ? segment : `${segments.join('/')}/${segment}`
      const path = `${folder}/${entry.name}`
      if (isObject && key.startsWith(prefix)) {
        const found = statSync(path, { throwIfNoEntry: false })
        if (found) yield { key, size: found.size, modified_at: Math.floor(found.mtimeMs / 1000) }
      }
      if (!isObject && (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`)))
        yield* walk(path, [...segments, segment])
    }
  } finally {
    entries.closeSync()
  }
}

function unless<T>(codes: string[], operation: () => T): T | undefined {
  try {
    return operation()
  } catch (error) {
    if (codes.includes(errorCode(error) ?? '')) return undefined
    throw error
  }
}
