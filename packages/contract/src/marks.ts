import * as z from 'zod/mini'
import { stored } from './access.ts'
import { CLIENT_ACCOUNT, CLIENT_GROUPS, endpoints, get, post, put } from './endpoint.ts'
import { SeenRecording } from './named-recording.ts'
import { HEARD, Mark, OWN } from './payload-types.ts'
import { payloadFilters, Words } from './payloads.ts'
import { Listener } from './plays.ts'
import {
  authors,
  BATCH_LIMIT,
  Count,
  DateParameter,
  EpochSeconds,
  FILTER_LIMIT,
  GroupReference,
  PayloadReference,
  prose,
  text,
  Ulid,
  uniqueList,
  setBody,
} from './scalars.ts'
import { conversationFilters } from './threads.ts'

/** Maximum characters of a note and of the result of an escalation. */
export const MARK_NOTE_LIMIT = 2_000
/** Maximum reasons of an account. */
export const MARK_REASONS_LIMIT = 50
const Reason = text(1, 60)
/** Maximum marks of one withdrawal. */
export const WITHDRAWAL_LIMIT = 500

export const PayloadMark = z.strictObject({
  mark_id: Ulid,
  mark: Mark,
  reason: z.nullable(z.string()),
  /** Null: none, or the stored text is damaged. */
  note: z.nullable(z.string()),
  marked_at: EpochSeconds,
  ...authors({ marked_by: z.string() }),
  /** Result of an escalation; null while open. */
  decided_at: z.nullable(EpochSeconds),
  ...authors({ decided_by: z.nullable(z.string()) }),
  result: z.nullable(z.string()),
  /** Seconds that the author had heard then; null for messages and photos. */
  heard_seconds: z.nullable(z.number()),
  /** Length of the recording in seconds, where known. */
  length: z.nullable(z.number()),
  /** Whether that was less than the account expects. */
  is_too_little: z.boolean(),
  /** Its author took it back; it no longer counts. */
  withdrawn_at: z.nullable(EpochSeconds),
})
export type PayloadMark = z.output<typeof PayloadMark>

export const PayloadMarks = z.strictObject({
  payload_reference: PayloadReference,
  /** Newest first; the first that is not withdrawn applies. */
  marks: z.array(PayloadMark),
  /** `unknown`: the device's person has neither an e-mail address nor a reference that could be compared. */
  own: z.enum(OWN),
  heard: z.enum(HEARD),
  /** Latest first. */
  listeners: z.array(Listener),
  /** Length of the recording in seconds, where known. */
  length: z.nullable(z.number()),
})
export type PayloadMarks = z.output<typeof PayloadMarks>

export const ReviewSettings = z.strictObject({
  /** Allowed reasons of a mark. */
  reasons: uniqueList(Reason, 0, MARK_REASONS_LIMIT),
  /** Percent of a recording below which a review is unusual. */
  min_share: z.int().check(z.gte(0), z.lte(100)),
  /** Whether `min_share` is required for the mark `reviewed`; otherwise the portal warns. */
  requires_share: z.boolean(),
})
export type ReviewSettings = z.output<typeof ReviewSettings>

const StoredReviewSettings = z.strictObject({ ...ReviewSettings.def.shape, ...stored })
export type StoredReviewSettings = z.output<typeof StoredReviewSettings>

/** Review coverage of one person, week and group. */
export const ReviewWeek = z.strictObject({
  /** Monday, its first second (UTC). */
  week: EpochSeconds,
  person: z.string(),
  /** Display name; null: not known. */
  person_name: z.nullable(z.string()),
  group: GroupReference,
  /** Recordings, messages and photos that the person opened for the first time. */
  heard: Count,
  /** Seconds of sound that the person heard for the first time. */
  listened: Count,
  reviewed: Count,
  /** Reviews of recordings of which the person had heard less than `min_share`. */
  too_little: Count,
  flagged: Count,
  escalated: Count,
})
export type ReviewWeek = z.output<typeof ReviewWeek>
/** Maximum rows of a response. */
export const REVIEW_WEEKS_LIMIT = 5_000

/** Outcome of one mark of many. Payloads that the caller may not read count as missing. */
export const MARK_STATUSES = [
  'Ok',
  'OwnRecording',
  'TooLittleHeard',
  'NotPermitted',
  'NoMatchingRecord',
] as const
export type MarkStatus = (typeof MARK_STATUSES)[number]

/**
 * Outcome of one withdrawal of many, with the mark that applies now. Marks of other people, decided escalations and
 * withdrawn marks count as missing.
 */
export const WithdrawnMark = z.union([
  z.strictObject({
    mark_id: Ulid,
    status: z.literal('Ok'),
    payload_reference: PayloadReference,
    mark: z.nullable(Mark),
    ...authors({ marked_by: z.nullable(z.string()) }),
  }),
  z.strictObject({ mark_id: Ulid, status: z.literal('NoMatchingRecord') }),
])
export type WithdrawnMark = z.output<typeof WithdrawnMark>

