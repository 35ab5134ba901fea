import type { Dirent } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { assertObjectKey, decodeSegment, encodeSegment } from './key.ts'
import { type Listed, ObjectStoreUnavailable } from './port.ts'

// Escaped segments hold no dot, so a file can never be taken for a folder: `a` and `a/b` may both be objects.
const ending = '.data'

/** Where an object lies: one folder per segment below `objects/`. */
export function objectPath(root: string, key: string): string {
  assertObjectKey(key)
  return `${join(root, 'objects', ...key.split('/').map(encodeSegment))}${ending}`
}

/** Where bytes are written before they are published; on the same file system as the objects, so that link() works. */
export function partsFolder(root: string): string {
  return join(root, 'parts')
}

/** What an entry of a folder stands for: an object, or a segment of keys; undefined for a stranger's file. */
export function objectEntry(entry: Dirent): { segment: string; isObject: boolean } | undefined {
  const isObject = entry.isFile() && entry.name.endsWith(ending)
  if (!isObject && !entry.isDirectory()) return undefined
  const segment = decodeSegment(isObject ? entry.name.slice(0, -ending.length) : entry.name)
  return segment === undefined ? undefined : { segment, isObject }
}

/** What the thread that lists is told, and what it answers each time it is asked; no objects: that was all. */
export interface ListQuestion {
  root: string
  prefix: string
}
export type ListAnswer = { objects: Listed[] } | { problem: string }

/** Objects whose key starts with `prefix`, folder by folder, walked by a thread. Throws ObjectStoreUnavailable. */
export async function* listFiles(root: string, prefix: string): AsyncGenerator<Listed> {
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
      // Looked for while these are passed on.
      answer = ask()
      answer.catch(() => undefined)
      yield* batch.objects
    }
  } finally {
    worker.removeAllListeners()
    await worker.terminate()
  }
}
