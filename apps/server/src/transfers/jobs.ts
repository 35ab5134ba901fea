import { createHash } from 'node:crypto'
import type { TransferConfigInput } from '@custodia/contract'
import { nextRuns, transferRoot } from '@custodia/domain'
import * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { marked } from '../http/context.ts'
import { newId } from '../http/new-id.ts'
import { jobKind } from '../jobs/kind.ts'
import type { Tx } from '../ports/database/lease.ts'
import type { JobAddress } from '../ports/jobs.ts'
import { pgpKeyFacts } from '../ports/targets/formats/pgp.ts'
import { TargetProblem } from '../ports/targets/port.ts'
import type { Recipient } from '../sealed-log/share.ts'
import { carryOutRun, failRun } from './engine.ts'
import { alertOnConfig } from './facts.ts'
import { openRuns } from './item-store.ts'
import { insertRun } from './run-store.ts'
import { dueConfigs, findConfig, listConfigs, lockConfig, noteGathering, type StoredConfig } from './store.ts'
import { openTarget, getRoot } from './target.ts'

const RunInput = z.object({ client_id: z.int(), client: z.string(), transfer_id: z.string() })

export const CARRY_OUT: JobAddress<z.output<typeof RunInput>> = {
  name: 'transfers.carry-out',
  input: RunInput,
  key: ({ transfer_id }) => transfer_id,
  // At most two runs per client at a time, so that slow targets do not delay other clients.
  fair: {
    lanes: { transfers: { batch: 1, workers: 8, per_client: 2, resumes: true } },
    client: ({ client_id }) => client_id,
    place: () => ({ lane: 'transfers', cost: 1 }),
    is_swept: true,
  },
}

/** Next scheduled start after `now`; null: none. */
export const nextStart = (
  { schedule, is_active }: Pick<TransferConfigInput, 'schedule' | 'is_active'>,
  now: number,
): number | null => (schedule !== null && is_active ? (nextRuns(schedule, now, 1)[0] ?? null) : null)

/**
 * Starts a run of a locked config: from the end of its last window to now or the scheduled time. Resolves to its id.
 */
export async function startRun(
  { jobs }: Pick<AppContext, 'jobs'>,
  tx: Tx,
  { config, gathered_to, next_at }: StoredConfig,
  { now, by, scheduled_for }: { now: number; by: string; scheduled_for: number | null },
): Promise<string> {
  const transfer_id = newId()
  // A manual run may have passed the scheduled time: a window never goes back.
  const report_to = Math.max(scheduled_for ?? now, gathered_to ?? 0)
  await insertRun(tx, {
    transfer_id,
    transfer_config_reference: config.transfer_config_reference,
    transfer_type: config.transfer_type,
    created_at: now,
    scheduled_for,
    report_from: gathered_to,
    report_to,
    role_reference: config.role_reference,
    updated_by: by,
  })
  await noteGathering(tx, config.transfer_config_reference, {
    gathered_to: report_to,
    next_at: scheduled_for === null ? next_at : nextStart(config, now),
  })
  await jobs.send(tx, CARRY_OUT, { client_id: tx.client_id, client: config.client, transfer_id })
  return transfer_id
}

const DAY = 86_400
/** Seconds until a missed schedule raises an alert. */
const LATE = 900
/** Days before the expiry of a key in which an alert is raised. */
const EXPIRY_DAYS = 30
/** Starter of scheduled runs. */
const SCHEDULE = marked('schedule', 'system')

export const carryOutTransfer = jobKind({
  ...CARRY_OUT,
  // The lock of a silent worker outlasts its lease.
  retries: 20,
  run: (ctx, input, signal) => carryOutRun(ctx, input, signal),
  dead: (ctx, input) => failRun(ctx, input),
})

/** Starts due schedules and resumes runs of killed workers. */
export const scheduleTransfers = jobKind({
  name: 'transfers.schedule',
  input: z.object({}),
  every: 30,
  async run(ctx, _input, signal) {
    for (const account of await listClients(ctx.db)) {
      signal.throwIfAborted()
      await startDue(ctx, account.client_id)
      await ctx.db.write(account.client_id, async (tx) => {
        const open = await openRuns(tx)
        await ctx.jobs.send(tx, CARRY_OUT, ...open.map((transfer_id) => ({ ...account, transfer_id })))
      })
    }
  },
})

