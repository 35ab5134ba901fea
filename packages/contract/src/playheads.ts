import * as z from 'zod/mini'
import { CLIENT_GROUPS, endpoints } from './endpoint.ts'
import { PayloadReference } from './scalars.ts'

/** Days for which a playback position is kept. */
export const PLAYHEAD_DAYS = 90

/** Playback position in seconds; at most eleven days. */
const Playhead = z.int().check(z.gte(1), z.lte(1_000_000))

export const playheadEndpoints = endpoints({
  savePlayhead: {
    method: 'PUT',
    ...CLIENT_GROUPS,
    path: 'payloads/{payload_reference}/playhead',
    action: 'payloads.playhead:update',
    summary: 'Save the caller’s playback position in a recording; null deletes it',
    description:
      'It does not count as a play and is not in the audit log. The server keeps it for 90 days or until deletion.',
    params: z.object({ payload_reference: PayloadReference }),
    body: z.strictObject({ playhead: z.nullable(Playhead) }),
    /** The stored position. */
    response: z.strictObject({ payload_reference: PayloadReference, playhead: z.nullable(Playhead) }),
    problems: ['not_found'],
  },
})
