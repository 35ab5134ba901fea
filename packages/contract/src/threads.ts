import * as z from 'zod/mini'
import { endpoints } from './endpoint.ts'
import { pageOf, pageQuery } from './paging.ts'
import { LIST_ORDERS } from './payload-filters.ts'
import { Party, PayloadSummary } from './payload-summary.ts'
import { DATA_STATUSES, MESSAGE_TYPES } from './payload-types.ts'
import { Count, DateParameter, DeviceReference, EpochSeconds, PayloadReference, ThreadId } from './scalars.ts'

/** A message in its conversation. */
export const ThreadMessage = z.strictObject({
  ...PayloadSummary.shape,
  status: z.enum(DATA_STATUSES),
  text: z.optional(z.string()),
  /** Present when the text is longer than conversations show; the data call with `part=text` gives the whole. */
  is_shortened: z.optional(z.literal(true)),
  attachments: z.optional(
    z.array(
      z.strictObject({
        name: z.optional(z.string()),
        content_type: z.string(),
        size: Count,
        /** Which attachment to ask for (`part` of the data call). */
        part: z.int(),
      }),
    ),
  ),
})
export type ThreadMessage = z.output<typeof ThreadMessage>

/** A conversation of a phone, as far as the caller sees it: counts, times and parties are those of messages in reach. */
export const Thread = z.strictObject({
  thread_id: ThreadId,
  message_count: Count,
  message_types: z.array(z.enum(MESSAGE_TYPES)),
  /** As lists sort it. */
  last_message_at: EpochSeconds,
  last_payload_reference: PayloadReference,
  /** Those of the last message: the first few, and how many there are in all. */
  parties: z.array(Party),
  party_count: Count,
})
export type Thread = z.output<typeof Thread>

export const threadEndpoints = endpoints({
  listThreads: {
    method: 'GET',
    portal: 'client',
    path: 'devices/{device_reference}/sms',
    authentication: 'portal',
    action: 'devices.sms:list',
    concerns: 'groups',
    support: true,
    summary: 'The conversations of a phone, the one with the last message first, or their total',
    params: z.object({ device_reference: DeviceReference }),
    query: { ...pageQuery },
    response: pageOf(Thread),
    problems: ['not_found', 'invalid_cursor'],
  },
  readThread: {
    method: 'GET',
    portal: 'client',
    path: 'devices/{device_reference}/sms/{thread_id}',
    authentication: 'portal',
    action: 'devices.sms:read',
    concerns: 'groups',
    support: true,
    summary: 'The messages of a conversation with their texts, newest or oldest first',
    params: z.object({ device_reference: DeviceReference, thread_id: ThreadId }),
    query: {
      ...pageQuery,
      order: z._default(z.enum(LIST_ORDERS), 'newest'),
      /** Inclusive: with `order=oldest` the messages from a date on, whatever arrives meanwhile. */
      from: z.optional(DateParameter),
      /** Exclusive; a bare date means the midnight after it. */
      to: z.optional(DateParameter),
    },
    response: pageOf(ThreadMessage),
    problems: ['not_found', 'invalid_cursor'],
  },
})