/** Starts the due runs of a client, each once. Missed times become one run. */
export async function startDue(
  ctx: Pick<AppContext, 'db' | 'jobs' | 'now'>,
  client_id: number,
): Promise<void> {
  const due = await ctx.db.read(client_id, (q) => dueConfigs(q, ctx.now()))
  for (const reference of due)
    await ctx.db.write(client_id, async (tx) => {
      const stored = await lockConfig(tx, reference)
      const now = ctx.now()
      if (!stored?.config.is_active || stored.config.schedule === null) return
      if (stored.next_at === null || stored.next_at > now) return
      if (now - stored.next_at > LATE)
        await alertOnConfig(tx, 'transfer_late', stored.config, {
          now,
          since: new Date(stored.next_at * 1000).toISOString(),
        })
      const scheduled_for = lastRun(stored.config.schedule, stored.next_at, now)
      await startRun(ctx, tx, stored, { now, by: SCHEDULE, scheduled_for })
    })
}

/** Last time of a schedule up to `now`, from one of its times. */
function lastRun(schedule: string, from: number, now: number): number {
  let last = from
  for (;;) {
    const [next] = nextRuns(schedule, last, 1)
    if (next === undefined || next > now) return last
    last = next
  }
}

/** Raises a daily alert for keys that expire soon or have expired. */
export const watchTransferKeys = jobKind({
  name: 'transfers.keys',
  input: z.object({}),
  every: DAY,
  async run(ctx) {
    for (const { client_id } of await listClients(ctx.db)) await watchKeys(ctx, client_id)
  },
})

/** As `watchTransferKeys` for one client. */
export async function watchKeys(ctx: Pick<AppContext, 'db' | 'now'>, client_id: number): Promise<void> {
  const now = ctx.now()
  const configs = await ctx.db.read(client_id, (q) =>
    listConfigs(q, { search: '', after: '', limit: 10_000 }),
  )
  for (const config of configs) {
    if (!config.is_active || config.transfer_file_format !== 'PGP') continue
    const until = await getExpiry(config.pgp_key ?? '')
    if (until === undefined || until > now + EXPIRY_DAYS * DAY) continue
    const days = Math.max(0, Math.floor((until - now) / DAY))
    await ctx.db.write(client_id, (tx) => alertOnConfig(tx, 'transfer_key_expires', config, { now, days }))
  }
}

/** Expiry of a key; 0: unusable. Undefined: never. */
async function getExpiry(pgp_key: string): Promise<number | undefined> {
  try {
    return (await pgpKeyFacts(pgp_key)).expires_at
  } catch (error) {
    if (error instanceof TargetProblem) return 0
    throw error
  }
}

/** Milliseconds to put a checkpoint on a target. */
const PATIENCE_MS = 60_000
/** Transfers of a client that get checkpoints. */
const MAX = 100

type CheckpointParts = Pick<AppContext, 'config' | 'db' | 'keys' | 'egress'>

/** The targets of a client's active transfers: each gets checkpoints as small files in the folder `checkpoints`. */
export const checkpointTargets = (
  ctx: CheckpointParts,
  { client_id, client }: { client_id: number; client: string },
): Promise<Recipient[]> =>
  ctx.db.read(client_id, async (q) => {
    const configs = await listConfigs(q, { search: '', after: '', limit: MAX })
    const recipients: Recipient[] = []
    for (const { transfer_config_reference: reference, is_active, transfer_type } of configs) {
      if (!is_active || transfer_type !== 'Payload') continue
      const stored = await findConfig(q, reference)
      if (stored) recipients.push(getRecipient(ctx, client, stored))
    }
    return recipients
  })

const getRecipient = (ctx: CheckpointParts, client: string, { config, sealed }: StoredConfig): Recipient => ({
  holder: `transfer ${config.transfer_config_reference}`,
  async hold({ checkpoint, size }, signal) {
    const content = Buffer.from(checkpoint)
    const late = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    const target = { params: config.params, kept: sealed }
    const session = await openTarget(ctx, client, config.transfer_config_reference, target, late)
    try {
      await session.deliver({
        path: `${transferRoot(getRoot(config.params))}checkpoints/${client}-${size}.txt`,
        async *open() {
          yield content
        },
        sha256: createHash('sha256').update(content).digest('hex'),
        size: content.length,
        format: { type: 'Uncompressed' },
      })
    } finally {
      await session.close()
    }
    return {}
  },
})
