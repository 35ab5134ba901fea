import { LATE_AFTER_SECONDS } from '@custodia/contract'
import * as z from 'zod/mini'
import type { AppContext } from '../../app-context.ts'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { ObjectStoreUnavailable } from '../../ports/objects/port.ts'
import { ORPHAN_AFTER } from '../data-objects.ts'
import { sweepAddresses } from '../data/find-address-store.ts'
import { processPayload } from '../processing/process.ts'
import { touchChange } from '../state-store.ts'
import { raiseDeviceAlert } from './announce-commit.ts'
import { findAwaited, findOrphans, markLateUploads, takeStuck, takeUnchecked } from './arrival-store.ts'
import { noticeArrivals } from './upload.ts'

/** Seconds after which unfinished work is queued again. */
const STUCK_AFTER = 120
/** Payloads per client and run. */
const BATCH = 500
/** Refused objects per client and run before the store counts as unavailable. */
const MAX_REFUSED = 10

const nothing = z.object({})

/** Finds what a crash left unfinished: unprocessed arrivals, stuck processing and late uploads. */
export const sweepPayloads = jobKind({
  name: 'payloads.sweep',
  input: nothing,
  every: 30,
  async run(ctx) {
    for (const { client_id } of await listClients(ctx.db)) {
      await noticeUnannouncedArrivals(ctx, client_id)
      await nudgeStuck(ctx, client_id)
      await markLate(ctx, client_id)
    }
    await ctx.db.globalWrite((tx) => sweepAddresses(tx, ctx.now()))
  },
})

/**
 * The least recently checked first, so that each gets its turn. An unreadable object stays expected and
 * delays no other payload or client.
 */
async function noticeUnannouncedArrivals(ctx: AppContext, client_id: number): Promise<void> {
  const references = await ctx.db.write(client_id, (tx) => takeUnchecked(tx, BATCH, ctx.now()))
  let refused = 0
  for (const payload of await findAwaited(ctx, client_id, references)) {
    try {
      await noticeArrivals(ctx, [payload])
    } catch (error) {
      if (!(error instanceof ObjectStoreUnavailable)) throw error
      ctx.log.warn({ err: error }, 'an object cannot be made durable; it is looked at again')
      if (++refused === MAX_REFUSED) return
    }
  }
}

async function nudgeStuck(ctx: AppContext, client_id: number): Promise<void> {
  await ctx.db.write(client_id, async (tx) => {
    const stuck = await takeStuck(tx, processPayload.name, {
      now: ctx.now(),
      before: ctx.now() - STUCK_AFTER,
    })
    for (const { payload_id, size } of stuck)
      await ctx.jobs.send(tx, processPayload, { client_id, payload_id, size })
  })
}

/** Payloads older than a week that have not arrived are late; one alert per device. */
async function markLate(ctx: AppContext, client_id: number): Promise<void> {
  const now = ctx.now()
  await ctx.db.write(client_id, async (tx) => {
    const rows = await markLateUploads(tx, { now, before: now - LATE_AFTER_SECONDS })
    await touchChange(
      tx,
      rows.map((row) => row.payload_id),
      now,
    )
    const values = { days: String(LATE_AFTER_SECONDS / 86_400) }
    const devices = new Map(rows.map((row) => [row.device_reference, row]))
    for (const device of devices.values()) await raiseDeviceAlert(tx, 'late', device, { values, now })
  })
}

/**
 * Removes objects of crashed attempts that belong to no payload. Never removes an upload that was confirmed to a
 * device.
 */
export const sweepObjects = jobKind({
  name: 'objects.sweep',
  input: nothing,
  every: 6 * 3600,
  async run(ctx) {
    const before = ctx.now() - ORPHAN_AFTER
    await ctx.objects.sweep(before)
    for (const { client_id, client } of await listClients(ctx.db))
      await sweepOrphans(ctx, client_id, client, before)
  },
})

async function sweepOrphans(
  ctx: AppContext,
  client_id: number,
  client: string,
  before: number,
): Promise<void> {
  let batch: string[] = []
  for await (const { key, modified_at } of ctx.objects.list(`${client}/`)) {
    // Uploads are evidence, also refused ones: only derived objects are removed.
    if (modified_at >= before || key.includes('/original-')) continue
    if (batch.push(key) < BATCH) continue
    await removeOrphans(ctx, client_id, batch)
    batch = []
  }
  await removeOrphans(ctx, client_id, batch)
}

async function removeOrphans(ctx: AppContext, client_id: number, keys: readonly string[]): Promise<void> {
  const orphans = await ctx.db.read(client_id, (q) => findOrphans(q, keys))
  for (const key of orphans) {
    ctx.log.warn({ object: 'derived' }, 'an object of a crashed attempt is removed')
    await ctx.objects.delete(key)
  }
}
