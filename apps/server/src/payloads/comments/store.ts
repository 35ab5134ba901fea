import type { CommentDuration, PayloadState, PayloadType } from '@custodia/contract'
import { stateOfCode, typeOfCode } from '../../payload-records/codes.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { ORIGINAL } from '../data-objects.ts'

/** What a write needs to know of the payload. */
export interface CommentedPayload {
  payload_id: number
  payload_reference: string
  payload_type: PayloadType
  payload_state: PayloadState
  group_id: number
  /** Duration in seconds; undefined when the payload does not play or its duration is unknown. */
  seconds: number | undefined
}

/**
 * The payload of the tenant with this reference, without a permission check.
 * @param lock of a write: a destruction under way ends first, and no other begins
 */
export async function findCommented(
  q: Queryable,
  payload_reference: string,
  lock?: 'for share',
): Promise<CommentedPayload | undefined> {
  const row = await q.row<
    Omit<CommentedPayload, 'payload_type' | 'payload_state' | 'seconds'> & PayloadCodes
  >(
    `select p.payload_id, p.payload_reference, p.type, p.state, p.group_id,
       coalesce((o.details ->> 'duration')::float8, (d.list_doc::json ->> 'duration')::float8) as seconds
     from payloads p left join payload_documents d using (payload_id)
     left join payload_objects o on o.client_id = p.client_id and o.payload_id = p.payload_id and o.kind = '${ORIGINAL}'
     where p.client_id = $1 and p.payload_reference = $2 ${lock ? `${lock} of p` : ''}`,
    [q.client_id, payload_reference],
  )
  if (!row) return undefined
  const { type, state, seconds, ...rest } = row
  return {
    ...rest,
    payload_type: typeOfCode(type),
    payload_state: stateOfCode(state),
    seconds: seconds ?? undefined,
  }
}

interface PayloadCodes {
  type: number
  state: number
  seconds: number | null
}

/** The fields of a comment that changes need. */
export interface StoredComment {
  comment_id: string
  comment_version: number
  raised_by: string
  wrapped_key: Buffer | null
  closed_at: number | null
  sealed_body: Buffer
  comment_duration: CommentDuration | null
}

/** Locks the comment on that payload until the transaction ends; returns its current version. */
export async function lockComment(
  tx: Tx,
  payload_id: number,
  comment_id: string,
): Promise<StoredComment | undefined> {
  // Two statements, because a transaction that waited for the lock must read the version that the other one wrote.
  const locked = await tx.query<Omit<StoredComment, 'sealed_body' | 'comment_duration'>>(
    `select comment_id, comment_version, raised_by, wrapped_key, closed_at from payload_comments
     where client_id = $1 and payload_id = $2 and comment_id = $3 for update`,
    [tx.client_id, payload_id, comment_id],
  )
  const [comment] = locked.rows
  if (!comment) return undefined
  const version = await tx.row<{
    sealed_body: Buffer
    start_time: number | null
    duration: number | null
  }>(
    `select sealed_body, start_time, duration from payload_comment_versions
     where client_id = $1 and comment_id = $2 and comment_version = $3`,
    [tx.client_id, comment_id, comment.comment_version],
  )
  if (!version) throw new Error(`version ${comment.comment_version} of the comment ${comment_id} is missing`)
  const { sealed_body, start_time, duration } = version
  return { ...comment, sealed_body, comment_duration: getDuration(start_time, duration) }
}

/** The wire form of the two columns. */
export const getDuration = (start_time: number | null, duration: number | null): CommentDuration | null =>
  start_time === null || duration === null ? null : { start_time, duration }

/** One version of a comment, sealed. */
export interface NewVersion {
  comment_id: string
  comment_version: number
  sealed_body: Buffer
  comment_duration: CommentDuration | null
  /** Epoch seconds. */
  now: number
  by: string
}

/**
 * Adds a comment with its first version, in the current group of the payload, which may have been reassigned
 * since it was read.
 */
export async function insertComment(
  tx: Tx,
  { payload_id }: Pick<CommentedPayload, 'payload_id'>,
  first: NewVersion & { wrapped_key: Buffer; in_reply_to?: string | undefined },
): Promise<void> {
  await tx.query(
    `insert into payload_comments (client_id, comment_id, payload_id, group_id, type, raised_at, raised_by, wrapped_key, in_reply_to)
     select $1, $2, payload_id, group_id, type, $4, $5, $6, $7 from payloads where client_id = $1 and payload_id = $3 for share`,
    [
      tx.client_id,
      first.comment_id,
      payload_id,
      first.now,
      first.by,
      first.wrapped_key,
      first.in_reply_to ?? null,
    ],
  )
  await insertVersion(tx, first)
}

/** Makes this the current version; earlier ones stay. */
export async function addVersion(tx: Tx, version: NewVersion): Promise<void> {
  await insertVersion(tx, version)
  await tx.query(
    'update payload_comments set comment_version = $3 where client_id = $1 and comment_id = $2',
    [tx.client_id, version.comment_id, version.comment_version],
  )
}

async function insertVersion(tx: Tx, version: NewVersion): Promise<void> {
  const { comment_id, comment_version, sealed_body, comment_duration, now, by } = version
  await tx.query(
    `insert into payload_comment_versions
       (client_id, comment_id, comment_version, sealed_body, start_time, duration, updated_at, updated_by)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      tx.client_id,
      comment_id,
      comment_version,
      sealed_body,
      comment_duration?.start_time ?? null,
      comment_duration?.duration ?? null,
      now,
      by,
    ],
  )
}

/** Closes a comment, so that only the history shows it. */
export async function closeStored(
  tx: Tx,
  comment_id: string,
  { now, by, sealed_reason }: { now: number; by: string; sealed_reason: Buffer | null },
): Promise<void> {
  await tx.query(
    'update payload_comments set closed_at = $3, closed_by = $4, sealed_reason = $5 where client_id = $1 and comment_id = $2',
    [tx.client_id, comment_id, now, by, sealed_reason],
  )
}
