import { createHash } from 'node:crypto'
import {
  type Announcement,
  type AnnouncementAnswer,
  isDataless,
  UPLOAD_ADDRESS_SECONDS,
} from '@custodia/contract'
import { deviceView } from '@custodia/domain'
import { raiseAlert } from '../../alerts/raise.ts'
import type { House } from '../../house.ts'
import { tooManyRequests } from '../../http/admit.ts'
import type { DeviceContext, Handler } from '../../http/context.ts'
import { nameOf } from '../../http/rate-limit.ts'
import { TokenBuckets } from '../../http/token-buckets.ts'
import type { Tx } from '../../ports/database/lease.ts'
import {
  countPayloads,
  findAnnounced,
  findHoldings,
  holderAt,
  insertPayloads,
  isAhead,
  type KnownPayload,
  listedTime,
  type NewPayload,
  type StoredPayload,
} from './announce-store.ts'
import { stateOfCode } from '../codes.ts'
import { isResendable } from '../failures.ts'
import { processPayload } from '../processing/process-job.ts'
import { originalKey } from '../original-key.ts'

/**
 * Takes announcements; repeating one gives the same answer, whatever became of the payload since. Each phone has a budget of payloads,
 * not of calls: one call brings a hundred. Problem: too_many_requests.
 */
export function announcePayloads(house: House): Handler<'announcePayloads'> {
  const buckets = house.config.rates.items && new TokenBuckets(house.config.rates.items)
  return async (context, { body }) => {
    // Before anything is stored: the phone still has all of them, and comes back.
    const early = buckets?.take(nameOf(context.caller), body.payloads.length)
    if (early) throw tooManyRequests(context, early)
    const items = body.payloads.map((announcement) => ({
      announcement,
      fingerprint: fingerprintOf(announcement),
    }))
    const valid = items.filter(({ announcement }) => isCoherent(announcement))
    const known = await context.write((tx) => store(house, tx, context, valid))
    const payloads: AnnouncementAnswer[] = []
    for (const { announcement, fingerprint } of items) {
      const payload = known.get(announcement.payload_reference)
      payloads.push(await answer(house, context, announcement, fingerprint, payload))
    }
    return { payloads }
  }
}

/** Calls that were not recorded bring no data, all others bring some; and nothing ends before it begins. */
function isCoherent({
  payload_type,
  payload_time,
  payload_end_time = payload_time,
  checksum,
  size,
}: Announcement): boolean {
  if (payload_end_time < payload_time) return false
  const hasData = checksum !== undefined && size !== undefined
  const bringsNone = checksum === undefined && size === undefined
  return isDataless(payload_type) ? bringsNone : hasData
}

/** Everything that a phone says of a payload: the same again is a repetition, anything else a conflict. */
function fingerprintOf(a: Announcement): Buffer {
  const said = [
    a.payload_type,
    a.payload_time,
    a.payload_end_time ?? null,
    a.key_id,
    a.encrypted_dek,
    a.iv,
    a.meta,
    a.checksum ?? null,
    a.size ?? null,
  ]
  return createHash('sha256').update(JSON.stringify(said)).digest()
}

type Item = Pick<NewPayload, 'announcement' | 'fingerprint'>

