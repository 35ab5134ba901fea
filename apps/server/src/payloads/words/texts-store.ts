import { SERVICE_CODES, STATE_CODES } from '../../payload-records/codes.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { ORIGINAL, type StoredObject, TEXT, WHOLE_TEXT } from '../data-objects.ts'

export interface TextObjects {
  payload_id: number
  payload_reference: string
  payload_time: number
  service: number
  type: number
  objects: readonly Pick<
    StoredObject,
    'kind' | 'object_key' | 'wrapped_dek' | 'sealed_size' | 'size' | 'content_type'
  >[]
}

/** Those of the tenant's payloads that are not destroyed. */
export async function findTextObjects(q: Queryable, payload_ids: readonly number[]): Promise<TextObjects[]> {
  const payloads = await q.query<Omit<TextObjects, 'objects'>>(
    `select payload_id, payload_reference, payload_time, service, type from payloads
     where client_id = $1 and payload_id = any($2) and state <> ${STATE_CODES.Destroyed}`,
    [q.client_id, payload_ids],
  )
  const messages = payloads.rows.filter(({ service }) => service === SERVICE_CODES.messages)
  const objects = await q.query<TextObjects['objects'][number] & { payload_id: number }>(
    `select payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type from payload_objects
     where client_id = $1 and payload_id = any($2) and wrapped_dek is not null and kind in ('${TEXT}', '${WHOLE_TEXT}', '${ORIGINAL}')`,
    [q.client_id, messages.map(({ payload_id }) => payload_id)],
  )
  const byPayload = Map.groupBy(objects.rows, ({ payload_id }) => payload_id)
  return payloads.rows.map((row) => ({ ...row, objects: byPayload.get(row.payload_id) ?? [] }))
}

/** The last version of a comment, sealed. */
export interface CommentText {
  payload_id: number
  type: number
  payload_reference: string
  comment_id: string
  comment_version: number
  by: string
  raised_at: number
  wrapped_key: Buffer | null
  sealed_body: Buffer
}

/** Those of these comments whose payload is not destroyed. */
export function findCommentTexts(q: Queryable, comment_ids: readonly string[]): Promise<CommentText[]> {
  return q.rows<CommentText>(
    `select c.payload_id, p.type, p.payload_reference, c.comment_id, c.comment_version, v.updated_by as by, c.raised_at, c.wrapped_key, v.sealed_body
     from payload_comments c join payloads p on p.client_id = c.client_id and p.payload_id = c.payload_id
     join payload_comment_versions v on v.client_id = c.client_id and v.comment_id = c.comment_id and v.comment_version = c.comment_version
     where c.client_id = $1 and c.comment_id = any($2) and p.state <> ${STATE_CODES.Destroyed}`,
    [q.client_id, comment_ids],
  )
}
