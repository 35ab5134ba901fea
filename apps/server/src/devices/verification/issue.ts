import { createHash, randomBytes } from 'node:crypto'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { insertCode } from './store.ts'

/** Lifetime of a code in seconds. */
export const CODE_SECONDS = 3600
/** Five bits each: 130 bits. */
const CODE_LENGTH = 26
/** Crockford's base 32 has no ambiguous letters. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

export interface VerificationRequest {
  device_id: number
  /** Epoch seconds. */
  now: number
}

/**
 * Issues a code that the device sends to the gateway's number; the gateway's report proves the sender's number. Stores
 * only the SHA-256. Problem: not_found.
 */
export async function issueVerification(tx: Tx, { device_id, now }: VerificationRequest): Promise<string> {
  const code = Array.from(randomBytes(CODE_LENGTH), (byte) => ALPHABET[byte & 31]).join('')
  if (!(await insertCode(tx, hashOfCode(code), { device_id, expires_at: now + CODE_SECONDS })))
    throw new Problem('not_found', { detail: 'no such device' })
  return code
}

/** Normalises and hashes a code; message gateways may change case and add spaces. */
export const hashOfCode = (code: string): Buffer =>
  createHash('sha256').update(code.replaceAll(/\s/g, '').toUpperCase()).digest()
