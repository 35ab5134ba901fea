import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { syncFolder, syncFoldersAbove } from '../sync-folder.ts'
import { type KeyContext, KeysUnavailable, type Signature, type VerificationKey } from './port.ts'

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

/** The signing keys, within the keys folder. */
export const SIGNING = 'signing'

/** One key pair: `sealed` is the private key, until the next key exists. */
interface SigningFile extends VerificationKey {
  sealed?: string
}

/** Seals private keys, and seals them again under another master key (undefined when current). */
interface KeySealer {
  seal(plaintext: Buffer, context: KeyContext): Promise<Buffer>
  open(blob: Buffer, context: KeyContext): Promise<Buffer>
  reseal(blob: Buffer, context: KeyContext): Promise<Buffer | undefined>
}

/** The name of a public key: the first 32 digits of the SHA-256 of its SPKI. */
export const getKeyId = (publicKey: KeyObject): string =>
  createHash('sha256')
    .update(publicKey.export({ format: 'der', type: 'spki' }))
    .digest('hex')
    .slice(0, 32)

/**
 * Ed25519 key pairs as files `signing/<number>.json`: the newest signs; the others keep only the public key.
 */
export function signingKeys(folder: string, { seal, open, reseal }: KeySealer, now: () => number) {
  const getPath = (number: number) => join(folder, `${String(number).padStart(6, '0')}.json`)

  async function load(number: number): Promise<SigningFile> {
    const content = await readDurably(getPath(number))
    if (!content) throw new KeysUnavailable(`${getPath(number)} is missing`)
    return JSON.parse(content.toString()) as SigningFile
  }

  async function make(number: number): Promise<void> {
    const file = await newPair(seal, now())
    // Another process was faster, and its key wins.
    await publishFile(getPath(number), Buffer.from(JSON.stringify(file)))
  }

  async function newest(): Promise<SigningFile & { sealed: string }> {
    const last = (await numbersIn(folder)).at(-1)
    if (last === undefined) await make(1)
    const file = await load(last ?? 1)
    if (file.sealed === undefined)
      throw new KeysUnavailable(`the newest key in ${folder} has no private part`)
    return { ...file, sealed: file.sealed }
  }

  async function openNewest(): Promise<{ key_id: string; privateKey: KeyObject }> {
    const { key_id, sealed, public_key_pem } = await newest()
    const der = await open(Buffer.from(sealed, 'base64'), getContext(key_id))
    const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    der.fill(0)
    // With an exchanged public key no certificate would verify.
    if (getKeyId(createPublicKey(privateKey)) !== getKeyId(createPublicKey(public_key_pem)))
      throw new KeysUnavailable(`key ${key_id} in ${folder} is not a pair`)
    return { key_id, privateKey }
  }

  /** Identifies the newest file and its content; undefined: there is none yet. */
  async function getStamp(): Promise<string | undefined> {
    const last = (await numbersIn(folder)).at(-1)
    if (last === undefined) return undefined
    const { ino, size, mtimeMs } = await stat(getPath(last))
    return [last, ino, size, mtimeMs].join(' ')
  }

  /** The key that signed last, with its file: each batch of the sealed log is signed. */
  let kept: { stamp: string; key: Awaited<ReturnType<typeof openNewest>> } | undefined

  return {
    /** Signs with the newest key; makes the first one. */
    async sign(bytes: Buffer): Promise<Signature> {
      const stamp = await getStamp()
      const key = kept !== undefined && kept.stamp === stamp ? kept.key : await openNewest()
      kept = stamp === undefined ? undefined : { stamp, key }
      return { key_id: key.key_id, signature: sign(null, bytes, key.privateKey) }
    },
    /** Every signing key, oldest first. */
    async list(): Promise<VerificationKey[]> {
      if ((await numbersIn(folder)).length === 0) await make(1)
      const files = await Promise.all((await numbersIn(folder)).map(load))
      return files.map(({ key_id, public_key_pem, made_at }) => ({ key_id, public_key_pem, made_at }))
    },
    /** Makes a new signing key and deletes the private parts of the former ones. Resolves to its name. */
    async rotate(): Promise<string> {
      const former = await numbersIn(folder)
      const next = (former.at(-1) ?? 0) + 1
      await make(next)
      for (const number of former) {
        const { sealed, ...file } = await load(number)
        if (sealed !== undefined) await replaceFile(getPath(number), Buffer.from(JSON.stringify(file)))
      }
      return (await load(next)).key_id
    },
    /** Seals under the newest master key; resolves to the number of changed files. */
    async reseal(): Promise<number> {
      let count = 0
      for (const number of await numbersIn(folder)) {
        const { sealed, ...file } = await load(number)
        if (sealed === undefined) continue
        const again = await reseal(Buffer.from(sealed, 'base64'), getContext(file.key_id))
        if (!again) continue
        const content = { ...file, sealed: again.toString('base64') }
        await replaceFile(getPath(number), Buffer.from(JSON.stringify(content)))
        count++
      }
      return count
    },
  }
}

const getContext = (key_id: string): KeyContext => ({ client: '', purpose: 'signing_key', reference: key_id })

/** The numbers of the key pairs in the folder, oldest first. */
async function numbersIn(folder: string): Promise<number[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names
    .flatMap((name) => Number(/^(\d{6})\.json$/.exec(name)?.[1] ?? 0) || [])
    .toSorted((a, b) => a - b)
}

async function newPair(seal: KeySealer['seal'], made_at: number): Promise<SigningFile> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const key_id = getKeyId(publicKey)
  const der = privateKey.export({ format: 'der', type: 'pkcs8' })
  const file: SigningFile = {
    key_id,
    public_key_pem: publicKey.export({ format: 'pem', type: 'spki' }).toString(),
    made_at,
    sealed: (await seal(der, getContext(key_id))).toString('base64'),
  }
  der.fill(0)
  return file
}
