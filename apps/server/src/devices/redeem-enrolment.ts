import type { AuthenticateRequest } from '@custodia/contract'
import { type AlertEvent, raiseAlert } from '../alerts/raise.ts'
import { lockEnrolment, type PresentedEnrolment, type PresentedSecret } from '../enrolments/store.ts'
import { Problem } from '../http/problem.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { NamedHolder } from './store.ts'

/** The parts of what the contract lets through. */
export function secretOf(enrolment: string): PresentedSecret {
  const [enrolment_reference = '', secret = ''] = enrolment.split('.')
  return { enrolment_reference, secret: Buffer.from(secret, 'base64url') }
}

/** Unknown, used, expired or revoked: the phone is told the same of all; the detail is for the log only. */
export const notEnrolled = (detail: string): Problem => new Problem('enrolment_refused', { detail })

/** The enrolment with which a phone comes; undefined when it comes with none. */
export async function redeem(
  tx: Tx,
  { enrolment }: Pick<AuthenticateRequest, 'enrolment'>,
  device_key: string | null,
  by: { client: string; now: number },
): Promise<Redeemed | { refused: string } | undefined> {
  if (!enrolment || device_key === null) return undefined
  return redeemEnrolment(tx, secretOf(enrolment), { ...by, device_key })
}

/** An enrolment that lets its phone in. */
export interface Redeemed {
  enrolment_id: number
  enrolment_reference: string
  /** Whose phone it makes; undefined: the account's. */
  person: NamedHolder | undefined
}

/**
 * Whether a phone may come with what it presents. The phone that came with it before may repeat that, for it may not have heard the answer. Whoever
 * has the secret of one that is over has a copy: an alert tells of it.
 */
async function redeemEnrolment(
  tx: Tx,
  presented: PresentedSecret,
  { client, device_key, now }: { client: string; device_key: string; now: number },
): Promise<Redeemed | { refused: string }> {
  const found = await lockEnrolment(tx, presented, device_key, now)
  if (!found) return { refused: 'unknown enrolment' }
  const { enrolment_id, enrolment_reference } = found
  const over = whyOver(found)
  if (over) {
    await tellOfTry(tx, found, over, { client, now })
    return { refused: `enrolment ${enrolment_reference} is ${over}` }
  }
  return { enrolment_id, enrolment_reference, person: personOf(found) }
}

type Over = 'used' | 'expired' | 'revoked'

function whyOver({ state, is_expired, is_repeat, is_active }: PresentedEnrolment): Over | undefined {
  // Who is offboarded has none that is open; this holds even so.
  if (state === 'revoked' || is_active === false) return 'revoked'
  if (state === 'used' && !is_repeat) return 'used'
  return is_expired ? 'expired' : undefined
}

function personOf(found: PresentedEnrolment): NamedHolder | undefined {
  const { device_user_id, device_user_reference, group_id, expected_device_count } = found
  if (device_user_id === null) return undefined
  if (device_user_reference === null || group_id === null || expected_device_count === null)
    throw new Error('an enrolment of nobody')
  return { device_user_id, device_user_reference, group_id, expected_device_count }
}

const SEVERITIES = { used: 'High', revoked: 'High', expired: 'Medium' } as const satisfies Record<
  Over,
  AlertEvent['alert_severity']
>

/** One alert for each enrolment and reason, however often it is tried. */
const tellOfTry = (
  tx: Tx,
  { enrolment_reference, device_user_reference, group_id }: PresentedEnrolment,
  over: Over,
  { client, now }: { client: string; now: number },
): Promise<void> =>
  raiseAlert(tx, {
    alert_type: device_user_reference === null ? 'AccountAlert' : 'DeviceUserAlert',
    alert_scopes: ['sec'],
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_key: `enrolment ${over} ${enrolment_reference}`,
    text: `enrolment_tried_${over}`,
    values: { enrolment_reference, whose: device_user_reference ?? client },
    alert_severity: SEVERITIES[over],
    related_entities:
      device_user_reference === null ? [] : [{ entity_id: device_user_reference, entity_type: 'DeviceUser' }],
    group_id,
    now,
  })
