import { dirname } from 'node:path'
import { ObjectStoreUnavailable } from './port.ts'

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
