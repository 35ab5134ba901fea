import { opendir } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from './disk.ts'
import { assertObjectKey, decodeSegment, encodeSegment } from './key.ts'

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

/** Keys that start with `prefix`, folder by folder; a folder that vanishes meanwhile is skipped. */
export async function* walkKeys(root: string, prefix: string): AsyncGenerator<{ key: string; path: string }> {
  const above = prefix.split('/').slice(0, -1)
  yield* walkFolder(join(root, 'objects', ...above.map(encodeSegment)), above, prefix)
}

async function* walkFolder(
  folder: string,
  above: string[],
  prefix: string,
): AsyncGenerator<{ key: string; path: string }> {
  const entries = await unless(['ENOENT', 'ENOTDIR'], () => opendir(folder))
  if (!entries) return
  for await (const entry of entries) {
    const file = entry.isFile() && entry.name.endsWith(ending)
    const segment = decodeSegment(file ? entry.name.slice(0, -ending.length) : entry.name)
    if (segment === undefined) continue
    const key = [...above, segment].join('/')
    const path = join(folder, entry.name)
    if (file && key.startsWith(prefix)) yield { key, path }
    if (entry.isDirectory() && (`${key}/`.startsWith(prefix) || prefix.startsWith(`${key}/`))) {
      yield* walkFolder(path, [...above, segment], prefix)
    }
  }
}
