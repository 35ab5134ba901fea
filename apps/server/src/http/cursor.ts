import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, randomFillSync } from 'node:crypto'
import { Problem } from './problem.ts'

const CIPHER = 'aes-256-gcm'
const NONCE = 12
const TAG = 16
/** Nonces drawn at a time. */
const NONCES = 256
/** Keys are padded to a multiple of this, in bytes, because their length would reveal the digits of an id. */
const STEP = 32

/**
 * Seals and reads `last_key`s. Each is bound to one list, so that no caller can walk a list by guessing, and
 * sealed, because its ids count over all clients and would reveal how much the others record.
 */
export interface Cursors {
  seal(list: string, key: readonly (string | number)[]): string
  /** Throws Problem `invalid_cursor`. */
  open(list: string, last_key: string): (string | number)[]
}

/** `list` names the call, the client and all that a key must not be used across. */
export function makeCursors(secret: Buffer): Cursors {
  // The key is imported once and nonces are drawn in bulk, because every page seals a key: a third of the
  // cost.
  const key = createSecretKey(Buffer.from(hkdfSync('sha256', secret, '', 'custodia cursor 2', 32)))
  const nonces = Buffer.alloc(NONCE * NONCES)
  let used = nonces.length
  function drawNonce(): Buffer {
    if (used === nonces.length) {
      randomFillSync(nonces)
      used = 0
    }
    used += NONCE
    return nonces.subarray(used - NONCE, used)
  }

  return {
    seal(list, place) {
      const body = Buffer.from(JSON.stringify(place))
      // JSON ignores trailing spaces.
      const filled = Buffer.alloc(Math.ceil(body.length / STEP) * STEP, ' ')
      body.copy(filled)
      const nonce = drawNonce()
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(list))
      const sealed = cipher.update(filled)
      // A stream cipher has no rest at its end.
      cipher.final()
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')
    },
    open(list, last_key) {
      const bytes = Buffer.from(last_key, 'base64url')
      if (bytes.length < NONCE + TAG) throw new Problem('invalid_cursor')
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG })
        .setAAD(Buffer.from(list))
        .setAuthTag(bytes.subarray(-TAG))
      try {
        const body = Buffer.concat([decipher.update(bytes.subarray(NONCE, -TAG)), decipher.final()])
        return JSON.parse(body.toString()) as (string | number)[]
      } catch {
        throw new Problem('invalid_cursor')
      }
    },
  }
}
