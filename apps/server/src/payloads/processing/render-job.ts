import * as z from 'zod/mini'
import { jobKind } from '../../jobs/kind.ts'
import { LONG_LANE, SHORT_LANE } from './render-budget.ts'
import { renderOne } from './render.ts'
import { giveUpRendering } from './render-store.ts'

/**
 * Prepares one `Processed` payload for playback, in a queue of its own, so that evidence never waits for a
 * conversion.
 */
export const renderPayload = jobKind({
  name: 'payloads.render',
  input: z.object({ client_id: z.int(), payload_id: z.int() }),
  key: ({ payload_id }) => String(payload_id),
  fair: {
    lanes: { [SHORT_LANE]: { batch: 1, workers: 1 }, [LONG_LANE]: { batch: 1, workers: 1 } },
    client: ({ client_id }) => client_id,
    // The cost is known after the inspection; a long task then moves to the long lane.
    place: () => ({ lane: SHORT_LANE, cost: 1 }),
  },
  run: (ctx, { client_id, payload_id }, signal, lane = SHORT_LANE) =>
    renderOne(ctx, client_id, payload_id, lane, signal),
  dead: (ctx, { client_id, payload_id }) => giveUpRendering(ctx, client_id, payload_id),
})
