import type { AppContext } from '../../app-context.ts'
import { ProcessingFailure } from '../failures.ts'
import type { Subject } from './subject-store.ts'

/** Attempts that may crash the process before the content is not tried again. */
const MOST_CRASHES = 3

type Key = Pick<Subject, 'client_id' | 'payload_id'>

/**
 * Stores durably that a risky read begins, so that an attempt that crashes the process counts. Throws
 * ProcessingFailure after too many.
 */
export async function beginAttempt(
  ctx: Pick<AppContext, 'db'>,
  { client_id, payload_id }: Key,
): Promise<void> {
  const { rows } = await ctx.db.write(client_id, (tx) =>
    tx.query<{ crashes: number }>(
      `update payload_work set begun = begun + 1 where client_id = $1 and payload_id = $2 returning begun - 1 as crashes`,
      [client_id, payload_id],
      'attempt_begin',
    ),
  )
  const crashes = rows[0]?.crashes ?? 0
  if (crashes >= MOST_CRASHES)
    throw new ProcessingFailure('processing_crashed', `${crashes} attempts ended with their process`)
}

/** Resets the attempts when a service was unavailable, because the content is not at fault. */
export async function forgetAttempts(
  ctx: Pick<AppContext, 'db'>,
  { client_id, payload_id }: Key,
): Promise<void> {
  await ctx.db.write(client_id, (tx) =>
    tx.query(
      'update payload_work set begun = 0 where client_id = $1 and payload_id = $2 and begun > 0',
      [client_id, payload_id],
      'attempts_forget',
    ),
  )
}
