import type { IncomingMessage } from 'node:http'
import type { FailureCode } from '@custodia/contract'
import { isLate } from '@custodia/domain'
import { raiseAlert } from '../../alerts/raise.ts'
import type { AppContext } from '../../app-context.ts'
import { getClientId } from '../../clients/store.ts'
import { loggedParameters, newLogId } from '../../http/audit.ts'
import type { Context, Handler } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { Batcher } from '../../ports/database/batcher.ts'
import type { Tx } from '../../ports/database/lease.ts'
import type { FilesystemObjectStore } from '../../ports/objects/filesystem.ts'
import { ContentMismatch, NoRoom, ObjectExists, UploadForbidden } from '../../ports/objects/port.ts'
import type { VerifiedUpload } from '../../ports/objects/receive-upload.ts'
import { isCounted, takeBack } from '../deletion-store.ts'
import { originalKey, ownerOfKey } from '../original-key.ts'
import { failureAlert } from '../processing/attempts-store.ts'
import { processPayload } from '../processing/process.ts'
import { countPayloads, moveStates, touchChange } from '../state-store.ts'
import {
  type ExpectedPayload,
  beginWork,
  findAwaited,
  findDevicesOf,
  noteFailure,
  setLate,
} from './arrival-store.ts'

/**
 * Sets payloads of one client with durable data to `Uploaded` and queues their processing, in one
 * transaction. Repeating it changes nothing. Resolves to those that expected data; `along` writes about them
 * in the same transaction.
 */
async function noteArrivals(
  ctx: AppContext,
  client_id: number,
  awaited: readonly ExpectedPayload[],
  by: string,
  along?: (tx: Tx, arrived: readonly ExpectedPayload[]) => Promise<void>,
): Promise<readonly ExpectedPayload[]> {
  const now = ctx.now()
  return ctx.db.write(client_id, async (tx) => {
    const payload_ids = awaited.map(({ payload_id }) => payload_id)
    const arrive = (ids: readonly number[]) =>
      moveStates(tx, { payload_ids: ids, from: ['Recorded', 'Failed'], to: 'Uploaded', now, by })
    const moved = await arrive(payload_ids)
    // Restores payloads that were deleted because they were late, now that they arrived; locks the rows of the others.
    const rest = payload_ids.filter((payload_id) => !moved.has(payload_id))
    const back = rest.length > 0 ? await takeBack(tx, rest, { now, by }) : []
    for (const payload_id of await arrive(rest)) moved.add(payload_id)
    if (moved.size === 0) return []
    const ends = await beginWork(tx, [...moved], now)
    const late = ends.filter(({ recorded_end }) => isLate({ recorded_end, uploaded_at: now }))
    if (late.length > 0)
      await setLate(
        tx,
        late.map(({ payload_id }) => payload_id),
      )
    const arrived = awaited.filter(({ payload_id }) => moved.has(payload_id))
    const inputs = arrived.map(({ payload_id, size }) => ({ client_id, payload_id, size }))
    await ctx.jobs.send(tx, processPayload, ...inputs)
    await along?.(tx, arrived)
    await countPayloads(tx, back.filter(isCounted))
    return arrived
  })
}

/**
 * Checks whether the object store already has the data of expected payloads: devices upload to it directly,
 * or the server crashed before its response. Processing verifies the data, which a device could not replace
 * anyway.
 */
export async function noticeArrivals(ctx: AppContext, awaited: readonly ExpectedPayload[]): Promise<number> {
  let noticed = 0
  for (const payload of awaited) {
    const object = await ctx.objects.ensureDurable(
      originalKey(payload.client, payload.payload_reference, payload.rejected_count),
    )
    if (object) noticed += (await noteArrivals(ctx, payload.client_id, [payload], 'upload')).length
  }
  return noticed
}

/** A durable upload whose row is not updated yet. */
interface Arrival {
  client: string
  payload_reference: string
  key: string
  context: Context
  /** Duration of the upload in seconds. */
  duration: number
}

