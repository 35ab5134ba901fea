import { SERVICES, serviceOf, type TransferRun } from '@custodia/contract'
import type { House } from '../house.ts'
import { marked } from '../http/context.ts'
import { systemEntry } from '../http/system-entry.ts'
import { notePayloadAudit } from '../payloads/store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { TargetProblem, type TargetSession } from '../ports/targets/port.ts'
import { settleRun, tellOfRun } from './alerts.ts'
import { enterDelivery } from './audit-store.ts'
import { type Delivery, deliverItem, formatOf } from './deliver.ts'
import { reportNames } from './facts.ts'
import {
  addReports,
  failWaiting,
  finishRun,
  gatherItems,
  gatherRestored,
  noteAttempt,
  noteGathered,
  takeItems,
  type WaitingItem,
} from './item-store.ts'
import { findRun } from './run-store.ts'
import { findConfig, type StoredConfig } from './store.ts'
import { openTarget } from './target.ts'
import { TargetTooSlow, watchWork } from './watch-session.ts'

/** Who carries runs out, in attempts and the audit of payloads. */
const TRANSFERS = marked('transfers', 'system')
/** What it does, as audit entries name it. */
const DELIVER = 'transfers:deliver'
/** Items that are taken at a time. */
const TAKEN = 16
/** Connections that a run opens before it gives up: one may break without anybody's fault. */
const CONNECTIONS = 3
/** What ends a way to a target, and every item that is on it. */
const BROKEN: ReadonlySet<string> = new Set(['connection_lost', 'timeout'])

type Parts = Pick<House, 'config' | 'db' | 'keys' | 'objects' | 'egress' | 'audit' | 'now'>
interface Account {
  client_id: number
  client: string
}
interface Scope extends Account {
  house: Parts
  run: TransferRun
  stored: StoredConfig
  signal: AbortSignal
}

/**
 * Carries a run out, from wherever it stands: gathers what is due, puts it on the target and notes each attempt. One process at a time; of one that is
 * killed the database lets go by itself, and the next goes on. Nothing is noted before it lies there, so that what was on its way goes once more, as
 * the same file.
 */
export async function carryOutRun(
  house: Parts,
  { client_id, client, transfer_id }: Account & { transfer_id: string },
  signal: AbortSignal,
): Promise<void> {
  const work = async (both: AbortSignal) => {
    const found = await house.db.read(client_id, async (q) => {
      const run = await findRun(q, transfer_id)
      return { run, stored: run && (await findConfig(q, run.transfer_config_reference)) }
    })
    const { run, stored } = found
    if (!run || run.completed_at !== null) return
    const error_message = stored
      ? await carryOut({ house, client_id, client, run, stored, signal: both })
      : 'refused: the transfer config is gone'
    await house.db.write(client_id, (tx) => finish(tx, house, run, error_message))
  }
  const isMine = await house.db.locked(`transfer:${client_id}:${transfer_id}`, (lost) =>
    work(AbortSignal.any([signal, lost])),
  )
  if (!isMine) throw new Error('another process carries the run out')
}

/** Ends a run that nobody gets through. */
export async function giveUpRun(house: Parts, account: Account & { transfer_id: string }): Promise<void> {
  await house.db.write(account.client_id, async (tx) => {
    const run = await findRun(tx, account.transfer_id)
    if (run?.completed_at === null) await finish(tx, house, run, 'refused: it could not be carried out')
  })
}

/**
 * Resolves to why not all of it could be tried; null: it was. When its config is deleted, switched off or changed meanwhile, what is on its way is
 * cut within seconds.
 */
