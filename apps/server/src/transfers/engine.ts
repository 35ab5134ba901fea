import { isDeepStrictEqual } from 'node:util'
import { SERVICES, getService, type TransferRun } from '@custodia/contract'
import { type PayloadReach, subtractReach } from '@custodia/domain'
import { raiseUse } from '../access/alertable.ts'
import type { AppContext } from '../app-context.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { marked } from '../http/context.ts'
import { type WatchedWork, watchWork } from '../jobs/watch-work.ts'
import { notePayloadAudit } from '../payloads/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { countDelivery } from '../ports/delivery-metrics.ts'
import type { WorkLimits } from '../ports/jobs.ts'
import { TargetProblem, type TargetSession } from '../ports/targets/port.ts'
import { type Delivery, deliverItem, getFormat } from './deliver.ts'
import { alertOnRun, raiseLossAlert, reportNames, settleRun } from './facts.ts'
import {
  addReports,
  failWaiting,
  finishRun,
  gatherItems,
  gatherRestored,
  type GroupCount,
  LATE,
  noteAttempt,
  noteGathered,
  takeItems,
  type WaitingItem,
} from './item-store.ts'
import {
  type Decision,
  reachDecider,
  reasonEnded,
  TargetTooSlow,
  TRANSFER_ACTIONS,
  watchSession,
} from './reach.ts'
import { enterDelivery, findRun } from './run-store.ts'
import { findConfig, lockConfig, noteReach, type StoredConfig } from './store.ts'
import { openTarget } from './target.ts'

/** Actor of runs in attempts and payload audits. */
const TRANSFERS = marked('transfers', 'system')
/** Action name in audit entries. */
const DELIVER = 'transfers:deliver'
/** Items per batch. */
const BATCH = 16
/** Maximum connections of a run, because a connection may break at any time. */
const CONNECTIONS = 3
/** Errors that end a connection with all its items. */
const BROKEN: ReadonlySet<string> = new Set(['connection_lost', 'timeout'])

type Parts = Pick<AppContext, 'config' | 'db' | 'keys' | 'objects' | 'egress' | 'audit' | 'now'>
interface Account {
  client_id: number
  client: string
}
interface Scope extends Account {
  ctx: Parts
  run: TransferRun
  stored: StoredConfig
  decide: ReturnType<typeof reachDecider>
  signal: AbortSignal
}

/**
 * Runs or resumes a transfer: collects due payloads, delivers them and stores each attempt. One process at a time. An
 * item counts once it is on the target; an interrupted one is sent again as the same file.
 */
export async function carryOutRun(
  ctx: Parts,
  { client_id, client, transfer_id }: Account & { transfer_id: string },
  signal: AbortSignal,
): Promise<void> {
  const work = async (both: AbortSignal) => {
    const found = await ctx.db.read(client_id, async (q) => {
      const run = await findRun(q, transfer_id)
      return { run, stored: run && (await findConfig(q, run.transfer_config_reference)) }
    })
    const { run, stored } = found
    if (!run || run.completed_at !== null) return
    const error_message = stored
      ? await carryOut({ ctx, client_id, client, run, stored, decide: reachDecider(ctx), signal: both })
      : 'refused: the transfer config is gone'
    await ctx.db.write(client_id, (tx) => finish(tx, ctx, run, error_message))
  }
  const isMine = await ctx.db.locked(`transfer:${client_id}:${transfer_id}`, (lost) =>
    work(AbortSignal.any([signal, lost])),
  )
  if (!isMine) throw new Error('another process executes the run')
}

/** Fails a run after its last attempt. */
export async function failRun(ctx: Parts, account: Account & { transfer_id: string }): Promise<void> {
  await ctx.db.write(account.client_id, async (tx) => {
    const run = await findRun(tx, account.transfer_id)
    if (run?.completed_at === null) await finish(tx, ctx, run, 'refused: it could not be carried out')
  })
}

/**
 * Resolves to the reason why items were not tried, or null. A deleted, disabled or changed config stops deliveries
 * within seconds.
 */
async function carryOut(begun: Scope): Promise<string | null> {
  const isGathered = await gather(begun)
  if (!isGathered) return 'not_permitted: its role may download nothing of it'
  const { transfers } = begun.ctx.config
  const until = performance.now() + transfers.runSeconds * 1000
  for (let connections = 1; ; connections++) {
    const runSeconds = Math.max(0, until - performance.now()) / 1000
    try {
      return await deliverOver(begun, { ...transfers, runSeconds })
    } catch (error) {
      begun.signal.throwIfAborted()
      if (error instanceof ConfigChanged) {
        connections -= 1
        continue
      }
      if (!(error instanceof TargetProblem)) throw error
      if (error instanceof TargetTooSlow || !BROKEN.has(error.reason) || connections >= CONNECTIONS)
        return error.message
    }
  }
}

