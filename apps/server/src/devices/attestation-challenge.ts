import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { KeyProvider } from '../ports/keys/port.ts'

/** Seconds in which a device creates its key and authenticates with it. */
export const CHALLENGE_SECONDS = 3600
const [TIME_BYTES, RANDOM_BYTES, MAC_BYTES] = [8, 16, 32]

/**
 * Makes the challenge that a keystore attests together with a new key. The server stores none; times in epoch seconds.
 */
export async function makeChallenge(
  keys: Pick<KeyProvider, 'namedSecret'>,
  now: number,
): Promise<{ challenge: string; expires_at: number }> {
  const expires_at = now + CHALLENGE_SECONDS
  const time = Buffer.alloc(TIME_BYTES)
  time.writeBigUInt64BE(BigInt(expires_at))
  const body = Buffer.concat([time, randomBytes(RANDOM_BYTES)])
  return { challenge: Buffer.concat([body, await macOf(keys, body)]).toString('base64'), expires_at }
}

/** Whether this server made the challenge and it has not expired. */
export async function isChallenge(
  keys: Pick<KeyProvider, 'namedSecret'>,
  challenge: Buffer,
  now: number,
): Promise<boolean> {
  if (challenge.length !== TIME_BYTES + RANDOM_BYTES + MAC_BYTES) return false
  const body = challenge.subarray(0, TIME_BYTES + RANDOM_BYTES)
  if (!timingSafeEqual(await macOf(keys, body), challenge.subarray(TIME_BYTES + RANDOM_BYTES))) return false
  return body.readBigUInt64BE(0) >= BigInt(now)
}

const macOf = async (keys: Pick<KeyProvider, 'namedSecret'>, body: Buffer) =>
  createHmac('sha256', await keys.namedSecret('attestation-challenges'))
    .update(body)
    .digest()
