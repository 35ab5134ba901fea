import { dirname } from 'node:path'
import { foldersUpTo } from './disk.ts'

/**
 * Makes a new name in a folder durable, with the names of the folders above it up to `root`. Those of `top` and of the folders in it are
 * never removed again, so each process makes them durable once: one of them holds every object of a client, and a sync of a folder in which
 * nothing changed still waits for the disk.
 */
export function settledFolders(
  { root, top }: { root: string; top: string },
  sync: (folder: string) => Promise<void>,
): (folder: string) => Promise<void> {
  /** Folders whose own names are durable for good. */
  const settled = new Set<string>()
  return async (folder) => {
    const folders = foldersUpTo(folder, root)
    await Promise.all(folders.filter((_, i) => !settled.has(folders[i - 1] ?? '')).map(sync))
    for (const each of folders) if (each === top || dirname(each) === top) settled.add(each)
  }
}
