import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'

/** Makes the data folder and tries whether it can be written to. Throws the system's error, which names the folder. */
export async function assertWritable(folder: string): Promise<void> {
  // Others may pass through to the embedded database's own folder; everything else in it is closed to them.
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const probe = join(folder, `.written-${process.pid}`)
  await writeFile(probe, '')
  await rm(probe)
}

/** Tries whether the server will be able to listen, before anything is started or changed for it. Throws the system's error. */
export async function assertFree({ host, port }: { host: string; port: number }): Promise<void> {
  const server = createServer()
  server.listen({ host, port, exclusive: true })
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}
