import { type CommentDuration, fault, type PayloadComment, type commentEndpoints } from '@custodia/contract'
import { liesWithin } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { getActor, type Handler, type Handlers, type PortalContext } from '../../http/context.ts'
import { assertUnchanged } from '../../http/etag.ts'
import { newId } from '../../http/new-id.ts'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { CLOSING, openBody, sealFirst, sealNext } from '../comment-body.ts'
import { notePayloadAudit } from '../store.ts'
import { noteComment } from '../word-store.ts'
import {
  commentedInReach,
  commentInReach,
  listComments,
  listCommentsOfPayload,
  listCommentVersions,
  openAll,
  searchComments,
} from './list.ts'
import {
  addVersion,
  closeStored,
  type CommentedPayload,
  insertComment,
  lockComment,
  type StoredComment,
} from './store.ts'

type Parts = Pick<AppContext, 'cursors' | 'db' | 'keys' | 'log' | 'now'>

/**
 * Adds a comment or a reply. Problems: not_found; wrong_state for a reply to a closed comment; invalid_input
 * for a part outside the recording.
 */
const addComment =
  (ctx: Parts): Handler<'addComment'> =>
  async (context, { params: { payload_reference }, body }) => {
    const { client } = context.caller
    const comment_duration = body.comment_duration ?? null
    const { by } = getAct(context)
    const place = { client, payload_reference, comment_id: newId(), comment_version: 1, by }
    // Checks first, so that a refused request costs no key.
    await context.read((q) => commentedInReach(q, context, payload_reference))
    const sealed = await sealFirst(ctx, place, body.message)
    await context.write(async (tx, log_id) => {
      const payload = await commentedInReach(tx, context, payload_reference, 'for share')
      assertWithin(payload, comment_duration)
      const { in_reply_to } = body
      if (in_reply_to !== undefined) await lockOpen(tx, payload, in_reply_to)
      await insertComment(tx, payload, {
        ...place,
        ...sealed,
        comment_duration,
        in_reply_to,
        ...getAct(context),
      })
      await noteComment(tx, { ...payload, ...place, now: context.now })
      await noteAct(tx, context, payload, log_id)
    })
    return readBack(ctx, context, place)
  }

/**
 * Writes a new version when the text differs from the last one. Problems: not_found; not_permitted for
 * another author's comment; wrong_state for a closed comment; changed_meanwhile when the version that was
 * read is not the last.
 */
const updateComment =
  (ctx: Parts): Handler<'updateComment'> =>
  async (context, { params: { payload_reference, comment_id }, body }) => {
    const { client } = context.caller
    const place = { client, payload_reference, comment_id, by: getAct(context).by }
    await context.write(async (tx, log_id) => {
      const { payload, comment } = await openComment(tx, context, payload_reference, comment_id)
      const { wrapped_key, sealed_body, comment_version } = comment
      if (!isAuthor(context, comment)) throw new Problem('not_permitted', { detail: 'not the author' })
      const before = await openBody(ctx, { ...place, comment_version }, wrapped_key, sealed_body)
      const { message = before, comment_duration = comment.comment_duration } = body
      if (message === before && isSame(comment_duration, comment.comment_duration)) return
      assertWithin(payload, comment_duration)
      const next = { ...place, comment_version: comment_version + 1 }
      const sealed = await sealNext(ctx, next, wrapped_key, message)
      await addVersion(tx, { ...next, sealed_body: sealed, comment_duration, ...getAct(context) })
      if (message !== before) await noteComment(tx, { ...payload, ...next, now: context.now })
      await noteAct(tx, context, payload, log_id)
    })
    return readBack(ctx, context, place)
  }

/**
 * Closes a comment finally. Problems: not_found, wrong_state, changed_meanwhile; invalid_input, when another
 * person than the author gives no reason.
 */
