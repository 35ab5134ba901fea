import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../ports/sync-folder.ts'

/** A copied file as a manifest names it: `path` relative to the copied folder, `sha256` in hex, of the bytes that were copied. */
export interface CopiedFile {
  path: string
  size: number
  sha256: string
}

const CHUNK = 1 << 20

/**
 * Copies a file that may change meanwhile, as far as it reaches, and makes the copy durable. The target must not exist.
 * Throws what the file system says.
 */
export async function copyFile(from: string, to: string): Promise<Omit<CopiedFile, 'path'>> {
  const source = await open(from, 'r')
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    const target = await open(to, 'wx', 0o600)
    try {
      const hash = createHash('sha256')
      const buffer = Buffer.allocUnsafe(CHUNK)
      let size = 0
      for (;;) {
        const { bytesRead } = await source.read(buffer, 0, CHUNK, size)
        if (bytesRead === 0) break
        const chunk = buffer.subarray(0, bytesRead)
        hash.update(chunk)
        await target.writeFile(chunk)
        size += bytesRead
      }
      await target.sync()
      return { size, sha256: hash.digest('hex') }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

/** Copies a file of a backup; throws when it is not what the manifest says. */
export async function copyVerified(
  from: string,
  to: string,
  { path, size, sha256 }: CopiedFile,
): Promise<void> {
  const copied = await copyFile(from, to)
  if (copied.size !== size || copied.sha256 !== sha256)
    throw new Error(`the backup is damaged: ${path} is not what its manifest says`)
}

/** Writes a small file durably; the target must not exist. */
export async function writeDurably(path: string, content: string): Promise<Omit<CopiedFile, 'path'>> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, content, { flag: 'wx', mode: 0o600, flush: true })
  await syncFolder(dirname(path))
  return { size: Buffer.byteLength(content), sha256: createHash('sha256').update(content).digest('hex') }
}

/** Size and digest of a file. */
export async function digestOf(path: string): Promise<Omit<CopiedFile, 'path'>> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    size += chunk.length
  }
  return { size, sha256: hash.digest('hex') }
}
