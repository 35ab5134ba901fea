import * as z from 'zod/mini'
import { jobKind } from '../jobs/kind.ts'
import { processOne } from './process.ts'

/** Checks, opens and derives what one payload needs before people may see it. One run per payload at a time. */
export const processPayload = jobKind({
  name: 'payloads.process',
  input: z.object({ client_id: z.int(), payload_id: z.int() }),
  key: ({ client_id, payload_id }) => `${client_id}/${payload_id}`,
  concurrency: 2,
  heartbeat: 15,
  run: (house, { client_id, payload_id }, signal) => processOne(house, client_id, payload_id, signal),
})
