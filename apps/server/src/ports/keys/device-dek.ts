import { randomBytes } from 'node:crypto'
import { unwrapSecret, wrapSecret } from '@custodia/envelope'
import { deviceDekContext } from './contexts.ts'
import { CiphertextRefused, type KeyProvider } from './port.ts'

/** The owner of a data key. */
interface Owner {
  client: string
  payload_reference: string
}

/** A stored data key that a device wrapped. */
export interface KeptDeviceDek {
  /** Sealed with the key in the slot, or, without a slot, as announced. */
  encrypted_dek: Buffer
  /** Name of the slot. Null: a row from before slots. */
  dek_key: Buffer | null
}

/**
 * Seals the data key that a device wrapped under a key in a slot, so that no table, log or backup has what
 * the devices' private key opens. Durable when resolved.
 */
export async function keepDeviceDek(
  keys: Pick<KeyProvider, 'put'>,
  owner: Owner,
  encrypted_dek: string,
): Promise<KeptDeviceDek & { dek_key: Buffer }> {
  const key = randomBytes(32)
  try {
    const sealed = wrapSecret(key, Buffer.from(encrypted_dek, 'base64'), getAad(owner))
    const dek_key = await keys.put(key, deviceDekContext(owner.client, owner.payload_reference))
    return { encrypted_dek: sealed, dek_key }
  } finally {
    key.fill(0)
  }
}

/** The data key as its device announced it. Throws KeyUnknown or CiphertextRefused. */
export async function readDeviceDek(
  keys: Pick<KeyProvider, 'unwrap'>,
  { client, payload_reference, encrypted_dek, dek_key }: Owner & KeptDeviceDek,
): Promise<string> {
  if (!dek_key) return encrypted_dek.toString('base64')
  const key = await keys.unwrap(dek_key, deviceDekContext(client, payload_reference))
  try {
    return unwrapSecret(key, encrypted_dek, getAad({ client, payload_reference })).toString('base64')
  } catch (error) {
    throw new CiphertextRefused('the data key of the device cannot be opened', { cause: error })
  } finally {
    key.fill(0)
  }
}

/** The data key of a row, opened with the private key. Throws KeyUnknown or CiphertextRefused. */
export const openDeviceDek = async (
  keys: Pick<KeyProvider, 'unwrap' | 'unwrapDeviceDek'>,
  kept: Owner & KeptDeviceDek & { key_id: string },
): Promise<Buffer> => keys.unwrapDeviceDek(kept.key_id, await readDeviceDek(keys, kept))

const getAad = ({ client, payload_reference }: Owner): Buffer =>
  Buffer.from(JSON.stringify([client, 'device_dek', payload_reference]))
