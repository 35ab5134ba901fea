import {
  createCipheriv,
  createDecipheriv,
  type KeyObject,
  privateDecrypt,
  publicEncrypt,
  randomBytes,
  scryptSync,
} from 'node:crypto'
import { mkdir, readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { SLOTS } from '../ports/keys/local-file.ts'
import { publishFile } from '../ports/keys/signing.ts'

/** scrypt with 128 MiB: a guess costs about half a second. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 << 20 }
const TAG = 16

/** The recipient of an escrow: a passphrase, or a public RSA key whose private half opens it. */
export type Sealer = { passphrase: string } | { recipient: KeyObject }
export type Decryptor = { passphrase: string } | { private_key: KeyObject }

/** Head of an escrow; all of it is authenticated. */
interface Head {
  format: 'custodia-escrow-1'
  made_at: number
  files: number
  /** Salt of the passphrase, or the key as the recipient opens it; base64. */
  salt?: string
  wrapped_key?: string
  iv: string
}

/** A keys folder without its keystore of slots: paths and contents (base64). */
type Files = Record<string, string>

/**
 * Seals the keys folder without the key slots into one text for storage elsewhere: paper, a vault, another server. An
 * escrow with a passphrase is opened once as a check. Throws when the folder holds no master key.
 */
export async function sealEscrow(folder: string, sealer: Sealer, now: number): Promise<string> {
  const files = await readFolder(folder)
  if (!Object.keys(files).some((path) => path.startsWith('master-')))
    throw new Error(`${folder} holds no master key`)
  const salt = randomBytes(16)
  const key = 'passphrase' in sealer ? stretch(sealer.passphrase, salt) : randomBytes(32)
  const head: Head = {
    format: 'custodia-escrow-1',
    made_at: now,
    files: Object.keys(files).length,
    ...('passphrase' in sealer
      ? { salt: salt.toString('base64') }
      : {
          wrapped_key: publicEncrypt({ key: sealer.recipient, oaepHash: 'sha256' }, key).toString('base64'),
        }),
    iv: randomBytes(12).toString('base64'),
  }
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.from(head.iv, 'base64'))
  cipher.setAAD(Buffer.from(JSON.stringify(head)))
  const sealed = Buffer.concat([cipher.update(JSON.stringify(files)), cipher.final(), cipher.getAuthTag()])
  const text = `${JSON.stringify({ head, sealed: sealed.toString('base64') })}\n`
  if ('passphrase' in sealer) openEscrow(text, sealer)
  return text
}

/** Opens an escrow. Throws when it was altered, or sealed for another recipient. */
export function openEscrow(text: string, decryptor: Decryptor): { files: Files; made_at: number } {
  const { head, sealed } = JSON.parse(text) as { head: Head; sealed: string }
  if (head.format !== 'custodia-escrow-1') throw new Error('this is no escrow of this release')
  const blob = Buffer.from(sealed, 'base64')
  try {
    const decipher = createDecipheriv(
      'aes-256-gcm',
      getKey(head, decryptor),
      Buffer.from(head.iv, 'base64'),
      {
        authTagLength: TAG,
      },
    )
    decipher.setAAD(Buffer.from(JSON.stringify(head)))
    decipher.setAuthTag(blob.subarray(-TAG))
    const opened = Buffer.concat([decipher.update(blob.subarray(0, -TAG)), decipher.final()])
    return { files: JSON.parse(opened.toString()) as Files, made_at: head.made_at }
  } catch (cause) {
    throw new Error('the escrow does not open: it was altered, or sealed for another passphrase or key', {
      cause,
    })
  }
}

/** Puts the keys of an escrow into an empty folder. */
export async function importEscrow(text: string, decryptor: Decryptor, folder: string): Promise<number> {
  const { files } = openEscrow(text, decryptor)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  if ((await readdir(folder)).length > 0)
    throw new Error(`${folder} is not empty: keys are never overwritten`)
  // The master keys last: a folder that was filled half refuses to start.
  const paths = Object.keys(files).toSorted(
    (a, b) => Number(a.startsWith('master-')) - Number(b.startsWith('master-')),
  )
  for (const path of paths) {
    if (path.split('/').includes('..') || path.startsWith('/')) throw new Error(`the escrow names ${path}`)
    await publishFile(join(folder, path), Buffer.from(files[path] ?? '', 'base64'))
  }
  return paths.length
}

async function readFolder(folder: string): Promise<Files> {
  const files: Files = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    // An escrow is kept for years, so it must not contain erasable keys.
    if (relative(folder, path).startsWith(SLOTS + sep)) continue
    if (entry.isFile() && !path.endsWith('.part'))
      files[relative(folder, path)] = (await readFile(path)).toString('base64')
  }
  return files
}

function getKey({ salt, wrapped_key }: Head, decryptor: Decryptor): Buffer {
  if ('passphrase' in decryptor) return stretch(decryptor.passphrase, Buffer.from(salt ?? '', 'base64'))
  return privateDecrypt(
    { key: decryptor.private_key, oaepHash: 'sha256' },
    Buffer.from(wrapped_key ?? '', 'base64'),
  )
}

const stretch = (passphrase: string, salt: Buffer): Buffer =>
  scryptSync(passphrase.normalize('NFKC'), salt, 32, SCRYPT)
