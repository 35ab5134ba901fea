import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { ClientReference, Count, DeviceReference, DeviceUserReference, EpochSeconds } from './scalars.ts'

/** A person's recordings that a phone has not uploaded yet. */
export const PhoneQueue = z.strictObject({
  device_reference: DeviceReference,
  model: z.nullable(z.string()),
  last_seen: z.nullable(EpochSeconds),
  /** Recordings that it announced and has not delivered, or is to send again. */
  waiting: Count,
  /** When the oldest of them was recorded. */
  oldest: z.nullable(EpochSeconds),
  /** Not seen since the person was offboarded: what it holds is not known. */
  is_unseen: z.boolean(),
})
export type PhoneQueue = z.output<typeof PhoneQueue>

export const deviceUserQueueEndpoints = endpoints({
  readUserQueue: {
    method: 'GET',
    portal: 'admin',
    path: 'users/{device_user_reference}/queue',
    authentication: 'portal',
    action: 'users.queue:read',
    concerns: 'groups',
    support: true,
    summary: 'What the phones of a device user still have to hand over, as far as it is known',
    params: z.object({ client: ClientReference, device_user_reference: DeviceUserReference }),
    response: z.strictObject({ devices: z.array(PhoneQueue), is_empty: z.boolean() }),
    problems: ['not_found'],
  },
})