/** Stores what is new; resolves to all payloads of these references as they are now. */
async function store(
  house: House,
  tx: Tx,
  context: DeviceContext,
  items: readonly Item[],
): Promise<Map<string, KnownPayload>> {
  const { caller, now, ip } = context
  const references = items.map(({ announcement }) => announcement.payload_reference)
  const known = await findAnnounced(tx, caller.client_id, references)
  const fresh = items.filter(({ announcement }) => !known.has(announcement.payload_reference))
  let made: StoredPayload[] = []
  if (fresh.length > 0) {
    const holdings = await findHoldings(tx, caller.client_id, caller.device_id)
    made = await insertPayloads(
      tx,
      caller,
      fresh.map((item) => ({
        ...item,
        holder: pick(holderAt(holdings, listedTime(item.announcement, now))),
        state: isDataless(item.announcement.payload_type) ? 'Uploaded' : 'Recorded',
      })),
      { now, ip },
    )
    await reportAhead(tx, context, fresh)
    const dataless = new Set(
      fresh.flatMap(({ announcement: { payload_type, payload_reference } }) =>
        isDataless(payload_type) ? [payload_reference] : [],
      ),
    )
    for (const { payload_id, payload_reference } of made) {
      if (dataless.has(payload_reference))
        await house.jobs.send(tx, processPayload, { client_id: caller.client_id, payload_id })
    }
    for (const payload of made) known.set(payload.payload_reference, payload)
  }
  // What another request stored meanwhile.
  const all = made.length < fresh.length ? await findAnnounced(tx, caller.client_id, references) : known
  for (const item of items)
    await reportConflict(tx, context, item, all.get(item.announcement.payload_reference))
  // Last: totals are the rows that announcements of one client wait for each other at, until the commit.
  await countPayloads(tx, made)
  return all
}

const pick = ({ device_user_id, group_id }: NewPayload['holder']) => ({ device_user_id, group_id })

function isConflict(payload: KnownPayload, device_id: number, fingerprint: Buffer): boolean {
  return payload.device_id !== device_id || !payload.fingerprint.equals(fingerprint)
}

/** A phone whose clock is far ahead: its recordings are kept, and somebody should look at it. One alert per device. */
async function reportAhead(tx: Tx, { caller, now }: DeviceContext, items: readonly Item[]): Promise<void> {
  const ahead = items.find(({ announcement }) => isAhead(announcement, now))
  if (!ahead) return
  const { client_id, device_reference, group_id } = caller
  const { payload_reference } = ahead.announcement
  await raiseAlert(tx, {
    client_id,
    group_id,
    alert_scopes: ['ops'],
    alert_targets: ['client', 'admin'],
    alert_key_type: 'Scoped',
    alert_type: 'DeviceAlert',
    alert_key: `ahead ${device_reference}`,
    text: 'device_ahead',
    values: { device_reference, payload_reference },
    alert_severity: 'Medium',
    related_entities: [{ entity_id: device_reference, entity_type: 'Device' }],
    now,
  })
}

/** Two recordings under one reference: nothing is overwritten, and the client's staff are told. */
async function reportConflict(
  tx: Tx,
  { caller, now }: DeviceContext,
  item: Item,
  payload: KnownPayload | undefined,
): Promise<void> {
  if (!payload || !isConflict(payload, caller.device_id, item.fingerprint)) return
  const { payload_reference } = item.announcement
  await raiseAlert(tx, {
    client_id: caller.client_id,
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

async function answer(
  house: House,
  { caller, now }: DeviceContext,
  announcement: Announcement,
  fingerprint: Buffer,
  payload: KnownPayload | undefined,
): Promise<AnnouncementAnswer> {
  const { payload_reference } = announcement
  if (!payload) return { payload_reference, status: 'failed', problem: 'invalid_announcement' }
  if (isConflict(payload, caller.device_id, fingerprint))
    return { payload_reference, status: 'failed', problem: 'payload_conflict' }
  const state = stateOfCode(payload.state)
  const status = deviceView(state)
  const wantsData = state === 'Recorded' || (state === 'Failed' && isResendable(payload.failure))
  if (!wantsData || payload.checksum === null || payload.size === null) return { payload_reference, status }
  const { url, headers } = await house.objects.uploadAddress({
    key: originalKey(caller.client, payload_reference, payload.rejected_count),
    size: payload.size,
    sha256: payload.checksum,
    expires_at: now + UPLOAD_ADDRESS_SECONDS,
    sender: caller.device_reference,
  })
  return {
    payload_reference,
    status,
    upload_url: url,
    upload_headers: headers,
  }
}
