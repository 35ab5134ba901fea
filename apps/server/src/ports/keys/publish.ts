import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rename, rm, unlink, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder, syncFoldersAbove } from '../sync-folder.ts'

/**
 * Writes a small file durably under a new name: whole or not at all, readable only by us. False when the name
 * is taken, also by another process; `readDurably` verifies that file.
 */
export async function publishFile(path: string, content: Uint8Array): Promise<boolean> {
  const folder = dirname(path)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const part = `${path}.${randomUUID()}.part`
  try {
    await writeFile(part, content, { flag: 'wx', mode: 0o600, flush: true })
    await link(part, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  } finally {
    await unlink(part).catch(() => {})
  }
  await syncFolder(folder)
  await syncFoldersAbove(folder)
  return true
}

/**
 * The content of a file, once file and name are durable; undefined when missing. Its writer may have crashed
 * before the sync, and dependent data must not outlive it.
 */
export async function readDurably(path: string): Promise<Buffer | undefined> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (!file) return undefined
  try {
    const content = await file.readFile()
    // Windows syncs only writable files.
    if (process.platform !== 'win32') await file.sync()
    await syncFolder(dirname(path))
    await syncFoldersAbove(dirname(path))
    return content
  } finally {
    await file.close()
  }
}

/** The content of a file, or undefined when there is none. */
export async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Replaces a small file durably: a reader finds the whole old or the whole new content. */
export async function replaceFile(path: string, content: Uint8Array): Promise<void> {
  const part = `${path}.${randomUUID()}.part`
  await writeFile(part, content, { flag: 'wx', mode: 0o600, flush: true })
  await rename(part, path)
  await syncFolder(dirname(path))
}

/** Removes a file durably; one that is not there is no fault. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true })
  await syncFolder(dirname(path))
}
