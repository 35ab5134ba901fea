import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { ClientReference, Count, DeviceReference, DeviceUserReference, EpochSeconds } from './scalars.ts'

/** A person's recordings that a phone has not uploaded yet. */
export const PhoneQueue = z.strictObject({
  device_reference: DeviceReference,
  model: z.nullable(z.string()),
  last_seen: z.nullable(EpochSeconds),
  /** Announced recordings without data, or with a requested retry. */
  waiting: Count,
  /** When the oldest of them was recorded. */
  oldest: z.nullable(EpochSeconds),
  /** Not seen since the person was offboarded, so its queue is unknown. */
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
    summary: 'Show the pending uploads of the devices of a device user',
    params: z.object({ client: ClientReference, device_user_reference: DeviceUserReference }),
    response: z.strictObject({ devices: z.array(PhoneQueue), is_empty: z.boolean() }),
    problems: ['not_found'],
  },
})
