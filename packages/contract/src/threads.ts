import * as z from 'zod/mini'
import {
  listOrder,
  CLIENT_GROUPS,
  dateRange,
  endpoints,
  get,
  mostCounted,
  getPage,
  pageQuery,
  person_name,
} from './endpoint.ts'
import { DATA_STATUSES, MESSAGE_TYPES } from './payload-types.ts'
import { Party, PayloadSummary } from './payload.ts'
import { payloadFilters } from './payloads.ts'
import {
  Count,
  DeviceReference,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  PayloadReference,
  ThreadId,
  uniqueList,
} from './scalars.ts'

export const ThreadMessage = z.strictObject({
  ...PayloadSummary.shape,
  status: z.enum(DATA_STATUSES),
  text: z.optional(z.string()),
  /** Present for a shortened text; the data call with `part=text` returns the whole text. */
  is_shortened: z.optional(z.literal(true)),
  attachments: z.optional(
    z.array(
      z.strictObject({
        name: z.optional(z.string()),
        content_type: z.string(),
        size: Count,
        /** Number of the attachment (`part` of the data call). */
        part: z.int(),
      }),
    ),
  ),
})
export type ThreadMessage = z.output<typeof ThreadMessage>

/** A conversation of a device. Counts, times and parties cover only messages within the caller's reach. */
export const Thread = z.strictObject({
  thread_id: ThreadId,
  message_count: Count,
  message_types: z.array(z.enum(MESSAGE_TYPES)),
  /** Time for the order of lists. */
  last_message_at: EpochSeconds,
  last_payload_reference: PayloadReference,
  /** The first parties of the last message, and their total. */
  parties: z.array(Party),
  party_count: Count,
})
export type Thread = z.output<typeof Thread>

/** A conversation in the list of all devices, with the device user and the group of its last message. */
export const Conversation = z.strictObject({
  ...Thread.shape,
  device_reference: DeviceReference,
  device_user_reference: z.nullable(DeviceUserReference),
  person_name,
  group: GroupReference,
  /** Of its newest `CONVERSATION_COUNTED` messages; absent where the caller may not see marks. */
  unreviewed_count: z.optional(Count),
  /** Messages that no person has opened; absent where the caller may not see who opened them. */
  unopened_count: z.optional(Count),
})
export type Conversation = z.output<typeof Conversation>

/** Messages of a conversation whose marks and readers a list counts. */
export const CONVERSATION_COUNTED = 1_000

/** Filters of lists of conversations: those with a message that matches. */
export const conversationFilters = {
  groups: payloadFilters.groups,
  payload_types: z.optional(uniqueList(z.enum(MESSAGE_TYPES), 1, MESSAGE_TYPES.length)),
  device_user_reference: payloadFilters.device_user_reference,
  device_reference: payloadFilters.device_reference,
  number: payloadFilters.number,
  search: payloadFilters.search,
  /** Only conversations with a message that has no mark. */
  mark: z.optional(z.enum(['none'])),
  /** Range of the last message. */
  from: payloadFilters.from,
  to: payloadFilters.to,
}

export const threadEndpoints = endpoints({
  listConversations: {
    ...get(CLIENT_GROUPS, 'conversations'),
    // The list of messages, grouped.
    action: 'payloads:list',
    support: true,
    matters: true,
    summary: 'List or count conversations with a message that matches the filters, latest first',
    query: { ...pageQuery, ...mostCounted, ...conversationFilters },
    response: getPage(Conversation),
  },
  listThreads: {
    ...get(CLIENT_GROUPS, 'devices/{device_reference}/sms'),
    action: 'devices.sms:list',
    support: true,
    summary: 'List or count the conversations of a device, latest first',
    query: { ...pageQuery },
    response: getPage(Thread),
    problems: ['not_found'],
  },
  readThread: {
    ...get(CLIENT_GROUPS, 'devices/{device_reference}/sms/{thread_id}'),
    action: 'devices.sms:read',
    support: true,
    matters: true,
    summary: 'List the messages of a conversation with their texts',
    query: {
      ...pageQuery,
      order: listOrder,
      ...dateRange,
    },
    response: getPage(ThreadMessage),
    problems: ['not_found'],
  },
})