/** Arrivals per transaction. */
const MAX_TOGETHER = 64

type Arrivals = Batcher<Arrival, undefined>

/** Commits arrivals. `add` resolves when the payload is `Uploaded`, or was before. */
export const makeArrivals = (ctx: AppContext): Arrivals =>
  new Batcher({
    most: MAX_TOGETHER,
    async run(client_id, arrivals) {
      await write(ctx, client_id, arrivals)
      return arrivals.map(() => undefined)
    },
  })

async function write(ctx: AppContext, client_id: number, batch: readonly Arrival[]): Promise<void> {
  // An upload and its repeat are one arrival.
  const byKey = new Map(batch.map((arrival) => [arrival.key, arrival]))
  const getArrival = (payload: Parameters<typeof getKey>[0]) => byKey.get(getKey(payload))
  const references = [...new Set(batch.map(({ payload_reference }) => payload_reference))]
  // Absent: an earlier response was lost, and the payload is in a later state. Another key: the address of a
  // refused upload.
  const awaited = (await findAwaited(ctx, client_id, references)).filter(getArrival)
  if (awaited.length === 0) return
  await noteArrivals(ctx, client_id, awaited, 'upload', (tx, arrived) =>
    noteUploadActivity(
      ctx,
      tx,
      arrived.flatMap((payload) => {
        const arrival = getArrival(payload)
        return arrival ? [{ ...arrival, payload_id: payload.payload_id, status_code: 200 }] : []
      }),
    ),
  )
}

const getKey = (payload: { client: string; payload_reference: string; rejected_count: number }): string =>
  originalKey(payload.client, payload.payload_reference, payload.rejected_count)

/** Concurrent uploads of one device in one process; the SDK makes two. */
export const UPLOADS_PER_DEVICE = 4

type Connection = Pick<IncomingMessage, 'complete' | 'destroy'>

/** The running uploads of this process: one per address, a few per device, so that no device uses all connections. */
class RunningUploads {
  readonly #addresses = new Map<string, Connection>()
  readonly #devices = new Map<string, number>()

