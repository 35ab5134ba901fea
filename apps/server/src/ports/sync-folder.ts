import { open } from 'node:fs/promises'

/** Makes new and removed names in a folder durable. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows has no way to sync a folder, and refuses to open one.
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