export const markEndpoints = endpoints({
  listMarks: {
    ...get(CLIENT_GROUPS, 'payloads/{payload_reference}/marks'),
    action: 'payloads.marks:list',
    support: true,
    matters: true,
    summary: 'List the review marks and listeners of a payload, newest first',
    response: PayloadMarks,
    problems: ['not_found'],
  },
  addMark: {
    ...post(CLIENT_GROUPS, 'payloads/{payload_reference}/marks'),
    action: 'payloads.marks:create',
    summary: 'Mark a payload as reviewed; reviewers cannot mark their own recordings',
    body: z.strictObject({
      mark: Mark,
      /** A reason of the account. */
      reason: z.optional(Reason),
      note: z.optional(prose(1, MARK_NOTE_LIMIT)),
    }),
    response: PayloadMark,
    problems: ['not_found', 'own_recording', 'too_little_heard'],
    secrets: ['note'],
  },
  markPayloads: {
    ...post(CLIENT_GROUPS, 'payloads/marks'),
    action: 'payloads.marks:create',
    summary: 'Mark a selection of up to 100 payloads, or all that match a filter',
    description: `Each payload has its own outcome. With “all”, marks up to ${FILTER_LIMIT} payloads that match the query, in the order of the list; an escalation needs a selection.`,
    query: payloadFilters,
    body: setBody('payload_references', {
      mark: Mark,
      payload_references: z.optional(uniqueList(PayloadReference, 1, BATCH_LIMIT)),
      /** With `all`: only those with these words, as in `searchPayloads`. */
      words: z.optional(Words),
    }),
    response: z.strictObject({
      data: z.array(
        z.strictObject({
          payload_reference: PayloadReference,
          status: z.enum(MARK_STATUSES),
          mark_id: z.optional(Ulid),
          /** Of the first 100 that matched a filter and were not marked. */
          seen: z.optional(SeenRecording),
        }),
      ),
      /** Whether more than the limit matched. */
      is_cut: z.boolean(),
    }),
    problems: ['content_search_off'],
    secrets: ['words'],
  },
  markConversations: {
    ...post(CLIENT_GROUPS, 'conversations/marks'),
    action: 'payloads.marks:create',
    summary:
      'Mark up to 100 conversations, or all that match a filter: the messages that the caller has opened and that have no mark',
    description: `With “all”, marks the conversations that match the query. Marks up to ${FILTER_LIMIT} messages.`,
    query: conversationFilters,
    body: setBody('payload_references', {
      /** A flag or an escalation points at one message. */
      mark: z.literal('reviewed'),
      /** Messages of the chosen conversations. */
      payload_references: z.optional(uniqueList(PayloadReference, 1, BATCH_LIMIT)),
      /** Replaces the marks of these messages, too. */
      replaces_mark: z.optional(z.literal(true)),
    }),
    response: z.strictObject({
      /** Outcome of each chosen conversation; empty with `all`. */
      data: z.array(
        z.strictObject({ payload_reference: PayloadReference, status: z.enum(['Ok', 'NoMatchingRecord']) }),
      ),
      marks: z.array(z.strictObject({ payload_reference: PayloadReference, mark_id: Ulid })),
      /** Unmarked messages that the caller has not opened. They stay unmarked. */
      unopened_count: Count,
      /** The caller's own messages, which another reviewer marks. */
      own_count: Count,
      /** Whether more than the limit matched. */
      is_cut: z.boolean(),
    }),
  },
  withdrawMarks: {
    ...post(CLIENT_GROUPS, 'payloads/marks/withdrawals'),
    action: 'payloads.marks:withdraw',
    summary: 'Take back up to 500 of the caller’s own marks; they stay in the history',
    body: z.strictObject({ mark_ids: uniqueList(Ulid, 1, WITHDRAWAL_LIMIT) }),
    response: z.strictObject({ data: z.array(WithdrawnMark) }),
  },
  decideMark: {
    ...post(CLIENT_GROUPS, 'payloads/{payload_reference}/marks/{mark_id}/decision'),
    action: 'payloads.marks:decide',
    summary: 'Close an escalation with a result',
    body: z.strictObject({ result: prose(1, MARK_NOTE_LIMIT) }),
    response: PayloadMark,
    problems: ['not_found', 'wrong_state', 'own_recording'],
    secrets: ['result'],
  },
  countReviews: {
    ...get(CLIENT_GROUPS, 'reviews'),
    action: 'reviews:list',
    support: true,
    summary: 'Show the review coverage per week, person and group',
    query: { from: z.optional(DateParameter), to: z.optional(DateParameter) },
    response: z.strictObject({ weeks: z.array(ReviewWeek), is_cut: z.boolean() }),
  },
  readReviewSettings: {
    ...get(CLIENT_GROUPS, 'review_settings'),
    action: 'payloads.marks:list',
    support: true,
    matters: true,
    summary: 'Show the reasons for marks and the required share',
    response: StoredReviewSettings,
  },
  saveReviewSettings: {
    ...put(CLIENT_ACCOUNT, 'review_settings'),
    action: 'account.review:update',
    summary: 'Replace the reasons for marks and the required share',
    body: ReviewSettings,
    response: StoredReviewSettings,
    problems: ['already_exists', 'changed_meanwhile'],
  },
})
