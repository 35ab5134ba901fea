import * as z from 'zod/mini'
import {
  CLIENT_GROUPS,
  dateRange,
  del,
  endpoints,
  get,
  getPage,
  pageQuery,
  person_name,
  post,
  put,
  Total,
} from './endpoint.ts'
import { PayloadType } from './payload-types.ts'
import { payloadFilters, Words } from './payloads.ts'
import {
  authors,
  BATCH_LIMIT,
  ClientReference,
  Count,
  DeviceUserReference,
  EpochSeconds,
  GroupReference,
  PayloadReference,
  prose,
  text,
  Ulid,
  uniqueList,
  UserReference,
} from './scalars.ts'

/** Maximum characters of a comment. */
export const COMMENT_LIMIT = 10_000

/** Seconds of played time, to the millisecond. Longer than a month is no recording. */
const PlayedSeconds = z.number().check(
  z.gte(0),
  z.lte(31 * 86_400),
  z.overwrite((seconds) => Math.round(seconds * 1000) / 1000),
)

/** The part of a recording that a comment is about: a moment where `duration` is 0. */
export const CommentDuration = z.strictObject({ start_time: PlayedSeconds, duration: PlayedSeconds })
export type CommentDuration = z.output<typeof CommentDuration>

const Message = prose(1, COMMENT_LIMIT)

/** Characters of the reason for which a comment is closed. */
export const CLOSING_REASON_LIMITS = { min: 3, max: 500 } as const
const ClosingReason = text(CLOSING_REASON_LIMITS.min, CLOSING_REASON_LIMITS.max)

const version = {
  client: ClientReference,
  /** Counts from 1; also the `ETag` of the comment. */
  comment_version: z.int().check(z.gte(1)),
  /** Null: the stored text is damaged. */
  comment_body: z.nullable(z.string()),
  /** Null: about the whole. */
  comment_duration: z.nullable(CommentDuration),
  /** Who wrote this version, and when. */
  updated_at: EpochSeconds,
  ...authors({ updated_by: z.string() }),
}

export const PayloadComment = z.strictObject({
  comment_id: Ulid,
  payload_reference: PayloadReference,
  payload_type: PayloadType,
  group: GroupReference,
  /** Time of the recording, and the device user. */
  payload_time: EpochSeconds,
  device_user_reference: z.nullable(DeviceUserReference),
  person_name,
  raised_at: EpochSeconds,
  ...authors({ raised_by: z.string() }),
  ...version,
  is_closed: z.boolean(),
  closed_at: z.nullable(EpochSeconds),
  ...authors({ closed_by: z.nullable(z.string()) }),
  /** Null: closed by its author without a reason, or what was stored is damaged. */
  closed_reason: z.nullable(z.string()),
  /** The parent comment on the same payload. */
  in_reply_to: z.nullable(Ulid),
})
export type PayloadComment = z.output<typeof PayloadComment>

/** A former version of a comment. */
export const CommentVersion = z.strictObject(version)
export type CommentVersion = z.output<typeof CommentVersion>

/** Which comments are shown: closed ones are history. */
export const COMMENTS_SHOWN = ['open', 'closed', 'all'] as const
const shown = { show: z._default(z.enum(COMMENTS_SHOWN), 'open') }
const HISTORY = 'payloads.comments:history'

const commentFilters = {
  ...shown,
  authors: z.optional(uniqueList(UserReference, 1, BATCH_LIMIT)),
  groups: z.optional(uniqueList(GroupReference, 1, BATCH_LIMIT)),
  payload_types: z.optional(uniqueList(PayloadType, 1, 10)),
  /** Of raised_at. */
  ...dateRange,
}

/** Filters of the recordings that comments are about. They require the right to list the recording. */
const { search, device_user_reference, number, mark, marked_by_me } = payloadFilters
const ofRecordings = { search, device_user_reference, number, mark, marked_by_me }

export const commentEndpoints = endpoints({
  listComments: {
    ...get(CLIENT_GROUPS, 'comments'),
    action: { query: 'show', of: { open: 'comments:list', closed: HISTORY, all: HISTORY } },
    support: true,
    matters: true,
    summary: 'List comments on payloads within the caller’s reach, newest first',
    query: { ...pageQuery, ...commentFilters },
    response: getPage(PayloadComment),
  },
  searchComments: {
    ...post(CLIENT_GROUPS, 'comments/search'),
    action: { query: 'show', of: { open: 'comments:list', closed: HISTORY, all: HISTORY } },
    support: true,
    matters: true,
    summary: 'Search the comments by their latest text',
    query: { ...pageQuery, ...commentFilters, ...ofRecordings },
    body: z.strictObject({ words: Words }),
    response: z.union([
      z.strictObject({
        count: Count,
        last_key: z.optional(z.string()),
        data: z.array(PayloadComment),
        is_complete: z.boolean(),
      }),
      z.extend(Total, { is_complete: z.optional(z.boolean()) }),
    ]),
    problems: ['content_search_off'],
    secrets: ['words'],
  },
  listCommentsOfPayload: {
    ...get(CLIENT_GROUPS, 'payloads/{payload_reference}/comments'),
    action: { query: 'show', of: { open: 'payloads.comments:list', closed: HISTORY, all: HISTORY } },
    support: true,
    matters: true,
    summary: 'List the comments on a payload, newest first',
    query: { ...pageQuery, ...shown },
    response: getPage(PayloadComment),
    problems: ['not_found'],
  },
  addComment: {
    ...post(CLIENT_GROUPS, 'payloads/{payload_reference}/comments'),
    action: 'payloads.comments:create',
    summary: 'Comment on a payload or its part, or reply',
    body: z.strictObject({
      message: Message,
      comment_duration: z.optional(CommentDuration),
      /** An open comment on the same payload. */
      in_reply_to: z.optional(Ulid),
    }),
    response: PayloadComment,
    problems: ['not_found', 'wrong_state'],
    secrets: ['message'],
  },
  updateComment: {
    ...put(CLIENT_GROUPS, 'payloads/{payload_reference}/comments/{comment_id}'),
    action: 'payloads.comments:update',
    summary: 'Edit the caller’s own comment; earlier versions stay',
    description:
      'Only the author can edit a comment; others get 403. Omitted fields stay; an unchanged comment gets no new version. `comment_duration: null` applies it to the whole recording. `If-Match` is the `comment_version` that the caller read.',
    body: z.strictObject({
      message: z.optional(Message),
      comment_duration: z.optional(z.nullable(CommentDuration)),
    }),
    response: PayloadComment,
    problems: ['not_found', 'wrong_state', 'already_exists', 'changed_meanwhile'],
    secrets: ['message'],
  },
  closeComment: {
    ...del(CLIENT_GROUPS, 'payloads/{payload_reference}/comments/{comment_id}'),
    action: 'payloads.comments:close',
    summary: 'Close a comment; only the history shows it',
    description: 'A caller who is not the author must give a `reason`.',
    query: { reason: z.optional(ClosingReason) },
    response: z.strictObject({}),
    problems: ['not_found', 'wrong_state', 'already_exists', 'changed_meanwhile'],
    secrets: ['reason'],
  },
  listCommentVersions: {
    ...get(CLIENT_GROUPS, 'payloads/{payload_reference}/comments/{comment_id}/versions'),
    action: 'payloads.comments:list',
    support: true,
    matters: true,
    summary: 'List the versions of a comment, newest first',
    query: { ...pageQuery },
    response: getPage(CommentVersion),
    problems: ['not_found'],
  },
})
