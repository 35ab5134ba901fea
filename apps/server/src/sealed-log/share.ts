import { type AlertEvent, raiseAlert, settleAlert } from '../alerts/raise.ts'
import type { AppContext } from '../app-context.ts'
import { type Mailer, MailProblem } from '../ports/mail/port.ts'
import { readCheckpoints } from './checkpoint-store.ts'
import { contradict } from './contradictions.ts'
import { type Contradiction, isEvidenceSince, readHolders, saveHolder } from './holder-store.ts'

/** What a recipient is given. */
export interface SharedCheckpoint {
  /** A signed note. */
  checkpoint: string
  size: number
  /** What it holds already. */
  former: { size: number } | undefined
}

/** A party outside of this installation that keeps checkpoints. */
export interface Recipient {
  /** Its kind and name. */
  holder: string
  /** Hands it a checkpoint. Resolves to its proof: the checkpoint with its signature, or a receipt. */
  hold(given: SharedCheckpoint, signal: AbortSignal): Promise<{ checkpoint?: string; receipt?: Buffer }>
}

/** A recipient holds a checkpoint that the log does not continue. */
export class ContradictedCheckpoint extends Error {
  override name = 'Contradicted'
  readonly size: number
  readonly fault: Contradiction['fault']
  constructor(size: number, fault: Contradiction['fault']) {
    super(fault)
    this.size = size
    this.fault = fault
  }
}

/** Milliseconds for an answer of a recipient. */
const PATIENCE_MS = 20_000
/** Maximum bytes of an answer; a time stamp with its certificates has a few thousand. */
const LARGEST_ANSWER = 65_536

/** Sends a request to a recipient. Throws for an answer that is too large, late or elsewhere. */
export async function ask(
  url: string,
  body: string | Buffer,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Buffer }> {
  const response = await fetch(url, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : Uint8Array.from(body),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]),
  })
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > LARGEST_ANSWER) throw new Error('the answer is too large')
    chunks.push(chunk)
  }
  return { status: response.status, body: Buffer.concat(chunks) }
}

/**
 * Hands the newest checkpoint of a client to each recipient that is due: whose last one is older than the interval, or
 * since whose last one a certificate or an export was made. A recipient that fails is asked again in the next run; an alert
 * reports one that has accepted none within a day.
 */
export async function shareCheckpoint(
  { db, config, log, now }: Pick<AppContext, 'db' | 'config' | 'log' | 'now'>,
  account: { client_id: number; client: string },
  recipients: readonly Recipient[],
  signal: AbortSignal,
): Promise<void> {
  const { client_id, client } = account
  if (recipients.length === 0) return
  const { newest, holders } = await db.read(client_id, async (q) => ({
    newest: (await readCheckpoints(q, 1))[0],
    holders: new Map((await readHolders(q)).map((each) => [each.holder, each])),
  }))
  if (!newest) return
  const { size, checkpoint } = newest
  for (const { holder, hold } of recipients) {
    signal.throwIfAborted()
    const former = holders.get(holder)
    if (former && former.size >= size) continue
    if (former && former.held_at + config.checkpointSeconds > now())
      if (!(await db.read(client_id, (q) => isEvidenceSince(q, former.size)))) continue
    try {
      const { receipt = null, ...held } = await hold({ checkpoint, size, former }, signal)
      const saved = { holder, size, checkpoint, ...held, receipt, held_at: now() }
      await db.write(
        client_id,
        async (tx) => {
          await saveHolder(tx, saved)
          await settleAlert(tx, refusing(holder, now()))
        },
        true,
      )
    } catch (error) {
      if (error instanceof ContradictedCheckpoint)
        await contradict({ db, log, now }, account, [{ holder, size: error.size, fault: error.fault }])
      else {
        log.warn({ err: error, client, holder }, 'a checkpoint was not accepted')
        if (!former || former.held_at + REFUSED_SECONDS <= now())
          await db.write(client_id, (tx) => raiseAlert(tx, refusing(holder, now())))
      }
    }
  }
}

/** Seconds without an accepted checkpoint after which a recipient raises an alert; at once before its first one. */
const REFUSED_SECONDS = 86_400

/** The alert on a recipient that accepts no checkpoints. */
const refusing = (holder: string, now: number): AlertEvent => ({
  alert_type: 'AccountAlert',
  alert_scopes: ['ops'],
  alert_targets: ['admin', 'client'],
  alert_key_type: 'Scoped',
  alert_key: `checkpoint ${holder}`,
  text: 'checkpoint_refused',
  values: { recipient: holder.split(' ').at(-1) ?? holder },
  alert_severity: 'Medium',
  now,
})

/** Mails checkpoints to an address. */
export const mailRecipient = (
  mail: Mailer,
  { client, host, to }: { client: string; host: string; to: string },
): Recipient => ({
  holder: `mail ${to}`,
  async hold({ checkpoint, size }) {
    try {
      await mail.send({
        message_id: `checkpoint-${client}-${size}@${host}`,
        to,
        subject: `Custodia: ${client}, ${size}`,
        text: `Checkpoint of the sealed log. Keep this mail.\nPonto de verificação da trilha selada. Guarde este e-mail.\n\n${checkpoint}`,
      })
    } catch (error) {
      if (error instanceof MailProblem) throw new Error(error.message, { cause: error })
      throw error
    }
    return {}
  },
})
