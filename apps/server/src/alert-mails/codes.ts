import { createHash, randomInt } from 'node:crypto'
import { CODE_SECONDS } from '@custodia/contract'
import type { AppContext } from '../app-context.ts'
import { MailProblem } from '../ports/mail/port.ts'
import { LEASE, PAUSES } from '../alerts/attempts.ts'
import { type ClaimedCheck, claimChecks, settleCheck } from './check-store.ts'
import { mailOfCode } from './texts.ts'

/** The stored hash of a code, bound to one check of one address. */
export const hashCode = (check_id: string, code: string): Buffer =>
  createHash('sha256').update(`${check_id} ${code}`).digest()

type Parts = Pick<AppContext, 'config' | 'db' | 'mail' | 'now'>

/** Mails codes to a client's waiting addresses. Each attempt has its own code, stored before the mail is sent. */
export async function mailCodes(ctx: Parts, client_id: number, signal: AbortSignal): Promise<void> {
  if (!ctx.mail) return
  for (const each of await ctx.db.write(client_id, (tx) => claimChecks(tx, ctx.now(), LEASE))) {
    signal.throwIfAborted()
    await mailCode(ctx, client_id, each)
  }
}

async function mailCode(ctx: Parts, client_id: number, check: ClaimedCheck): Promise<void> {
  const { check_id, address, asked_at, attempts, language } = check
  const code = String(randomInt(100_000_000)).padStart(8, '0')
  await ctx.db.write(client_id, (tx) => settleCheck(tx, check_id, { code_hash: hashCode(check_id, code) }))
  const portal = ctx.config.adminPortalUrl
  const failure = await ctx.mail
    ?.send(mailOfCode({ portal, language, to: address }, check_id, code))
    .then(() => undefined, problemOf)
  const next_at = ctx.now() + (PAUSES[attempts - 1] ?? CODE_SECONDS)
  const isOver = failure !== undefined && (failure.isFinal || next_at >= asked_at + CODE_SECONDS)
  await ctx.db.write(client_id, (tx) =>
    settleCheck(tx, check_id, {
      check_state: failure === undefined ? 'sent' : isOver ? 'failed' : 'waiting',
      last_error: failure?.reason ?? null,
      next_at,
    }),
  )
}

function problemOf(error: unknown): MailProblem {
  if (error instanceof MailProblem) return error
  throw error
}