const closeComment =
  (ctx: Parts): Handler<'closeComment'> =>
  async (context, { params: { payload_reference, comment_id }, query: { reason } }) => {
    const { client } = context.caller
    await context.write(async (tx, log_id) => {
      const { payload, comment } = await openComment(tx, context, payload_reference, comment_id)
      if (reason === undefined && !isAuthor(context, comment))
        throw new Problem('invalid_input', { faults: [fault('reason', 'required', { field: 'reason' })] })
      const { by } = getAct(context)
      const place = { client, payload_reference, comment_id, comment_version: CLOSING, by }
      const sealed_reason =
        reason === undefined ? null : await sealNext(ctx, place, comment.wrapped_key, reason)
      await closeStored(tx, comment_id, { ...getAct(context), sealed_reason })
      await noteAct(tx, context, payload, log_id)
    })
    return {}
  }

/** Locks the comment for a change. Problems: not_found, wrong_state, changed_meanwhile. */
async function openComment(
  tx: Tx,
  context: PortalContext,
  payload_reference: string,
  comment_id: string,
): Promise<{ payload: CommentedPayload; comment: StoredComment }> {
  const payload = await commentedInReach(tx, context, payload_reference)
  const comment = await lockOpen(tx, payload, comment_id, ({ comment_version }) =>
    assertUnchanged(context, String(comment_version)),
  )
  return { payload, comment }
}

/**
 * Locks an open comment on the payload; `check` runs first. Problems: not_found, wrong_state, and those of
 * `check`.
 */
async function lockOpen(
  tx: Tx,
  { payload_id }: CommentedPayload,
  comment_id: string,
  check?: (comment: StoredComment) => void,
): Promise<StoredComment> {
  const comment = await lockComment(tx, payload_id, comment_id)
  if (!comment) throw new Problem('not_found', { detail: 'no such comment' })
  check?.(comment)
  if (comment.closed_at !== null) throw new Problem('wrong_state', { detail: 'the comment is closed' })
  return comment
}

/**
 * A reference always belongs to one subject of one identity provider (`getReference` of the sessions), so it
 * identifies the person.
 */
const isAuthor = ({ caller }: PortalContext, { raised_by }: StoredComment): boolean =>
  getActor(caller) === raised_by

const getAct = ({ now, caller }: PortalContext) => ({ now, by: getActor(caller) })

const noteAct = (
  tx: Tx,
  { now, caller, action }: PortalContext,
  { payload_id }: CommentedPayload,
  log_id: string,
) => notePayloadAudit(tx, [payload_id], { at: now, log_id, portal_user: getActor(caller), action })

const isSame = (one: CommentDuration | null, other: CommentDuration | null): boolean =>
  one?.start_time === other?.start_time && one?.duration === other?.duration

function assertWithin({ seconds }: CommentedPayload, part: CommentDuration | null): void {
  if (part === null || liesWithin(part, seconds)) return
  const path = 'comment_duration'
  throw new Problem('invalid_input', {
    faults: [
      seconds === undefined
        ? fault(path, 'nothing_played')
        : fault(path, 'beyond_recording', { limit: seconds }),
    ],
  })
}

async function readBack(
  ctx: Parts,
  context: PortalContext,
  { payload_reference, comment_id }: { payload_reference: string; comment_id: string },
): Promise<PayloadComment> {
  const [comment] = await openAll(ctx, context, [
    await context.read((q) => commentInReach(q, context, payload_reference, comment_id)),
  ])
  if (!comment) throw new Error('the comment was not stored')
  return comment
}

type Calls = keyof typeof commentEndpoints

/** The endpoints of comments. */
export const commentRoutes = (ctx: AppContext): Handlers<Calls> => ({
  addComment: addComment(ctx),
  closeComment: closeComment(ctx),
  listComments: listComments(ctx),
  listCommentsOfPayload: listCommentsOfPayload(ctx),
  listCommentVersions: listCommentVersions(ctx),
  searchComments: searchComments(ctx),
  updateComment: updateComment(ctx),
})
