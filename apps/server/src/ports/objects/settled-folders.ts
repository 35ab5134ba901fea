import { dirname } from 'node:path'
import { foldersUpTo } from './disk.ts'

/**
 * Makes a new name in a folder durable, with the folders above it up to `root`. Those of `top` and directly
 * below are never removed, so each process syncs them once, because even a sync without changes waits for the
 * disk.
 */
export function settledFolders(
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
