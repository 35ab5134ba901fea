import { randomBytes } from 'node:crypto'
import { associatedData, EnvelopeError, unwrapSecret, wrapSecret } from '@custodia/envelope'
import type { AppContext } from '../app-context.ts'
import { newId } from '../http/new-id.ts'
import type { Tx } from '../ports/database/lease.ts'
import { holdReasonKeyContext } from '../ports/keys/contexts.ts'
import { CiphertextRefused, KeyUnknown } from '../ports/keys/port.ts'
import { insertReason, type SealedReason } from './store.ts'

export type { SealedReason }

/** Binds a reason to its client and id. */
const getAad = (client: string, reason_id: string): Buffer =>
  associatedData({ client, payload_reference: reason_id, kind: 'reason of a hold' })

/** Seals a reason under its own key. */
export async function sealReason(
  { keys }: Pick<AppContext, 'keys'>,
  client: string,
  reason: string,
): Promise<SealedReason> {
  const reason_id = newId()
  const key = randomBytes(32)
  try {
    const sealed_reason = wrapSecret(key, Buffer.from(reason), getAad(client, reason_id))
    return {
      reason_id,
      sealed_reason,
      wrapped_key: await keys.wrap(key, holdReasonKeyContext(client, reason_id)),
    }
  } finally {
    key.fill(0)
  }
}

/** Opens a reason; null without one, or when it is damaged, which is logged. */
export async function openReason(
  { keys, log }: Pick<AppContext, 'keys' | 'log'>,
  client: string,
  stored: SealedReason | null,
): Promise<string | null> {
  if (!stored) return null
  const { reason_id, sealed_reason, wrapped_key } = stored
  try {
    const key = await keys.unwrap(wrapped_key, holdReasonKeyContext(client, reason_id))
    try {
      return unwrapSecret(key, sealed_reason, getAad(client, reason_id)).toString()
    } finally {
      key.fill(0)
    }
  } catch (error) {
    if (
      !(error instanceof EnvelopeError || error instanceof CiphertextRefused || error instanceof KeyUnknown)
    )
      throw error
    log.error({ err: error, reason_id }, 'the reason of a hold is damaged')
    return null
  }
}

/** Stores a reason; undefined without one. */
export async function keepReason(tx: Tx, reason: SealedReason | undefined): Promise<string | null> {
  if (!reason) return null
  await insertReason(tx, reason)
  return reason.reason_id
}
