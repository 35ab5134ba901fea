import { MIGRATION_PART, type MigrationFile } from '@custodia/contract'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { migrationsApi } from '../../api/transfers-api.ts'

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
  let offset = localStorage.getItem(kept) === mark ? await getReceived(filename, size) : 0
  localStorage.setItem(kept, mark)
  const digest = await getDigest(file)
  for (;;) {
    onProgress(offset)
    const end = Math.min(offset + MIGRATION_PART, size)
    const content = base64(new Uint8Array(await file.slice(offset, end).arrayBuffer()))
    const there = await migrationsApi.uploadMigrationFile({
      query: {},
      body: { filename, size, offset, content, sha256: digest },
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
async function getReceived(filename: string, size: number): Promise<number> {
  const { data } = await migrationsApi.listMigrationFiles({ query: { search: filename } })
  const part = data.find((each) => each.filename === filename && !each.is_whole)
  return part && part.received < size ? part.received : 0
}

/** With it the server notices parts of another file of that name. The browser's own digest would need the whole file in memory. */
async function getDigest(file: File): Promise<string> {
  const hash = sha256.create()
  for (let at = 0; at < file.size; at += MIGRATION_PART)
    hash.update(new Uint8Array(await file.slice(at, at + MIGRATION_PART).arrayBuffer()))
  return bytesToHex(hash.digest())
}

/** One part of an upload. */
function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 0x8000)
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000))
  return btoa(text)
}
