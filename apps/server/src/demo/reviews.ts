import type { CommentDuration, Mark, PayloadType } from '@custodia/contract'
import { ulid } from 'ulid'
import { findClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { sealFirst } from '../payloads/comment-body.ts'
import { insertComment } from '../payloads/comments/store.ts'
import { sealText } from '../payloads/marks/sealing.ts'
import { writeReviewSettings } from '../payloads/marks/settings-store.ts'
import { storeMark } from '../payloads/marks/write.ts'
import { keepPlayhead } from '../payloads/playheads/store.ts'
import { noteComment } from '../payloads/word-store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { noteDemoAct } from './acts.ts'
import { findToReview, type Reviewed } from './reviews-store.ts'

const REASONS = ['Price or return promised', 'Order not confirmed', 'Private conversation']

/** A review of a demo recording. */
interface Story {
  group: string
  payload_type: PayloadType
  /** Position from the newest of its kind in the group. The newest ones stay unopened for visitors. */
  place: number
  by: string
  /** Hours before now. */
  ago: number
  mark?: Mark
  reason?: string
  note?: string
  comment?: string
  part?: CommentDuration
  /** Second at which they stopped listening. */
  stopped?: number
}

const STORIES: readonly Story[] = [
  { group: 'North', payload_type: 'Call', place: 9, by: 'bob', ago: 76, mark: 'reviewed', stopped: 12 },
  { group: 'North', payload_type: 'Call', place: 10, by: 'bob', ago: 75, mark: 'reviewed' },
  {
    group: 'North',
    payload_type: 'Call',
    place: 11,
    by: 'bob',
    ago: 74,
    mark: 'flagged',
    reason: 'Order not confirmed',
    note: 'The order is taken and not read back.',
    comment: 'Here the order is taken.',
    part: { start_time: 1, duration: 2 },
  },
  {
    group: 'South',
    payload_type: 'Call',
    place: 4,
    by: 'alice',
    ago: 51,
    mark: 'reviewed',
    comment: 'A mesma conversa continua por mensagem.',
  },
  {
    group: 'Trading Desk',
    payload_type: 'Call',
    place: 3,
    by: 'alice',
    ago: 27,
    mark: 'escalated',
    reason: 'Price or return promised',
    note: 'Please decide whether this was a promise.',
  },
]

/** Seeds recent playbacks, marks and comments of demo reviewers. */
export async function seedDemoReviews(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  client: string,
): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  await ctx.db.write(account.client_id, async (tx) => {
    await writeReviewSettings(tx, { reasons: REASONS }, { now: ctx.now(), by: 'alice' })
    for (const story of STORIES) {
      const [payload] = (await findToReview(tx, story, story.place + 1)).slice(story.place)
      if (payload) await review(ctx, tx, client, payload, story)
    }
  })
}

async function review(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  tx: Tx,
  client: string,
  payload: Reviewed,
  { by, ago, mark, reason, note, comment, part, stopped }: Story,
): Promise<void> {
  const at = ctx.now() - ago * 3600
  const { payload_id, payload_reference } = payload
  const act = (action: string) =>
    noteDemoAct(ctx, tx, { by, at, action, payload_id, parameters: { payload_reference } })
  await act('payloads:play')
  if (stopped !== undefined)
    await keepPlayhead(tx, payload_reference, { person: by, playhead: stopped, now: at })
  if (comment !== undefined) {
    const place = { client, payload_reference, comment_id: ulid(at * 1000), comment_version: 1 }
    const sealed = await sealFirst(ctx, place, comment)
    await insertComment(tx, payload, { ...place, ...sealed, comment_duration: part ?? null, now: at, by })
    await noteComment(tx, { payload_id, comment_id: place.comment_id, now: at })
    await act('payloads.comments:create')
  }
  if (mark === undefined) return
  const mark_id = ulid(at * 1000)
  const place = { client, payload_reference, mark_id, text: 'note' } as const
  const sealed = note === undefined ? undefined : await sealText(ctx, place, null, note)
  await storeMark(
    tx,
    payload,
    {
      mark_id,
      mark,
      reason: reason ?? null,
      marked_at: at,
      marked_by: by,
      sealed_note: sealed?.sealed ?? null,
      wrapped_key: sealed?.wrapped_key ?? null,
    },
    by,
  )
  await act('payloads.marks:create')
}
