import { EnvelopeError } from '@custodia/envelope'
import { raiseAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { findPayloadSubjects } from '../payload-records/store.ts'
import { CiphertextRefused, KeyUnknown } from '../ports/keys/port.ts'
import { ObjectNotFound } from '../ports/objects/port.ts'

/** Whether stored data or its key is altered, incomplete or missing. */
export const isDamage = (error: unknown): boolean =>
  error instanceof EnvelopeError ||
  error instanceof ObjectNotFound ||
  error instanceof CiphertextRefused ||
  error instanceof KeyUnknown

/**
 * Reports unreadable evidence to the log and the client's staff. Never throws, because error handlers call
 * it.
 */
export async function reportDamage(
  ctx: Pick<AppContext, 'db' | 'log' | 'now'>,
  subject: { client_id: number; payload_reference: string; kind: string },
  error: unknown,
): Promise<void> {
  const { client_id, payload_reference, kind } = subject
  ctx.log.error({ err: error, payload_reference, kind }, 'stored data is damaged')
  const alert = ctx.db.write(client_id, async (tx) =>
    raiseAlert(tx, {
      group_id: (await findPayloadSubjects(tx, [payload_reference]))[0]?.group_id ?? null,
      alert_scopes: ['sec'],
      alert_type: 'PayloadAlert',
      alert_key: `damaged ${payload_reference}`,
      text: 'data_damaged',
      values: { kind, payload_reference },
      alert_severity: 'High',
      related_entities: [{ entity_id: payload_reference, entity_type: 'Payload' }],
      now: ctx.now(),
    }),
  )
  await alert.catch((failure: unknown) => ctx.log.error({ err: failure }, 'the alert could not be raised'))
}
