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
    summary: 'Write off a late or failed payload',
    description:
      'Applies to late (`Recorded`) or failed (`Failed`) payloads. The payload stays until a policy makes it due. The server still accepts its data. A repeat changes nothing.',
    params: z.object({ payload_reference: PayloadReference }),
    response: z.strictObject({ payload_reference: PayloadReference, abandoned_at: EpochSeconds }),
    problems: ['not_found', 'wrong_state'],
  },
})