async function carryOut(begun: Scope): Promise<string | null> {
  await gather(begun)
  const { transfers } = begun.house.config
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

/** Delivers all that waits over one connection, within limits. Throws TargetProblem and ConfigChanged. */
async function deliverOver(begun: Scope, transfers: House['config']['transfers']): Promise<null> {
  const { house, client, signal } = begun
  const scope = { ...begun, stored: await presentConfig(begun) }
  const { config, sealed } = scope.stored
  const work = watchWork({ transfers, signal, check: () => assertSame(scope) })
  let session: TargetSession | undefined
  try {
    const format = await formatOf(scope)
    const asked = { params: config.params, kept: sealed }
    session = work.watch(
      await openTarget(house, client, config.transfer_config_reference, asked, work.signal),
    )
    await deliverAll({ ...scope, session, format, signal: work.signal })
    return null
  } catch (error) {
    // What was cut says that its connection was lost; why it was cut is known here.
    throw work.signal.aborted ? work.signal.reason : error
  } finally {
    work.stop()
    await session?.close()
  }
}

/** Its config is another than the one by which it was being delivered. */
class ConfigChanged extends Error {}

/** Throws what ends a run whose config is not as it was any more. */
async function assertSame(scope: Scope): Promise<void> {
  const { config } = await presentConfig(scope)
  if (config.version !== scope.stored.config.version) throw new ConfigChanged()
}

/** The config of a run as it is now. Throws TargetProblem where nothing is to be sent by it any more. */
async function presentConfig({ house, client_id, run }: Omit<Scope, 'stored'>): Promise<StoredConfig> {
  const stored = await house.db.read(client_id, (q) => findConfig(q, run.transfer_config_reference))
  if (!stored) throw new TargetProblem('refused', 'the transfer config is gone')
  if (!stored.config.is_active) throw new TargetProblem('refused', 'the transfer config is switched off')
  return stored
}

/** Gathers what is due, once; a part at a time, so that it may be broken off. */
async function gather({ house: { db }, client_id, run, stored, signal }: Scope): Promise<void> {
  if (run.transfer_state !== 'Pending') return
  const types = stored.config.payload_types
  if (run.transfer_type === 'Report')
    await db.write(client_id, (tx) => addReports(tx, run, Object.values(reportNames(run))))
  else {
    for (const service of SERVICES) {
      const own = types.filter((type) => serviceOf(type) === service)
      if (own.length === 0) continue
      let after: Awaited<ReturnType<typeof gatherItems>>
      do {
        signal.throwIfAborted()
        const from = after
        after = await db.write(client_id, (tx) => gatherItems(tx, run, own, { service, after: from }))
      } while (after)
    }
    await db.write(client_id, (tx) => gatherRestored(tx, run, types))
  }
  await db.write(client_id, (tx) => noteGathered(tx, run.transfer_id))
}

async function deliverAll(delivery: Delivery & Scope): Promise<void> {
  const { house, client_id, run, signal } = delivery
  for (;;) {
    signal.throwIfAborted()
    await assertSame(delivery)
    const items = await house.db.write(client_id, (tx) => takeItems(tx, run.transfer_id, TAKEN))
    if (items.length === 0) return
    const waiting = [...items]
    const one = async () => {
      for (let item = waiting.shift(); item; item = waiting.shift()) {
        signal.throwIfAborted()
        await attempt(delivery, item)
      }
    }
    // All of them end before anything else is done, so that nobody writes to a file that the next one writes.
    const ends = await Promise.allSettled(Array.from({ length: delivery.session.side_by_side }, one))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}

/** Tries one item and notes what came of it. Throws what ends the whole run, or the way to its target. */
async function attempt(delivery: Delivery, item: WaitingItem): Promise<void> {
  const { house, client_id, run } = delivery
  const by = run.updated_by
  const done = await deliverItem(delivery, item).catch((error: unknown) => {
    if (error instanceof TargetProblem && !BROKEN.has(error.reason)) return error
    throw error
  })
  const at = house.now()
  await house.db.write(client_id, async (tx) => {
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
    await house.audit.appendWithin(tx, entry)
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
  { now }: Pick<House, 'now'>,
  run: TransferRun,
  error_message: string | null,
): Promise<void> {
  const at = now()
  if (error_message !== null)
    await failWaiting(tx, run.transfer_id, { at, by: run.updated_by, error_message })
  const { transfer_state, failed } = await finishRun(tx, run.transfer_id, { at, error_message })
  if (transfer_state === 'Succeeded') await settleRun(tx, run, at)
  else await tellOfRun(tx, run, { at, failed, error_message })
}
