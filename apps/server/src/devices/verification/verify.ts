import type { Answer, Api } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { loggedParameters, newLogId } from '../../http/audit.ts'
import type { Context, Phone } from '../../http/context.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { noteProvedNumber, plainNumber, VERIFIED_SECONDS } from '../number-custody.ts'
import { createHash, randomBytes } from 'node:crypto'
import { Problem } from '../../http/problem.ts'
import { findClientOfCode, insertCode, lockDevice, spendCode } from './store.ts'

/** Lifetime of a code in seconds. */
export const CODE_SECONDS = 3600
/** Five bits each: 130 bits. */
const CODE_LENGTH = 26
/** Crockford's base 32 has no ambiguous letters. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

interface VerificationRequest {
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
const hashOfCode = (code: string): Buffer =>
  createHash('sha256').update(code.replaceAll(/\s/g, '').toUpperCase()).digest()

const REFUSED = { is_verified: false, verified_until: null } as const

/**
 * Verifies a number by the code in a text message; the code is the credential. Unknown, used and expired codes get the
 * same answer in the same time.
 */
export async function verify(
  ctx: AppContext,
  context: Context,
  body: { phone_number: string; verification_code: string },
): Promise<Answer<Api['verify']>> {
  const started = performance.now()
  const { now } = context
  const code_hash = hashOfCode(body.verification_code)
  const account = await findClientOfCode(ctx.db, code_hash, now)
  const phone_number = plainNumber(body.phone_number)
  if (!account || phone_number === undefined) return REFUSED
  const { client_id } = account
  return ctx.db.write(client_id, async (tx) => {
    const device_id = await spendCode(tx, code_hash, phone_number, now)
    const device = device_id === undefined ? undefined : await lockDevice(tx, device_id)
    if (!device) return REFUSED
    await noteProvedNumber(tx, { device_id: device.device_id, phone_number, now })
    const seconds = (performance.now() - started) / 1000
    await note(ctx, tx, context, { kind: 'device', ...account, ...device }, phone_number, seconds)
    return { is_verified: true, verified_until: now + VERIFIED_SECONDS }
  })
}

/** The call has no caller, so the request wrapper cannot write the device's audit entry. */
async function note(
  ctx: AppContext,
  tx: Tx,
  context: Context,
  caller: Phone,
  phone_number: string,
  duration: number,
): Promise<void> {
  await ctx.audit.appendWithin(tx, {
    log_id: newLogId(),
    caller,
    ip: context.ip,
    browser: undefined,
    activity_time: context.now,
    activity_end_time: ctx.now(),
    duration,
    action: 'verify',
    is_allowed: true,
    denial_reason: null,
    parameters: loggedParameters({ body: { phone_number } }, []),
    status_code: 200,
    request_id: context.request_id,
  })
}
