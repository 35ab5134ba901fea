import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

// The newest checkpoints outside the database. A person who can change the database cannot shorten the log unnoticed.

const getFolder = (dataDir: string): string => join(dataDir, 'checkpoints')
const getPath = (dataDir: string, client: string): string => join(getFolder(dataDir), `${client}.txt`)

/** The newest checkpoint of a client that this data folder holds; undefined: none. */
export const readHeld = (dataDir: string, client: string): Promise<string | undefined> =>
  readFile(getPath(dataDir, client), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

/** Holds a checkpoint of a client instead of the former one. */
export async function writeHeld(dataDir: string, client: string, checkpoint: string): Promise<void> {
  await mkdir(getFolder(dataDir), { recursive: true, mode: 0o700 })
  const part = `${getPath(dataDir, client)}.${process.pid}.part`
  await writeFile(part, checkpoint, { mode: 0o600, flush: true })
  await rename(part, getPath(dataDir, client))
}

/** Forgets the checkpoints: a restored database may have shorter logs. */
export const removeHeld = (dataDir: string): Promise<void> =>
  rm(getFolder(dataDir), { recursive: true, force: true })
