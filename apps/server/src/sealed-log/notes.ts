import { createPublicKey, hash, verify } from 'node:crypto'
import {
  type Checkpoint,
  formatKey,
  type NoteKey,
  openNote,
  getOrigin,
  parseCheckpoint,
  type Sha256,
  type VerifyEd25519,
} from '@custodia/sealed-log'
import type { KeyProvider } from '../ports/keys/port.ts'

export { getOrigin }

/** SHA-256 of Node. */
export const sha256: Sha256 = (bytes) => hash('sha256', bytes, 'buffer')

/** The keys that sign checkpoints of a client, by the name that the key provider gives them. */
export async function noteKeys(
  keys: Pick<KeyProvider, 'verificationKeys'>,
  client: string,
): Promise<Map<string, NoteKey>> {
  const listed = await keys.verificationKeys()
  return new Map(
    listed.map(({ key_id, public_key_pem }) => {
      const der = createPublicKey(public_key_pem).export({ format: 'der', type: 'spki' })
      return [key_id, { name: getOrigin(client), algorithm: 'Ed25519', public_key: der.subarray(-32) }]
    }),
  )
}

/** The keys of a client's log as text, oldest first. */
export const keyTexts = (keys: ReadonlyMap<string, NoteKey>): string[] =>
  [...keys.values()].map((key) => formatKey(sha256, key))

/** DER of a public Ed25519 key, before its 32 bytes. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex')

/** Ed25519 of Node. */
export const verifyEd25519: VerifyEd25519 = (public_key, message, signature) =>
  verify(
    null,
    message,
    createPublicKey({ key: Buffer.concat([SPKI, public_key]), format: 'der', type: 'spki' }),
    signature,
  )

/** The checkpoint of a note that one of the keys signed. */
export function openCheckpoint(note: string, keys: readonly NoteKey[]): Checkpoint | undefined {
  const text = openNote(sha256, verifyEd25519, note, keys)
  return text === undefined ? undefined : parseCheckpoint(text)
}
