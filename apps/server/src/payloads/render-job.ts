import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'
import { giveUpRendering, renderOne } from './render.ts'

/**
 * Makes what browsers need to play one payload, after it is `Processed`: a queue of its own, so that evidence never waits for a
 * conversion.
 */
export const renderPayload = jobKind({
  name: 'payloads.render',
  input: z.object({ client_id: z.int(), payload_id: z.int() }),
  key: ({ client_id, payload_id }) => `${client_id}/${payload_id}`,
  concurrency: 2,
  heartbeat: 15,
  run: (house, { client_id, payload_id }, signal) => renderOne(house, client_id, payload_id, signal),
  dead: (house, { client_id, payload_id }) => giveUpRendering(house, client_id, payload_id),
})
