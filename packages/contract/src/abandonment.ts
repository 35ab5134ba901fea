import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { EpochSeconds, PayloadReference } from './scalars.ts'

export const abandonmentEndpoints = endpoints({
  abandonPayload: {
    method: 'POST',
    portal: 'client',
    path: 'payloads/{payload_reference}/abandon',
    authentication: 'portal',
    action: 'payloads:abandon',
    concerns: 'groups',
    summary: 'Gives up waiting for the data of a payload that is late: retention may have it go',
    description:
      'Of what was announced and is late (`Recorded`), or failed and was not brought again in time (`Failed`). It stays as it is until a policy makes it due; data that comes all the same is taken. A repeat changes nothing.',
    params: z.object({ payload_reference: PayloadReference }),
    response: z.strictObject({ payload_reference: PayloadReference, abandoned_at: EpochSeconds }),
    problems: ['not_found', 'wrong_state'],
  },
})
