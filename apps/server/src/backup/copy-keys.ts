import { mkdir, readdir } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { LEDGER, SLOTS } from '../ports/keys/local-file.ts'
import { copyFile, type CopiedFile } from './copy-file.ts'

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
