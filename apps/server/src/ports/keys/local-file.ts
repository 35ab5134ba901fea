import { createPrivateKey, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { EnvelopeError, newKeyPair, unwrapDek, unwrapSecret, wrapSecret } from '@custodia/envelope'
import { cacheEntry } from '../cache.ts'
import { ledgerFiles } from './ledger/files.ts'
import { type MasterKeys, masterKeys } from './master-keys.ts'
import { CiphertextRefused, type KeyContext, type KeyProvider, KeysUnavailable, KeyUnknown } from './port.ts'
import {
  publishFile,
  readDurably,
  readIfThere,
  removeFile,
  replaceFile,
  SIGNING,
  signingKeys,
} from './signing.ts'
import { type KeyVersions, versionedKeys } from './slots/key-versions.ts'
import { keystore, missing, roll, unnamed, unwiped } from './slots/keystore.ts'
import { isSlotName } from './slots/layout.ts'

/** The keystore of slots, within the keys folder. */
export const SLOTS = 'slots'

/** The ledger of destructions, within the keys folder. */
export const LEDGER = 'destructions'

const mostOpenKeys = 1000

export interface LocalFileConfig {
  folder: string
  /**
   * Whether data outside the folder was sealed before, so that an empty folder is a lost one and not a new
   * one.
   */
  isInUse?: () => Promise<boolean>
}

type KekFile = { client: string; sealed: string }

export type LocalKeyProvider = KeyProvider & {
  readonly kind: 'local_file'
  /**
   * Makes a new master key for sealing; resolves to its version. Other running processes follow within ten
   * seconds.
   */
  rotate(): Promise<number>
  /** Existing versions of the master key, oldest first. */
  versions(): Promise<number[]>
  /** Seals a blob again that an older master key sealed; undefined for current ones. Throws like `unwrap`. */
  rewrap(blob: Buffer, context: KeyContext): Promise<Buffer | undefined>
  /** Moves the key of a `wrap` blob into a slot; undefined when it is in one. Throws like `unwrap`. */
  move(blob: Buffer, context: KeyContext): Promise<Buffer | undefined>
  /**
   * The same for the folder's own files: device keys, named secrets, signing keys and key versions. Resolves
   * to the number of changed files.
   */
  rewrapFiles(): Promise<number>
  /** Makes a new signing key; resolves to its name. The former ones only verify. */
  rotateSigning(): Promise<string>
  /** Destroys an old master key. The caller makes sure that no data needs it. */
  retire(version: number): Promise<void>
}

/**
 * Keys in a folder: plain master keys (mode 0600: protect and back up the folder apart from the database),
 * and under them sealed device keys, named secrets and key versions of the keystore. Several processes may
 * share the folder.
 */
export function localFileKeys(config: LocalFileConfig): LocalKeyProvider {
  const folder = resolve(config.folder)
  const masters = masterKeys(folder, config.isInUse)
  const sealing = {
    seal: (plaintext: Buffer, context: KeyContext) => seal(masters, plaintext, context),
    open: (blob: Buffer, context: KeyContext) => open(masters, blob, context),
    reseal: (blob: Buffer, context: KeyContext) => rewrap(masters, blob, context),
  }
  const keyVersions = versionedKeys(join(folder, SLOTS), sealing, now)
  const signing = signingKeys(join(folder, SIGNING), sealing, now)
  return {
    kind: 'local_file',
    ...kekStore(folder, masters),
    ...slotKeys(join(folder, SLOTS), masters, keyVersions),
    ...namedSecrets(folder, masters),

    ledger: ledgerFiles(join(folder, LEDGER)),

    sign: (bytes) => onDisk(() => signing.sign(bytes)),
    verificationKeys: () => onDisk(() => signing.list()),
    rotateSigning: () => onDisk(() => signing.rotate()),

    rotate: () => onDisk(() => masters.rotate()),
    versions: () => onDisk(() => masters.versions()),
    retire: (version) => onDisk(() => masters.retire(version)),
    rewrap: (blob, context) =>
      onDisk(async () => (isSlotName(blob) ? undefined : rewrap(masters, blob, context))),
    rewrapFiles: () =>
      onDisk(async () => (await rewrapFiles(folder, masters, keyVersions)) + (await signing.reseal())),

    health: () => onDisk(async () => void (await masters.newest())),
  }
}

/** The private keys of devices, which open what devices seal. */
function kekStore(
  folder: string,
  masters: MasterKeys,
): Pick<KeyProvider, 'createKek' | 'unwrapDeviceDek' | 'removeKeks'> {
  const kekPath = (key_id: string) => join(folder, 'device', `${key_id}.json`)
  const openKeys = new Map<string, KeyObject>()
  /** A key that was being read while it was removed must not stay in memory. */
  const removedKeys = new Set<string>()

  async function openKek(key_id: string): Promise<KeyObject> {
    const open = openKeys.get(key_id) ?? (await readKek(key_id))
    if (removedKeys.has(key_id)) throw new KeyUnknown('the device key was removed')
    cacheEntry(openKeys, key_id, open, mostOpenKeys)
    return open
  }

  async function readKek(key_id: string): Promise<KeyObject> {
    // The id comes from a device and becomes a file name.
    const file = /^[0-9a-f-]{36}$/.test(key_id) && (await readIfThere(kekPath(key_id)))
    if (!file) throw new KeyUnknown(`no device key ${JSON.stringify(key_id.slice(0, 60))}`)
    const { client, sealed } = JSON.parse(file.toString()) as KekFile
    const der = await open(masters, Buffer.from(sealed, 'base64'), kekContext(client, key_id))
    return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  }

  return {
    async createKek(client) {
      const key_id = randomUUID()
      const { publicKeyPem, privateKey } = await newKeyPair()
      const der = privateKey.export({ format: 'der', type: 'pkcs8' })
      await onDisk(async () => {
        const sealed = await seal(masters, der, kekContext(client, key_id))
        const file: KekFile = { client, sealed: sealed.toString('base64') }
        await publishFile(kekPath(key_id), Buffer.from(JSON.stringify(file)))
      })
      der.fill(0)
      return { key_id, public_key_pem: publicKeyPem }
    },

    unwrapDeviceDek: (key_id, encrypted_dek) =>
      onDisk(async () => refusing(unwrapDek(await openKek(key_id), encrypted_dek))),

    removeKeks: (key_ids) =>
      onDisk(async () => {
        for (const key_id of key_ids) {
          removedKeys.add(key_id)
          openKeys.delete(key_id)
          await removeFile(kekPath(key_id))
        }
      }),
  }
}

/** Blobs sealed under the master key, and keys in slots, which can be forgotten. */
function slotKeys(
  folder: string,
  masters: MasterKeys,
  keyVersions: KeyVersions,
): Pick<
  LocalKeyProvider,
  | 'wrap'
  | 'unwrap'
  | 'put'
  | 'forget'
  | 'move'
  | 'missing'
  | 'unwiped'
  | 'unnamed'
  | 'keyVersionsMadeAt'
  | 'roll'
> {
  const slots = keystore(folder, keyVersions, now)
  return {
    wrap: (plaintext, context) => onDisk(() => seal(masters, plaintext, context)),
    unwrap: (blob, context) =>
      onDisk(() => (isSlotName(blob) ? slots.open(blob, context) : open(masters, blob, context))),

    put: (dek, context) => onDisk(() => slots.put(dek, context)),
    forget: (names) => onDisk(() => slots.forget(names.filter(isSlotName))),
    move: (blob, context) =>
      onDisk(async () => {
        if (isSlotName(blob)) return undefined
        const dek = await open(masters, blob, context)
        return slots.put(dek, context).finally(() => dek.fill(0))
      }),
    missing: (names) => onDisk(() => missing(folder, keyVersions, names.filter(isSlotName))),
    unwiped: () => onDisk(() => unwiped(folder)),
    unnamed: (isNamed, before) => onDisk(() => unnamed(folder, isNamed, before)),
    keyVersionsMadeAt: () =>
      onDisk(async () => Promise.all((await keyVersions.list()).map((epoch) => keyVersions.madeAt(epoch)))),
    roll: (settle) => onDisk(() => roll(folder, keyVersions, settle)),
  }
}

/** Secrets that every process of the installation shares. */
function namedSecrets(folder: string, masters: MasterKeys): Pick<KeyProvider, 'namedSecret'> {
  const secrets = new Map<string, Promise<Buffer>>()

  async function loadOrMakeSecret(name: string): Promise<Buffer> {
    if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(name)) throw new RangeError(`not a name of a secret: ${name}`)
    const path = join(folder, 'secrets', `${name}.key`)
    const context = getSecret(name)
    const there = await readDurably(path)
    if (there) return open(masters, there, context)
    await publishFile(path, await seal(masters, randomBytes(32), context))
    return open(masters, (await readDurably(path)) ?? Buffer.alloc(0), context)
  }

  return {
    async namedSecret(name) {
      const secret = secrets.get(name) ?? onDisk(() => loadOrMakeSecret(name))
      secrets.set(name, secret)
      secret.catch(() => secrets.delete(name))
      return Buffer.from(await secret)
    },
  }
}

