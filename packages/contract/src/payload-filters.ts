import * as z from 'zod/mini'
import { PayloadState, PayloadType, Service, HEARD, MARKS } from './payload-types.ts'
import {
  BATCH_LIMIT,
  DateParameter,
  DeviceReference,
  DeviceUserReference,
  GroupReference,
  queryBoolean,
  text,
  ThreadId,
  uniqueList,
} from './scalars.ts'

/** Times for filters and order of payload lists (spec section 4). */
export const PAYLOAD_DATE_FILTERS = ['payload_time', 'updated_at', 'processed_at'] as const

/** Order of a list. */
export const LIST_ORDERS = ['newest', 'oldest'] as const

/** A mark, or none at all. */
export const MARK_FILTERS = ['none', ...MARKS] as const

/** Optional fields of a list row, at a cost. */
export const LIST_EXTRAS = ['receipt', 'mark', 'heard', 'held'] as const
export type ListExtra = (typeof LIST_EXTRAS)[number]

/** Filters of payload lists, in bracket style on the wire. */
export const payloadFilters = {
  /** Screen; implied by `payload_types`. */
  service: z.optional(Service),
  payload_types: z.optional(uniqueList(PayloadType, 1, 10)),
  groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
  device_user_reference: z.optional(DeviceUserReference),
  device_reference: z.optional(DeviceReference),
  /** A party's number, exactly as recorded. */
  number: z.optional(text(1, 255)),
  /** Search text: a number, its ending or national form, prefixes of names, or a reference (docs/search.md). */
  search: z.optional(text(1, 255)),
  thread_id: z.optional(ThreadId),
  states: z.optional(uniqueList(PayloadState, 1, 10)),
  is_late: z.optional(queryBoolean()),
  /** True: only duplicate uploads of messages. Absent or false: no duplicates. */
  is_copy: z.optional(queryBoolean()),
  /** Whether a receipt was confirmed. */
  has_receipt: z.optional(queryBoolean()),
  /** The last mark of any reviewer, or no mark. */
  mark: z.optional(z.enum(MARK_FILTERS)),
  /** Restricts `mark` to the caller's own last mark. */
  marked_by_me: z.optional(queryBoolean()),
  /** Who opened it: the caller, other users only, or no user. */
  heard: z.optional(z.enum(HEARD)),
  /** Whether it is on legal hold. Requires the right to list holds; otherwise the result is empty. */
  is_held: z.optional(queryBoolean()),
  /** Optional fields of the rows, within the caller's rights; absent: none. */
  include: z.optional(uniqueList(z.enum(LIST_EXTRAS), 1, LIST_EXTRAS.length)),
  date_filter: z._default(z.enum(PAYLOAD_DATE_FILTERS), 'payload_time'),
  /** Order by that time; the index serves both directions. */
  order: z._default(z.enum(LIST_ORDERS), 'newest'),
  /** Inclusive. */
  from: z.optional(DateParameter),
  /** Exclusive; a bare date means the midnight after it. */
  to: z.optional(DateParameter),
}

/**
 * Words that a text must contain; quotes mean adjacent words, and `*` a prefix (docs/search.md). The body contains
 * them, because a search reveals a suspicion and must not be in addresses, logs or histories.
 */
export const Words = text(1, 255)
