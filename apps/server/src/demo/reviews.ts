import type { CommentDuration, Mark, PayloadType, WebhookInput } from '@custodia/contract'
import { ulid } from 'ulid'
import { insertWebhook, listWebhooks, lockWebhooks } from '../alert-webhooks/store.ts'
import type { AppContext } from '../app-context.ts'
import { findClient } from '../clients/store.ts'
import { systemEntry } from '../http/audit-entry.ts'
import { AuditLog } from '../http/audit.ts'
import { newId } from '../http/new-id.ts'
import { sealFirst } from '../payloads/comment-body.ts'
import { insertComment } from '../payloads/comments/store.ts'
import { sealText } from '../payloads/marks/sealed-texts.ts'
import { writeReviewSettings } from '../payloads/marks/store.ts'
import { storeMark } from '../payloads/marks/write.ts'
import { keepPlayhead } from '../payloads/playheads/store.ts'
import { findReviewable, storePlay } from '../payloads/plays/store.ts'
import { notePayloadAudit } from '../payloads/store.ts'
import { noteComment } from '../payloads/word-store.ts'
import type { Tx } from '../ports/database/lease.ts'
import { webhookSecretContext } from '../ports/keys/contexts.ts'
import { findToReview, type ReviewedRecording } from './store.ts'

/** An act of a demo user, recorded in the audit log. */
interface DemoAct {
  by: string
  /** Epoch seconds. */
  at: number
  action: string
  /** What the call named. */
  parameters: object
  /** The recording whose audit trail has the act; absent: the activity log only. */
  payload_id?: number
  /** Absent: 200. */
  status_code?: number
}

/** Writes an act as the server would have: into the audit log, and into the audit of its recording. */
export async function noteDemoAct(
  { db }: Pick<AppContext, 'db'>,
  tx: Tx,
  { by, at, action, parameters, payload_id, status_code = 200 }: DemoAct,
): Promise<void> {
  const entry = {
    ...systemEntry(tx, { at, by }, action, {}),
    ip: '127.0.0.1',
    parameters: JSON.stringify(parameters),
    status_code,
  }
  await new AuditLog(db).appendWithin(tx, entry)
  if (payload_id !== undefined)
    await notePayloadAudit(tx, [payload_id], { at, log_id: entry.log_id, portal_user: by, action })
}

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
    const settings = { reasons: REASONS, min_share: 50, requires_share: false }
    await writeReviewSettings(tx, settings, { now: ctx.now(), by: 'alice' })
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
  payload: ReviewedRecording,
  { by, ago, mark, reason, note, comment, part, stopped }: Story,
): Promise<void> {
  const at = ctx.now() - ago * 3600
  const { payload_id, payload_reference } = payload
  const act = (action: string, more?: object) =>
    noteDemoAct(ctx, tx, { by, at, action, payload_id, parameters: { payload_reference, ...more } })
  await act('payloads:play')
  const { length } = (await findReviewable(tx, payload_reference)) ?? { length: null }
  const heard = stopped ?? length ?? 10
  await storePlay(tx, payload_id, { person: by, parts: [{ from: 0, to: heard }], length, now: at })
  if (stopped !== undefined)
    await keepPlayhead(tx, payload_reference, { person: by, playhead: stopped, now: at })
  if (comment !== undefined) {
    const place = { client, payload_reference, comment_id: ulid(at * 1000), comment_version: 1, by }
    const sealed = await sealFirst(ctx, place, comment)
    await insertComment(tx, payload, { ...place, ...sealed, comment_duration: part ?? null, now: at })
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
      heard_seconds: heard,
      length,
      is_too_little: false,
    },
    by,
  )
  await act('payloads.marks:create', { mark })
}

/** The webhook receiver of the demo account. */
export interface DemoHook {
  url: string
  /** The secret with which it verifies deliveries. */
  key: Buffer
}

const BY = 'alice'

/** Creates a webhook to that receiver unless the account has one. */
export async function seedDemoWebhook(
  ctx: Pick<AppContext, 'db' | 'keys' | 'now'>,
  client: string,
  { url, key }: DemoHook,
): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  const body: WebhookInput = {
    description: 'Service desk',
    url,
    alert_scopes: ['ops', 'sec'],
    min_severity: 'Low',
    is_active: true,
  }
  const webhook_reference = newId()
  const wrapped = await ctx.keys.wrap(key, webhookSecretContext(client, webhook_reference))
  const now = ctx.now()
  await ctx.db.write(account.client_id, async (tx) => {
    await lockWebhooks(tx)
    if ((await listWebhooks(tx)).some((webhook) => webhook.url === url)) return
    await insertWebhook(tx, webhook_reference, body, wrapped, { updated_at: now, updated_by: BY })
    await noteDemoAct(ctx, tx, {
      by: BY,
      at: now,
      action: 'account.webhooks:create',
      parameters: { params: {}, body },
    })
  })
}
