import { isDataless } from '@custodia/contract'
import { type AlertEvent, raiseAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import { findHoldings, holderAt, noteActivityBaselines } from '../../device-records/store.ts'
import type { DeviceContext } from '../../http/context.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { keepDeviceDek, type KeptDeviceDek } from '../../ports/keys/device-dek.ts'
import { processPayload } from '../processing/process.ts'
import { countPayloads } from '../state-store.ts'
import {
  findAnnounced,
  insertPayloads,
  isAhead,
  type KnownPayload,
  listedTime,
  type NewPayload,
  type StoredPayload,
} from './announce-store.ts'

/** Raises an alert about a device for the client's staff: one for all `ahead` payloads, one for all `late` ones. */
export function raiseDeviceAlert(
  tx: Tx,
  what: 'ahead' | 'late',
  { device_reference, group_id }: { device_reference: string; group_id: number },
  about: Pick<AlertEvent, 'now'> & { values: Readonly<Record<string, string>> },
): Promise<void> {
  return raiseAlert(tx, {
    group_id,
    alert_scopes: ['ops'],
    alert_targets: ['client', 'admin'],
    alert_key_type: 'Scoped',
    alert_type: 'DeviceAlert',
    alert_key: `${what} ${device_reference}`,
    text: `device_${what}`,
    values: { device_reference, ...about.values },
    alert_severity: 'Medium',
    related_entities: [{ entity_id: device_reference, entity_type: 'Device' }],
    now: about.now,
  })
}

type Item = Pick<NewPayload, 'announcement' | 'fingerprint'>

/** The announcements of one call. */
export interface AnnouncementBatch extends Pick<DeviceContext, 'caller' | 'now' | 'ip'> {
  items: readonly Item[]
}

type Payloads = ReadonlyMap<string, KnownPayload>

/**
 * Stores the new announcements of a client's devices; the number of statements does not grow with the calls.
 * Resolves, for each call, to all its payloads as they are now.
 */
export async function storeAnnouncements(
  ctx: AppContext,
  tx: Tx,
  stated: readonly AnnouncementBatch[],
): Promise<Payloads[]> {
  const slots: Buffer[] = []
  try {
    return await store(ctx, tx, stated, slots)
  } catch (error) {
    // The transaction failed, and the device sends the same key again, which must not exist twice.
    await forget(ctx, slots)
    throw error
  }
}

async function store(
  ctx: AppContext,
  tx: Tx,
  stated: readonly AnnouncementBatch[],
  slots: Buffer[],
): Promise<Payloads[]> {
  const references = stated.flatMap(({ items }) => items.map(getReference))
  const known = await findAnnounced(tx, references)
  const fresh = firstOfEach(stated, known)
  const made = await storeNew(ctx, tx, fresh, slots)
  for (const payload of made) known.set(payload.payload_reference, payload)
  // Payloads that another process stored concurrently.
  const all = made.length < fresh.length ? await findAnnounced(tx, references) : known
  for (const call of stated) {
    for (const item of call.items) await reportConflict(tx, call, item, all.get(getReference(item)))
  }
  await noteActivityBaselines(tx, made)
  // Last: announcements of the client wait for these counter rows until the commit.
  await countPayloads(tx, made)
  return stated.map(() => all)
}

const getReference = ({ announcement }: Item): string => announcement.payload_reference

interface Fresh {
  call: AnnouncementBatch
  item: Item
}

/** New payloads; of two with the same reference the first. The other is its repetition or a conflict. */
function firstOfEach(stated: readonly AnnouncementBatch[], known: Payloads): Fresh[] {
  const all = stated.flatMap((call) => call.items.map((item) => ({ call, item })))
  const byReference = new Map(all.toReversed().map((each) => [getReference(each.item), each]))
  return all.filter(
    ({ item }, i) => byReference.get(getReference(item)) === all[i] && !known.has(getReference(item)),
  )
}

/** Wipes unused slots, as far as possible now. */
const forget = ({ keys, log }: AppContext, slots: readonly Buffer[]): Promise<unknown> =>
  keys
    .forget(slots)
    .catch((error: unknown) => log.warn({ err: error }, 'unused key slots could not be wiped'))

async function storeNew(
  ctx: AppContext,
  tx: Tx,
  fresh: readonly Fresh[],
  slots: Buffer[],
): Promise<StoredPayload[]> {
  if (fresh.length === 0) return []
  const devices = new Set(fresh.map(({ call }) => call.caller.device_id))
  // Together, so that the keys share one sync; they are durable before a row names them.
  const [holdings, kept] = await Promise.all([
    findHoldings(tx, [...devices]),
    Promise.all(
      fresh.map(({ call: { caller }, item: { announcement } }) =>
        keepDeviceDek(ctx.keys, { ...announcement, client: caller.client }, announcement.encrypted_dek),
      ),
    ),
  ])
  slots.push(...kept.map(({ dek_key }) => dek_key))
  const made = await insertPayloads(
    tx,
    fresh.map(({ call: { caller, now, ip }, item }, i) => ({
      ...item,
      kept: kept[i] as KeptDeviceDek,
      device: caller,
      now,
      ip,
      holder: holderAt(holdings.get(caller.device_id), listedTime(item.announcement, now)),
      state: isDataless(item.announcement.payload_type) ? 'Uploaded' : 'Recorded',
    })),
  )
  const stored = new Set(made.map(({ payload_reference }) => payload_reference))
  // Another request stored these first.
  const unnamed = fresh.flatMap(({ item }, i) =>
    stored.has(getReference(item)) ? [] : (kept[i]?.dek_key ?? []),
  )
  if (unnamed.length > 0) await forget(ctx, unnamed)
  await reportAhead(tx, fresh)
  const dataless = new Set(
    fresh.flatMap(({ item }) => (isDataless(item.announcement.payload_type) ? [getReference(item)] : [])),
  )
  const work = made.filter(({ payload_reference }) => dataless.has(payload_reference))
  if (work.length > 0)
    await ctx.jobs.send(
      tx,
      processPayload,
      ...work.map(({ payload_id }) => ({ client_id: tx.client_id, payload_id })),
    )
  return made
}

/**
 * Whether a payload belongs to another device or has other content. A device with a new registration uploads its
 * earlier announcements again: the hardware and the announcement are the same.
 */
export function isConflict(
  { device_id, same_hardware, fingerprint }: KnownPayload,
  by: number,
  stated: Buffer,
): boolean {
  return (device_id !== by && !same_hardware.includes(by)) || !fingerprint.equals(stated)
}

/** Raises one alert per device whose clock is far ahead; its recordings are kept. */
async function reportAhead(tx: Tx, fresh: readonly Fresh[]): Promise<void> {
  const ahead = fresh.filter(({ call, item }) => isAhead(item.announcement, call.now))
  const firsts = new Map(ahead.toReversed().map((each) => [each.call.caller.device_id, each]))
  for (const { call, item } of firsts.values()) {
    const values = { payload_reference: getReference(item) }
    await raiseDeviceAlert(tx, 'ahead', call.caller, { values, now: call.now })
  }
}

/** Reports two recordings under one reference to the client's staff; overwrites nothing. */
async function reportConflict(
  tx: Tx,
  { caller, now }: AnnouncementBatch,
  item: Item,
  payload: KnownPayload | undefined,
): Promise<void> {
  if (!payload || !isConflict(payload, caller.device_id, item.fingerprint)) return
  const payload_reference = getReference(item)
  await raiseAlert(tx, {
    group_id: payload.group_id,
    alert_scopes: ['sec'],
    alert_targets: ['client'],
    alert_key_type: 'Scoped',
    alert_type: 'PayloadAlert',
    alert_key: `conflict ${caller.device_reference}`,
    text: 'reference_reused',
    values: { device_reference: caller.device_reference, payload_reference },
    alert_severity: 'High',
    related_entities: [
      { entity_id: payload_reference, entity_type: 'Payload' },
      { entity_id: caller.device_reference, entity_type: 'Device' },
    ],
    now,
  })
}