/** Delivers waiting items over one connection, within limits. Throws TargetProblem and ConfigChanged. */
async function deliverOver(begun: Scope, limits: WorkLimits): Promise<null> {
  const { ctx, client, signal } = begun
  const scope = { ...begun, ...(await currentConfig(begun)) }
  const { config, sealed } = scope.stored
  const work = watchWork({ limits, signal, check: () => assertSame(scope) })
  let session: TargetSession | undefined
  try {
    const format = await getFormat(scope)
    const asked = { params: config.params, kept: sealed }
    session = watchSession(
      work,
      await openTarget(ctx, client, config.transfer_config_reference, asked, work.signal),
    )
    await deliverAll({ ...scope, session, format, signal: work.signal, orCut: work.orCut })
    return null
  } catch (error) {
    throw reasonEnded(work, error)
  } finally {
    work.stop()
    await session?.close()
  }
}

/** The config changed during the run, or its role lost rights. */
class ConfigChanged extends Error {}

/** A config with what it may deliver. */
type Current = Pick<Delivery, 'stored' | 'reach'>

/** Throws when the config changed or delivers less, also for what is on its way; resolves to what it may deliver. */
async function assertSame(scope: Scope & Current): Promise<PayloadReach> {
  const { stored, reach } = await currentConfig(scope)
  if (stored.config.version !== scope.stored.config.version) throw new ConfigChanged()
  if (subtractReach(scope.reach, reach).length > 0) throw new ConfigChanged()
  return reach
}

/** Current config of a run. Throws TargetProblem when it delivers nothing any more. */
async function currentConfig({ ctx, client_id, run, decide }: Omit<Scope, 'stored'>): Promise<Current> {
  const found = await ctx.db.read(client_id, async (q) => {
    const stored = await findConfig(q, run.transfer_config_reference)
    return stored && { stored, reach: (await decide(q, stored)).reach }
  })
  if (!found) throw new TargetProblem('refused', 'the transfer config is gone')
  if (!found.stored.config.is_active)
    throw new TargetProblem('refused', 'the transfer config is switched off')
  return found
}

/** Collects due payloads that the role allows, once, in batches. False: the role allows none. */
async function gather(scope: Scope): Promise<boolean> {
  const { ctx, client_id, run, signal } = scope
  const { db } = ctx
  if (run.transfer_state !== 'Pending') return true
  const found = await db.read(client_id, async (q) => {
    const stored = await findConfig(q, run.transfer_config_reference)
    return stored && { stored, decision: await scope.decide(q, stored) }
  })
  // `carryOut` detects a deleted config itself.
  if (!found) return true
  const { stored, decision } = found
  const types = stored.config.payload_types
  const { reach } = decision
  const isKept = run.transfer_type === 'Payload'
  // A wider role is collected from the beginning; a report contains its window only.
  const isWider = subtractReach(reach, stored.reach ?? []).length > 0
  const start = run.report_from ?? 0
  const from = !isKept ? start : isWider ? 0 : start - LATE
  const left_out: GroupCount[] = []
  for (const service of SERVICES) {
    const own = types.filter((type) => getService(type) === service)
    if (own.length === 0) continue
    let after: Awaited<ReturnType<typeof gatherItems>>['next']
    do {
      signal.throwIfAborted()
      const looked = { service, types: own, reach, from, after, isKept }
      const part = await db.write(client_id, (tx) => gatherItems(tx, run, looked))
      left_out.push(...part.left_out)
      after = part.next
    } while (after)
  }
  await db.write(client_id, async (tx) => {
    if (isKept) await gatherRestored(tx, run, reach)
    else if (reach.length > 0) await addReports(tx, run, Object.values(reportNames(run)))
    await noteGathered(tx, run.transfer_id, getSummary(left_out, decision))
    await noteDecision(tx, ctx, { run, known: stored.reach, decision })
  })
  return reach.length > 0
}

