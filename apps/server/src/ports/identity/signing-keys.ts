import { createHash, createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import type { Database } from '../database/pool.ts'
import type { KeyContext, KeyProvider } from '../keys/port.ts'

/** An RSA key pair that signs tokens with RS256. */
export interface SigningKey {
  kid: string
  privateKey: KeyObject
  publicKey: KeyObject
}

const generate = promisify(generateKeyPair)

/**
 * The named key pair: the first process that needs it makes it, and all share it. The database stores it
 * wrapped by the key provider.
 */
export async function signingKey(
  db: Database,
  keys: KeyProvider,
  name: string,
  now: number,
): Promise<SigningKey> {
  const context = signingKeyContext(name)
  const wrapped = (await findKey(db, name)) ?? (await makeKey())
  const der = await keys.unwrap(wrapped, context)
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  der.fill(0)
  const publicKey = createPublicKey(privateKey)
  const digest = createHash('sha256').update(publicKey.export({ format: 'der', type: 'spki' }))
  return { kid: digest.digest('base64url').slice(0, 16), privateKey, publicKey }

  async function makeKey(): Promise<Buffer> {
    const pair = await generate('rsa', { modulusLength: 2048 })
    const wrapped_key = await keys.wrap(pair.privateKey.export({ format: 'der', type: 'pkcs8' }), context)
    await db.globalWrite((tx) =>
      tx.query('insert into signing_keys values ($1, $2, $3) on conflict do nothing', [
        name,
        wrapped_key,
        now,
      ]),
    )
    // Another process may have been first; its key wins.
    const stored = await findKey(db, name)
    if (!stored) throw new Error(`signing key ${name} was not stored`)
    return stored
  }
}

function findKey(db: Database, name: string): Promise<Buffer | undefined> {
  return db.global((q) => q.value<Buffer>('select wrapped_key from signing_keys where name = $1', [name]))
}

/** Context of a wrapped signing key. */
export const signingKeyContext = (name: string): KeyContext => ({
  client: '',
  purpose: 'signing_key',
  reference: name,
})
