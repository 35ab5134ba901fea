import { AUTHENTICATE_CLOCK_SECONDS, type AuthenticateRequest } from '@custodia/contract'
import type { VerifiedIdentity } from '@custodia/domain'
import { EnvelopeError, isSignedBy, openUlid } from '@custodia/envelope'
import { decodeTime } from 'ulid'
import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'
import {
  lockEnrolment,
  type PresentedEnrolment,
  type PresentedSecret,
  getSecret,
} from '../device-records/enrolments-store.ts'
import type { NamedHolder } from '../device-records/store.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import { accountKeyContext } from '../ports/keys/contexts.ts'
import type { KeyProvider } from '../ports/keys/port.ts'

/** Refuses unknown, used, expired and revoked enrolments alike; only the log gets the detail. */
export const notEnrolled = (detail: string): Problem => new Problem('enrolment_refused', { detail })

/** Redeems the enrolment of a request; undefined without one. */
export async function redeem(
  tx: Tx,
  { enrolment }: Pick<AuthenticateRequest, 'enrolment'>,
  by: { client: string; device_key: string; now: number },
): Promise<RedeemedEnrolment | { refused: string } | undefined> {
  return enrolment ? redeemEnrolment(tx, getSecret(enrolment), by) : undefined
}

/** An enrolment that admits the device. */
export interface RedeemedEnrolment {
  enrolment_id: number
  enrolment_reference: string
  /** How the enrolment verifies the holder; undefined when it does not, or on a repeat. */
  verified: Extract<VerifiedIdentity, 'enrolment' | 'roll_out'> | undefined
  /** User of the enrolment; undefined for an account enrolment or a repeat. */
  person: NamedHolder | undefined
}

/**
 * Checks an enrolment. Its own device may repeat it forever, without naming a holder; another device with an ended
 * secret raises an alert.
 */
async function redeemEnrolment(
  tx: Tx,
  presented: PresentedSecret,
  { client, device_key, now }: { client: string; device_key: string; now: number },
): Promise<RedeemedEnrolment | { refused: string }> {
  const found = await lockEnrolment(tx, presented, device_key, now)
  if (!found) return { refused: 'unknown enrolment' }
  const { enrolment_id, enrolment_reference } = found
  if (found.is_repeat) return { enrolment_id, enrolment_reference, verified: undefined, person: undefined }
  const over = endReason(found)
  if (over) {
    await alertOnTry(tx, found, over, { client, now })
    return { refused: `enrolment ${enrolment_reference} is ${over}` }
  }
  const person = getPerson(found)
  const verified = person ? 'enrolment' : found.matches_email ? 'roll_out' : undefined
  return { enrolment_id, enrolment_reference, verified, person }
}

type EndReason = 'used' | 'expired' | 'revoked'

function endReason({ state, is_active }: PresentedEnrolment): EndReason | undefined {
  // Offboarding revokes enrolments; this check is independent of that.
  if (is_active === false) return 'revoked'
  return state === 'open' || state === 'opened' ? undefined : state
}

function getPerson(found: PresentedEnrolment): NamedHolder | undefined {
  const { device_user_id, device_user_reference, group_id, expected_device_count } = found
  if (device_user_id === null) return undefined
  if (device_user_reference === null || group_id === null || expected_device_count === null)
    throw new Error('a personal enrolment without a user')
  return { device_user_id, device_user_reference, group_id, expected_device_count }
}

const SEVERITIES = { used: 'High', revoked: 'High', expired: 'Medium' } as const satisfies Record<
  EndReason,
  AlertEvent['alert_severity']
>

/** One alert per enrolment and reason, however often a device tries. */
const alertOnTry = (
  tx: Tx,
  { enrolment_reference, device_user_reference, group_id }: PresentedEnrolment,
  over: EndReason,
  { client, now }: { client: string; now: number },
): Promise<void> =>
  raiseAlert(tx, {
    alert_type: device_user_reference === null ? 'AccountAlert' : 'DeviceUserAlert',
    alert_scopes: ['sec'],
    alert_key: `enrolment ${over} ${enrolment_reference}`,
    text: `enrolment_tried_${over}`,
    values: { enrolment_reference, whose: device_user_reference ?? client },
    alert_severity: SEVERITIES[over],
    related_entities:
      device_user_reference === null ? [] : [{ entity_id: device_user_reference, entity_type: 'DeviceUser' }],
    group_id,
    now,
  })

type EnrolmentInput = Pick<AuthenticateRequest, 'account_reference' | 'ulid_encrypted' | 'enrolment'>

/** All refusals of an authentication look the same to the device; only the log gets the detail. */
export const refused = (detail: string): Problem => new Problem('device_authentication_required', { detail })

/**
 * Opens the ULID or enrolment secret. Refuses a wrong key, another account or a time over 300 s from `now`. An unknown
 * account (`wrapped` undefined) takes the same time.
 */
export async function openProof(
  keys: KeyProvider,
  { account_reference, ulid_encrypted, enrolment }: EnrolmentInput,
  wrapped: Buffer | undefined,
  now: number,
): Promise<string> {
  const key = enrolment
    ? getSecret(enrolment).secret
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
