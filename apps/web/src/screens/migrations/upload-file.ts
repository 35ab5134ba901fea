import { MIGRATION_PART, type MigrationFile } from '@custodia/contract'
import { migrationsApi } from '../../api/transfers-api.ts'

/** Maximum bytes of a file sent with its digest; the browser holds such a file in memory. */
const DIGESTED = 64 * 1024 ** 2
/** Started uploads of this browser by target, with size and modification time to detect another file of that name. */
const BEGUN = 'custodia.migration-upload '

/**
 * Uploads a file to the drop folder in parts; resumes an upload of this browser.
 * @param onProgress uploaded bytes
 */
export async function uploadFile(
  file: File,
  filename: string,
  onProgress: (bytes: number) => void,
): Promise<MigrationFile> {
  const { size } = file
  const kept = BEGUN + filename
  const mark = `${size} ${file.lastModified}`
  let offset = localStorage.getItem(kept) === mark ? await receivedOf(filename, size) : 0
  localStorage.setItem(kept, mark)
  const sha256 = size <= DIGESTED ? await digestOf(file) : undefined
  for (;;) {
    onProgress(offset)
    const end = Math.min(offset + MIGRATION_PART, size)
    const content = base64(new Uint8Array(await file.slice(offset, end).arrayBuffer()))
    const there = await migrationsApi.uploadMigrationFile({
      query: {},
      body: { filename, size, offset, content, ...(sha256 && { sha256 }) },
    })
    if (there.is_whole) {
      localStorage.removeItem(kept)
      onProgress(size)
      return there
    }
    offset = there.received
  }
}

/** Uploaded bytes; a complete file is uploaded again from zero. */
async function receivedOf(filename: string, size: number): Promise<number> {
  const { data } = await migrationsApi.listMigrationFiles({ query: { search: filename } })
  const part = data.find((each) => each.filename === filename && !each.is_whole)
  return part && part.received < size ? part.received : 0
}

async function digestOf(file: File): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer())
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** One part of an upload. */
function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}
