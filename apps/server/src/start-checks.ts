import { lookup } from 'node:dns/promises'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { BoundSocket } from 'node:net'
import { join } from 'node:path'

/** Makes the data folder and tries whether it can be written to. Throws the system's error, which names the folder. */
export async function assertWritable(folder: string): Promise<void> {
  // Others may pass through to the embedded database's own folder; everything else in it is closed to them.
  await mkdir(folder, { recursive: true, mode: 0o711 })
  const probe = join(folder, `.written-${process.pid}`)
  await writeFile(probe, '')
  await rm(probe)
}

/** Takes the port of the API before anything is started or changed for it. Throws the system's error. */
export async function bindSocket({ host, port }: { host: string; port: number }): Promise<BoundSocket> {
  const { address } = await lookup(host, { order: 'ipv4first' })
  return new BoundSocket({ host: address, port })
}
