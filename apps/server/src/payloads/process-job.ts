import * as z from 'zod/mini'
import { raiseAlert } from '../alerts/raise.ts'
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
  // A part is out of service for long. Nothing is lost: the sweep asks for the work again, and the phone keeps its copy.
  dead: (house, { client_id }) =>
    house.db.write(client_id, (tx) =>
      raiseAlert(tx, {
        client_id,
        alert_scopes: ['ops'],
        alert_targets: ['client', 'admin'],
        alert_key_type: 'Scoped',
        alert_type: 'PayloadAlert',
        alert_key: 'processing stalls',
        text: 'processing_stalls',
        alert_severity: 'High',
        now: house.now(),
      }),
    ),
})