/** The blob under the newest master key; undefined when it is current. */
async function rewrap(masters: MasterKeys, blob: Buffer, context: KeyContext): Promise<Buffer | undefined> {
  const { version } = await masters.newest()
  if (blob.length >= 5 && blob.readUInt32BE(1) === version) return undefined
  const secret = await open(masters, blob, context)
  const sealed = await seal(masters, secret, context)
  secret.fill(0)
  return sealed
}

async function rewrapFiles(folder: string, masters: MasterKeys, keyVersions: KeyVersions): Promise<number> {
  let count = await keyVersions.reseal()
  const replace = async (path: string, content: Buffer | undefined) => {
    if (!content) return
    await replaceFile(path, content)
    count++
  }
  for (const name of await namesIn(join(folder, 'device'), '.json')) {
    const path = join(folder, 'device', name)
    const { client, sealed } = JSON.parse((await readFile(path)).toString()) as KekFile
    const context = kekContext(client, name.slice(0, -'.json'.length))
    const again = await rewrap(masters, Buffer.from(sealed, 'base64'), context)
    await replace(path, again && Buffer.from(JSON.stringify({ client, sealed: again.toString('base64') })))
  }
  for (const name of await namesIn(join(folder, 'secrets'), '.key')) {
    const path = join(folder, 'secrets', name)
    await replace(path, await rewrap(masters, await readFile(path), getSecret(name.slice(0, -'.key'.length))))
  }
  return count
}

