import { AUTHENTICATE_CLOCK_SECONDS, type AuthenticateRequest } from '@custodia/contract'
import { EnvelopeError, isSignedBy, openUlid } from '@custodia/envelope'
import { decodeTime } from 'ulid'
import { Problem } from '../http/problem.ts'
import { accountKeyContext } from '../ports/keys/contexts.ts'
import type { KeyProvider } from '../ports/keys/port.ts'
import { secretOf } from './redeem-enrolment.ts'

type Stated = Pick<AuthenticateRequest, 'account_reference' | 'ulid_encrypted' | 'enrolment'>

/** All refusals of an authentication look the same to the device; only the log gets the detail. */
export const refused = (detail: string): Problem => new Problem('device_authentication_required', { detail })

/**
 * Opens the ULID or enrolment secret. Refuses a wrong key, another account or a time over 300 s from `now`. An unknown
 * account (`wrapped` undefined) takes the same time.
 */
export async function openProof(
  keys: KeyProvider,
  { account_reference, ulid_encrypted, enrolment }: Stated,
  wrapped: Buffer | undefined,
  now: number,
): Promise<string> {
  const key = enrolment
    ? secretOf(enrolment).secret
    : wrapped
      ? await keys.unwrap(wrapped, accountKeyContext(account_reference))
      : await keys.namedSecret('no-such-account')
  let ulid: string
  try {
    ulid = openUlid(key, account_reference, ulid_encrypted)
  } catch (error) {
    if (error instanceof EnvelopeError)
      throw refused(wrapped || enrolment ? 'proof does not open' : 'unknown account')
    throw error
  }
  if (!wrapped && !enrolment) throw refused('unknown account')
  const made_at = decodeTime(ulid) / 1000
  if (Math.abs(made_at - now) > AUTHENTICATE_CLOCK_SECONDS) throw refused('proof is not of this time')
  return ulid
}

/** Returns the device's proven public key. Refuses an invalid signature. */
export function provenKey(request: AuthenticateRequest): string {
  const { device_key, signature } = request
  if (!isSignedBy(device_key, signature, request)) throw refused('the signature does not hold')
  return device_key
}
