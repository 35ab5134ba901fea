import { createHash, randomBytes } from 'node:crypto'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { insertCode } from './store.ts'

/** Seconds for which a code may be sent. */
export const CODE_SECONDS = 3600
/** Five bits each: 130 bits. */
const CODE_LENGTH = 26
/** Crockford's base 32: no letter that could be taken for another one. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** What a code verifies. */
export interface VerificationRequest {
  device_id: number
  /** Epoch seconds. */
  now: number
}

/**
 * A code that the device is to send as a text message to the gateway's number. Whoever reports it, with the number that it came from,
 * proves that number; only its SHA-256 is stored. Within the client's tenant. Problem: not_found for a device that is not the client's.
 */
export async function issueVerification(tx: Tx, { device_id, now }: VerificationRequest): Promise<string> {
  const code = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte & 31]).join('')
  if (!(await insertCode(tx, hashOfCode(code), { device_id, expires_at: now + CODE_SECONDS })))
    throw new Problem('not_found', { detail: 'no such device' })
  return code
}

/** How a code is stored and looked up; message gateways may change case and add space. */
export const hashOfCode = (code: string): Buffer =>
  createHash('sha256').update(code.replaceAll(/\s/g, '').toUpperCase()).digest()
