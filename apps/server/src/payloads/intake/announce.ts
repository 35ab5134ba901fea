import { createHash } from 'node:crypto'
import {
  type Announcement,
  type AnnouncementAnswer,
  isDataless,
  UPLOAD_ADDRESS_SECONDS,
} from '@custodia/contract'
import { deviceView, undeleted } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { getName, TokenBuckets, tooManyRequests } from '../../http/admit.ts'
import { AuditedBatcher } from '../../http/audited-batcher.ts'
import type { DeviceContext, Handler } from '../../http/context.ts'
import { stateIfAny, stateOfCode } from '../../payload-records/codes.ts'
import { originalKey } from '../original-key.ts'
import { isResendable } from '../processing/attempts-store.ts'
import { isConflict, type AnnouncementBatch, storeAnnouncements } from './announce-commit.ts'
import type { KnownPayload } from './announce-store.ts'
import { findAwaited, readStates } from './arrival-store.ts'
import { noticeArrivals } from './upload.ts'

/** Payloads in one transaction; a larger call has one of its own. */
const MAX_TOGETHER = 200

/**
 * Takes announcements. Repeating one gives the same response, in any later state. The rate limit counts a
 * device's payloads, because one call announces up to a hundred. Problem: too_many_requests.
 */
export function announcePayloads(ctx: AppContext): Handler<'announcePayloads'> {
  const buckets = ctx.config.rates.items && new TokenBuckets(ctx.config.rates.items)
  const announcements = new AuditedBatcher({
    ...ctx,
    work: (tx, stated: readonly AnnouncementBatch[]) => storeAnnouncements(ctx, tx, stated),
    most: MAX_TOGETHER,
    getSize: ({ items }) => items.length,
  })
  return async (context, { body }) => {
    // Before anything is stored: the device keeps all of them and tries again.
    const early = buckets?.take(getName(context.caller), body.payloads.length)
    if (early) throw tooManyRequests(context, early)
    const items = body.payloads.map((announcement) => ({
      announcement,
      fingerprint: getFingerprint(announcement),
    }))
    const valid = items.filter(({ announcement }) => isCoherent(announcement))
    const { caller, now, ip } = context
    const known = await context.writeBatched(announcements, { caller, now, ip, items: valid })
    const payloads: AnnouncementAnswer[] = []
    for (const { announcement, fingerprint } of items) {
      const payload = known.get(announcement.payload_reference)
      payloads.push(await answer(ctx, context, announcement, fingerprint, payload))
    }
    return { payloads }
  }
}

/** Unrecorded calls have no data, all others have some; and an end never precedes its start. */
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

/** Hash of an announcement: the same one is a repetition, another one a conflict. */
function getFingerprint(a: Announcement): Buffer {
  const stated = [
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
  return createHash('sha256').update(JSON.stringify(stated)).digest()
}

async function answer(
  ctx: AppContext,
  { caller, now }: DeviceContext,
  announcement: Announcement,
  fingerprint: Buffer,
  payload: KnownPayload | undefined,
): Promise<AnnouncementAnswer> {
  const { payload_reference } = announcement
  if (!payload) return { payload_reference, status: 'failed', problem: 'invalid_announcement' }
  if (isConflict(payload, caller.device_id, fingerprint))
    return { payload_reference, status: 'failed', problem: 'payload_conflict' }
  // A deleted payload looks unchanged to its device, and its data is still accepted.
  const state = undeleted(stateOfCode(payload.state), stateIfAny(payload.state_before_deletion))
  const status = deviceView(state)
  const wantsData = state === 'Recorded' || (state === 'Failed' && isResendable(payload.failure))
  if (!wantsData || payload.checksum === null || payload.size === null) return { payload_reference, status }
  const { url, headers } = await ctx.objects.uploadAddress({
    key: originalKey(caller.client, payload_reference, payload.rejected_count),
    size: payload.size,
    sha256: payload.checksum,
    expires_at: now + UPLOAD_ADDRESS_SECONDS,
    sender: caller.device_reference,
  })
  return { payload_reference, status, upload_url: url, upload_headers: headers }
}

/** The states of a device's own payloads. Notices data in the object store without waiting for the sweep. */
export function readPayloadStatus(ctx: AppContext): Handler<'readPayloadStatus'> {
  return async (context, { body: { payload_references } }) => {
    const { client_id } = context.caller
    if (ctx.objects.kind === 's3')
      await noticeArrivals(ctx, await findAwaited(ctx, client_id, payload_references))
    const found = await context.read((q) => readStates(q, context.caller.device_id, payload_references))
    const known = new Map(found.map((row) => [row.payload_reference, row]))
    return {
      payloads: payload_references.map((payload_reference) => {
        const row = known.get(payload_reference)
        const status = deviceView(row?.state, row?.state_before_deletion)
        return {
          payload_reference,
          status,
          ...(status === 'failed' && row?.failure ? { reason: row.failure } : {}),
        }
      }),
    }
  }
}
