import type { FailureCode } from '@custodia/contract'
import { raiseAlert } from '../../alerts/raise.ts'
import { clientIdOf } from '../../clients/store.ts'
import type { AppContext } from '../../app-context.ts'
import type { Context, Handler } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { expectSteadyBytes } from '../../http/time-limits.ts'
import type { FilesystemObjectStore } from '../../ports/objects/filesystem.ts'
import { ContentMismatch, NoRoom, ObjectExists, UploadForbidden } from '../../ports/objects/port.ts'
import { verifyUploadToken } from '../../ports/objects/upload-token.ts'
import { noteFailure } from './arrival-store.ts'
import { makeArrivals } from './arrivals.ts'
import { failureAlert } from '../failures.ts'
import { touchChange } from '../state-store.ts'
import { ownerOfKey } from '../original-key.ts'
import { RunningUploads } from './running-uploads.ts'
import { noteUploadActivity } from './upload-activity.ts'

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
    const client_id = owner && (await clientIdOf(ctx.db, owner.client))
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
  expectSteadyBytes(raw)
  const length = headers['content-length']
  let end = (): void => undefined
  try {
    const { key, sender } = verifyUploadToken(await ctx.keys.namedSecret('uploads'), token, ctx.now())
    end = running.begin(key, `${ownerOfKey(key)?.client} ${sender ?? key}`, raw)
    return await store.receiveUpload(token, raw, length === undefined ? undefined : Number(length))
  } catch (error) {
    // The body may be half read: this connection carries no further request.
    void context.reply.header('connection', 'close')
    // An operator must free space, which takes time.
    if (error instanceof NoRoom) void context.reply.header('retry-after', '60')
    if (error instanceof UploadForbidden) throw new Problem('address_expired', { detail: error.message })
    if (error instanceof ObjectExists) throw new Problem('payload_conflict', { detail: error.message })
    if (error instanceof ContentMismatch) {
      await noteMismatch(ctx, context, token, error.code, started)
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
  token: string,
  failure: FailureCode,
  started: number,
): Promise<void> {
  const now = ctx.now()
  const { key } = verifyUploadToken(await ctx.keys.namedSecret('uploads'), token, now)
  const owner = ownerOfKey(key)
  const client_id = owner && (await clientIdOf(ctx.db, owner.client))
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
