import { open } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Makes new and removed names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows cannot sync a folder, and refuses to open one.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

// Folders without permission or sync support existed before us.
const ignoredCodes = ['EACCES', 'EPERM', 'EINVAL']

/** Makes the name of a folder durable, and those of all folders above it, which may be equally new. */
export async function syncFoldersAbove(folder: string): Promise<void> {
  for (let at = folder; at !== dirname(at);) {
    at = dirname(at)
    await syncFolder(at).catch((error: NodeJS.ErrnoException) => {
      if (!ignoredCodes.includes(error.code ?? '')) throw error
    })
  }
}