  /**
   * Starts an upload; the returned function ends it. A newer upload to the same address cuts the older connection,
   * unless all its bytes have arrived. Problem too_many_requests: the device has too many running uploads.
   */
  begin(address: string, device: string, connection: Connection): () => void {
    const before = this.#addresses.get(address)
    if (before && !before.complete) before.destroy(new Error('a newer upload to the same address'))
    const running = this.#devices.get(device) ?? 0
    if (running - (before ? 1 : 0) >= UPLOADS_PER_DEVICE) throw new Problem('too_many_requests')
    this.#devices.set(device, running + 1)
    this.#addresses.set(address, connection)
    return () => {
      if (this.#addresses.get(address) === connection) this.#addresses.delete(address)
      const left = (this.#devices.get(device) ?? 1) - 1
      if (left > 0) this.#devices.set(device, left)
      else this.#devices.delete(device)
    }
  }
}

/**
 * Receives sealed data at an upload address of ours, for stores without their own. Responds once the data is
 * durable.
 */
export function uploadPayload(ctx: AppContext): Handler<'uploadPayload'> {
  const running = new RunningUploads()
  const arrivals = makeArrivals(ctx)
  return async (context, { params }) => {
    const started = performance.now()
    // The upload is chunked; the payload itself is fine.
    if (context.request.headers['content-length'] === undefined) {
      void context.reply.header('connection', 'close')
      throw new Problem('length_required')
    }
    const store = ctx.objects
    if (!('receiveUpload' in store))
      throw new Problem('not_found', { detail: 'uploads go to the object store' })
    const { key } = await receive(ctx, store as FilesystemObjectStore, running, context, params.token)
    const owner = ownerOfKey(key)
    const client_id = owner && (await getClientId(ctx.db, owner.client))
    if (!owner || client_id === undefined)
      throw new Problem('not_found', { detail: 'the payload does not exist' })
    await arrivals.add(client_id, { key, ...owner, context, duration: secondsSince(started) })
    return { status: 'pending' }
  }
}

const secondsSince = (started: number) => (performance.now() - started) / 1000

async function receive(
  ctx: AppContext,
  store: FilesystemObjectStore,
  running: RunningUploads,
  context: Context,
  token: string,
) {
  const started = performance.now()
  const { raw, headers } = context.request
  const length = headers['content-length']
  let end = (): void => undefined
  let upload: VerifiedUpload | undefined
  try {
    upload = store.verifyUpload(token)
    const { key, sender } = upload
    end = running.begin(key, `${ownerOfKey(key)?.client} ${sender ?? key}`, raw)
    await store.receiveUpload(upload, raw, length === undefined ? undefined : Number(length))
    return upload
  } catch (error) {
    // The body may be half read: this connection carries no further request.
    void context.reply.header('connection', 'close')
    // An operator must free space, which takes time.
    if (error instanceof NoRoom) void context.reply.header('retry-after', '60')
    if (error instanceof UploadForbidden) throw new Problem('address_expired', { detail: error.message })
    if (error instanceof ObjectExists) throw new Problem('payload_conflict', { detail: error.message })
    if (upload && error instanceof ContentMismatch) {
      await noteMismatch(ctx, context, upload, error.code, started)
      throw new Problem(error.code, { detail: error.message })
    }
    // The device disconnected or started the upload again; no response is possible.
    if (raw.errored) throw new Problem('invalid_input', { detail: 'the upload was interrupted' })
    throw error
  } finally {
    end()
  }
}

/** Stores nothing and refuses the upload; the portal shows why the payload is still expected. */
async function noteMismatch(
  ctx: AppContext,
  context: Context,
  { key }: VerifiedUpload,
  failure: FailureCode,
  started: number,
): Promise<void> {
  const now = ctx.now()
  const owner = ownerOfKey(key)
  const client_id = owner && (await getClientId(ctx.db, owner.client))
  if (!owner || client_id === undefined) return
  await ctx.db.write(client_id, async (tx) => {
    const row = await noteFailure(tx, owner.payload_reference, failure, now)
    if (!row) return
    await touchChange(tx, [row.payload_id], now)
    await raiseAlert(tx, failureAlert({ ...owner, ...row }, failure, now))
    const end = { ...owner, context, payload_id: row.payload_id, status_code: 400, denial_reason: failure }
    await noteUploadActivity(ctx, tx, [{ ...end, duration: secondsSince(started) }])
  })
}

interface UploadEnd {
  context: Context
  client: string
  payload_id: number
  payload_reference: string
  status_code: number
  denial_reason?: string
  /** Duration of the upload in seconds. */
  duration: number
}

/**
 * Writes uploads of one client into the activity of their devices. An upload address names a payload and no
 * caller, so the request wrapper cannot do it.
 */
async function noteUploadActivity(ctx: AppContext, tx: Tx, ends: readonly UploadEnd[]): Promise<void> {
  const devices = await findDevicesOf(
    tx,
    ends.map(({ payload_id }) => payload_id),
  )
  const entries = ends.map((end) => {
    const device = devices.get(end.payload_id)
    if (!device) throw new Error('the device of a payload is missing')
    return {
      log_id: newLogId(),
      caller: { kind: 'device' as const, client_id: tx.client_id, client: end.client, ...device },
      ip: end.context.ip,
      browser: undefined,
      activity_time: end.context.now,
      activity_end_time: ctx.now(),
      duration: end.duration,
      action: 'PUT uploads',
      is_allowed: end.denial_reason === undefined,
      denial_reason: end.denial_reason ?? null,
      parameters: loggedParameters({ payload_reference: end.payload_reference }, []),
      status_code: end.status_code,
      request_id: end.context.request_id,
    }
  })
  await ctx.audit.appendWithin(tx, ...entries)
}
