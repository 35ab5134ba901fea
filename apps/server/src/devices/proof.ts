import { AUTHENTICATE_CLOCK_SECONDS, type AuthenticateRequest } from '@custodia/contract'
import { EnvelopeError, isSignedBy, openUlid } from '@custodia/envelope'
import { decodeTime } from 'ulid'
import { Problem } from '../http/problem.ts'
import { accountKeyContext } from '../ports/keys/contexts.ts'
import type { KeyProvider } from '../ports/keys/port.ts'
import { secretOf } from './redeem-enrolment.ts'

type Stated = Pick<AuthenticateRequest, 'account_reference' | 'ulid_encrypted' | 'enrolment'>

/** Every refusal of an authentication looks the same to the phone; the detail is for the log only. */
export const refused = (detail: string): Problem => new Problem('device_authentication_required', { detail })

/**
 * The fresh ULID with which a device proves that it holds the account key, or what it shows as the secret of its enrolment. Refuses a wrong
 * key, another account's ULID and one made more than 300 s from `now` (epoch seconds). Single use is checked where it is stored. For an
 * unknown account (`wrapped` undefined) the same work is done with a key that nobody has.
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

/** The key of its own that a device has proved to hold. A signature that does not hold is refused. */
export function provenKey(request: AuthenticateRequest): string {
  const { device_key, signature } = request
  if (!isSignedBy(device_key, signature, request)) throw refused('the signature does not hold')
  return device_key
}
