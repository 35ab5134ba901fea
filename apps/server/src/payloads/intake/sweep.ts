import { LATE_AFTER_SECONDS } from '@custodia/contract'
import * as z from 'zod/mini'
import type { House } from '../../house.ts'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import { ObjectStoreUnavailable } from '../../ports/objects/port.ts'
import { sweepAddresses } from '../data/address-store.ts'
import { findAwaited } from './arrival-store.ts'
import { noticeArrivals } from './arrive.ts'
import { raiseDeviceAlert } from './device-alert.ts'
import { ORPHAN_AFTER } from '../data-objects.ts'
import { touchChange } from '../state-store.ts'
import { findOrphans, markLateUploads, takeStuck, takeUnchecked } from './sweep-store.ts'
import { processPayload } from '../processing/process-job.ts'

/** Seconds after which work that nobody finished is asked for again. */
const STUCK_AFTER = 120
/** Payloads looked at per client and run. */
const BATCH = 500
/** Objects that the store may refuse per client and run before it counts as out of service. */
const MOST_REFUSED = 10

const nothing = z.object({})

/** Finds what a crash left half done: data that arrived unnoticed, processing that nobody does, uploads that became late. */
export const sweepPayloads = jobKind({
  name: 'payloads.sweep',
  input: nothing,
  every: 30,
  async run(house) {
    for (const { client_id } of await listClients(house.db)) {
      await noticeUnannouncedArrivals(house, client_id)
      await nudgeStuck(house, client_id)
      await markLate(house, client_id)
    }
    await house.db.globalWrite((tx) => sweepAddresses(tx, house.now()))
  },
})

/**
 * The least recently checked first, so that a long queue is walked through in turn. An object that cannot be read or synced stays
 * awaited, and holds up neither other payloads nor other clients.
 */
async function noticeUnannouncedArrivals(house: House, client_id: number): Promise<void> {
  const references = await house.db.write(client_id, (tx) => takeUnchecked(tx, BATCH, house.now()))
  let refused = 0
  for (const payload of await findAwaited(house, client_id, references)) {
    try {
      await noticeArrivals(house, [payload])
    } catch (error) {
      if (!(error instanceof ObjectStoreUnavailable)) throw error
      house.log.warn({ reason: error.message }, 'an object cannot be made durable; it is looked at again')
      if (++refused === MOST_REFUSED) return
    }
  }
}

async function nudgeStuck(house: House, client_id: number): Promise<void> {
  await house.db.write(client_id, async (tx) => {
    const stuck = await takeStuck(tx, processPayload.name, {
      now: house.now(),
      before: house.now() - STUCK_AFTER,
    })
    for (const { payload_id, size } of stuck)
      await house.jobs.send(tx, processPayload, { client_id, payload_id, size })
  })
}

/** What was recorded more than a week ago and has not arrived is late; one alert per device says so. */
async function markLate(house: House, client_id: number): Promise<void> {
  const now = house.now()
  await house.db.write(client_id, async (tx) => {
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

/** Removes objects that belong to no payload: what crashed attempts made. Never an upload that a phone was told is safe. */
export const sweepObjects = jobKind({
  name: 'objects.sweep',
  input: nothing,
  every: 6 * 3600,
  async run(house) {
    const before = house.now() - ORPHAN_AFTER
    await house.objects.sweep(before)
    for (const { client_id, client } of await listClients(house.db))
      await sweepOrphans(house, client_id, client, before)
  },
})

async function sweepOrphans(house: House, client_id: number, client: string, before: number): Promise<void> {
  let batch: string[] = []
  for await (const { key, modified_at } of house.objects.list(`${client}/`)) {
    // Uploads are evidence, also those that were refused: only derived objects can be nobody's.
    if (modified_at >= before || key.includes('/original-')) continue
    if (batch.push(key) < BATCH) continue
    await removeOrphans(house, client_id, batch)
    batch = []
  }
  await removeOrphans(house, client_id, batch)
}

async function removeOrphans(house: House, client_id: number, keys: readonly string[]): Promise<void> {
  const orphans = await house.db.read(client_id, (q) => findOrphans(q, keys))
  for (const key of orphans) {
    house.log.warn({ object: 'derived' }, 'an object of a crashed attempt is removed')
    await house.objects.delete(key)
  }
}