async function namesIn(folder: string, ending: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  return names.filter((name) => name.endsWith(ending))
}

const now = () => Math.floor(Date.now() / 1000)

const getSecret = (name: string): KeyContext => ({ client: '', purpose: 'named_secret', reference: name })

const kekContext = (client: string, key_id: string): KeyContext => ({
  client,
  purpose: 'kek',
  reference: key_id,
})

/** Format byte 1, the master key's version (4 bytes, big endian), then the envelope's blob. */
async function seal(masters: MasterKeys, plaintext: Buffer, context: KeyContext): Promise<Buffer> {
  const { version, key } = await masters.newest()
  const head = Buffer.alloc(5, 1)
  head.writeUInt32BE(version, 1)
  return Buffer.concat([head, wrapSecret(key, plaintext, place(context))])
}

async function open(masters: MasterKeys, blob: Buffer, context: KeyContext): Promise<Buffer> {
  if (blob.length < 5 || blob[0] !== 1) throw new CiphertextRefused('not a blob of this key provider')
  const key = await masters.version(blob.readUInt32BE(1))
  return refusing((async () => unwrapSecret(key, blob.subarray(5), place(context)))())
}

/** The authenticated context of a blob; a JSON array, so that no two contexts are equal. */
function place({ client, purpose, reference }: KeyContext): Buffer {
  return Buffer.from(JSON.stringify([client, purpose, reference]))
}

async function refusing<T>(opening: Promise<T>): Promise<T> {
  try {
    return await opening
  } catch (error) {
    if (!(error instanceof EnvelopeError)) throw error
    throw new CiphertextRefused(error.message, { cause: error })
  }
}

/** Turns system errors (EACCES, EIO, ENOSPC, …) into KeysUnavailable. */
async function onDisk<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation()
  } catch (error) {
    if (!(error instanceof Error && 'errno' in error)) throw error
    throw new KeysUnavailable(`keys: ${error.message}`, { cause: error })
  }
}
