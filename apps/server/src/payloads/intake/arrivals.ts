import type { AppContext } from '../../app-context.ts'
import type { Context } from '../../http/context.ts'
import { Batcher } from '../../ports/database/batcher.ts'
import { noteArrivals } from './arrive.ts'
import { findAwaited } from './arrival-store.ts'
import { originalKey } from '../original-key.ts'
import { noteUploadActivity } from './upload-activity.ts'

/** A durable upload whose row is not updated yet. */
export interface Arrival {
  client: string
  payload_reference: string
  key: string
  context: Context
  /** Duration of the upload in seconds. */
  duration: number
}

/** Arrivals per transaction. */
const MOST_TOGETHER = 64

export type Arrivals = Batcher<Arrival, undefined>

/** Commits arrivals. `add` resolves when the payload is `Uploaded`, or was before. */
export const makeArrivals = (ctx: AppContext): Arrivals =>
  new Batcher({
    most: MOST_TOGETHER,
    async run(client_id, arrivals) {
      await write(ctx, client_id, arrivals)
      return arrivals.map(() => undefined)
    },
  })

async function write(ctx: AppContext, client_id: number, batch: readonly Arrival[]): Promise<void> {
  // An upload and its repeat are one arrival.
  const byKey = new Map(batch.map((arrival) => [arrival.key, arrival]))
  const arrivalOf = (payload: Parameters<typeof keyOf>[0]) => byKey.get(keyOf(payload))
  const references = [...new Set(batch.map(({ payload_reference }) => payload_reference))]
  // Absent: an earlier response was lost, and the payload is in a later state. Another key: the address of a
  // refused upload.
  const awaited = (await findAwaited(ctx, client_id, references)).filter(arrivalOf)
  if (awaited.length === 0) return
  await noteArrivals(ctx, client_id, awaited, 'upload', (tx, arrived) =>
    noteUploadActivity(
      ctx,
      tx,
      arrived.flatMap((payload) => {
        const arrival = arrivalOf(payload)
        return arrival ? [{ ...arrival, payload_id: payload.payload_id, status_code: 200 }] : []
      }),
    ),
  )
}

const keyOf = (payload: { client: string; payload_reference: string; rejected_count: number }): string =>
  originalKey(payload.client, payload.payload_reference, payload.rejected_count)
