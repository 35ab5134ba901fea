import * as z from 'zod/mini'
import { raiseAlert } from '../../alerts/raise.ts'
import { jobKind } from '../../jobs/kind.ts'
import { processMany, processOne } from './process.ts'

/** Largest small payload in bytes; small ones are processed together. */
const SMALL = 1024 ** 2
/** CPU seconds of any payload, and the bytes that take a further second. */
const PER_PAYLOAD = 0.01
const PER_SECOND = 200 * 1024 ** 2

/**
 * Checks, decrypts and derives what one payload needs before people may see it. One run per payload at a
 * time.
 */
export const processPayload = jobKind({
  name: 'payloads.process',
  input: z.object({ client_id: z.int(), payload_id: z.int(), size: z.optional(z.int()) }),
  key: ({ payload_id }) => String(payload_id),
  fair: {
    // Small payloads do not wait for the bytes of large ones.
    lanes: { evidence: { batch: 32, workers: 2 }, large_evidence: { batch: 1, workers: 2 } },
    client: ({ client_id }) => client_id,
    place: ({ size = 0 }) => ({
      lane: size <= SMALL ? 'evidence' : 'large_evidence',
      cost: PER_PAYLOAD + size / PER_SECOND,
    }),
  },
  run: (ctx, { client_id, payload_id }, signal) => processOne(ctx, client_id, payload_id, signal),
  async runAll(ctx, inputs, signal) {
    const errors = new Map<number, unknown>()
    await Promise.all(
      [...Map.groupBy(inputs, ({ client_id }) => client_id)].map(async ([client_id, some]) => {
        const payload_ids = some.map(({ payload_id }) => payload_id)
        const failures = await processMany(ctx, client_id, payload_ids, signal).catch(
          (error: unknown) => new Map(payload_ids.map((payload_id) => [payload_id, error])),
        )
        for (const [payload_id, error] of failures) errors.set(payload_id, error)
      }),
    )
    return inputs.map(({ payload_id }) => errors.get(payload_id))
  },
  // A service is down for long. Nothing is lost: the sweep queues the work again, and the device keeps its
  // copy.
  dead: (ctx, { client_id }) =>
    ctx.db.write(client_id, (tx) =>
      raiseAlert(tx, {
        alert_scopes: ['ops'],
        alert_targets: ['client', 'admin'],
        alert_key_type: 'Scoped',
        alert_type: 'PayloadAlert',
        alert_key: 'processing stalls',
        text: 'processing_stalls',
        alert_severity: 'High',
        now: ctx.now(),
      }),
    ),
})