/** Number of excluded payloads by reason and type, largest first. */
function getSummary(left_out: readonly GroupCount[], decision: Decision): TransferRun['left_out'] {
  const rows = new Map<string, TransferRun['left_out'][number]>()
  for (const { count, ...place } of left_out) {
    const payload_type = place.payload_type as TransferRun['left_out'][number]['payload_type']
    const reason = decision.getReason(place)
    const row = rows.get(`${reason} ${payload_type}`)
    if (row) row.count += count
    else rows.set(`${reason} ${payload_type}`, { reason, payload_type, count })
  }
  return [...rows.values()].toSorted((a, b) => b.count - a.count)
}

/** Stores what the config may deliver and raises an alert when that became less. */
async function noteDecision(
  tx: Tx,
  { now }: Pick<AppContext, 'now'>,
  { run, known, decision }: { run: TransferRun; known: PayloadReach | null; decision: Decision },
): Promise<void> {
  const stored = await lockConfig(tx, run.transfer_config_reference)
  // A save of the config meanwhile takes precedence.
  if (!stored || !isDeepStrictEqual(stored.reach, known)) return
  const lost = subtractReach(known ?? [], decision.reach)
  if (lost.length > 0) await raiseLossAlert(tx, run, lost, now())
  await noteReach(tx, run.transfer_config_reference, decision.reach)
  const role = stored.config.role_reference
  if (!decision.is_watched || role === null || decision.reach.length === 0) return
  const [action] = TRANSFER_ACTIONS[run.transfer_type]
  const user = marked(`transfer ${run.transfer_config_reference}`, 'system')
  const related_entities = [{ entity_id: run.transfer_id, entity_type: 'Transfer' as const }]
  await raiseUse(tx, { user, role, action, related_entities }, now())
}

type Underway = Pick<WatchedWork, 'orCut'>

async function deliverAll(delivery: Delivery & Scope & Underway): Promise<void> {
  const { ctx, client_id, run, signal } = delivery
  for (;;) {
    signal.throwIfAborted()
    const items = await ctx.db.write(client_id, (tx) => takeItems(tx, run.transfer_id, BATCH))
    if (items.length === 0) return
    const by = { ...delivery, reach: await assertSame(delivery) }
    const waiting = [...items]
    const one = async () => {
      for (let item = waiting.shift(); item; item = waiting.shift()) {
        signal.throwIfAborted()
        await attempt(by, item)
      }
    }
    // Waits for all, so that no writer is left when the next run writes the same file.
    const ends = await Promise.allSettled(Array.from({ length: delivery.session.side_by_side }, one))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}

/** Tries one item and stores the result. Throws what ends the run or its connection. */
async function attempt(delivery: Delivery & Underway, item: WaitingItem): Promise<void> {
  const { ctx, client_id, run } = delivery
  const by = run.updated_by
  // An aborted run closes the session: a delivery that continues to read sends nothing.
  const done = await delivery.orCut(deliverItem(delivery, item)).catch((error: unknown) => {
    if (error instanceof TargetProblem && !BROKEN.has(error.reason)) return error
    throw error
  })
  const at = ctx.now()
  await ctx.db.write(client_id, async (tx) => {
    const tried = { item: item.item, at, by }
    if (done instanceof TargetProblem)
      return noteAttempt(tx, run.transfer_id, { ...tried, source_path: null, error_message: done.message })
    await noteAttempt(tx, run.transfer_id, { ...tried, ...done })
    if (!item.payload) return
    const { payload_id, payload_reference, payload_time } = item.payload
    const { transfer_id, transfer_config_reference } = run
    const { encrypted, decrypted } = done
    await enterDelivery(tx, {
      transfer_config_reference,
      transfer_id,
      payload_id,
      payload_time,
      at,
      encrypted,
      decrypted,
    })
    const facts = { payload_reference, transfer_id, transfer_config_reference }
    const entry = systemEntry(delivery, { at, by: TRANSFERS }, DELIVER, facts)
    await ctx.audit.appendWithin(tx, entry)
    await notePayloadAudit(tx, [payload_id], {
      at,
      log_id: entry.log_id,
      portal_user: TRANSFERS,
      action: DELIVER,
    })
  })
}

async function finish(
  tx: Tx,
  { now }: Pick<AppContext, 'now'>,
  run: TransferRun,
  error_message: string | null,
): Promise<void> {
  const at = now()
  if (error_message !== null)
    await failWaiting(tx, run.transfer_id, { at, by: run.updated_by, error_message })
  const { transfer_state, failed } = await finishRun(tx, run.transfer_id, { at, error_message })
  countDelivery('transfer', transfer_state === 'Succeeded')
  if (transfer_state === 'Succeeded') await settleRun(tx, run, at)
  else await alertOnRun(tx, run, { at, failed, error_message })
}
