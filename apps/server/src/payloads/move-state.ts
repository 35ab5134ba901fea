import type { FailureCode, PayloadState } from '@custodia/contract'
import type { Tx } from '../ports/database/lease.ts'
import { STATE_CODES } from './codes.ts'

export interface Move {
  client_id: number
  payload_id: number
  /** The move happens only from one of these. */
  from: readonly PayloadState[]
  to: PayloadState
  /** Epoch seconds. */
  now: number
  /** Who or what moves it. */
  by: string
  failure?: FailureCode | undefined
}

/**
 * Moves a payload on, with its history and its place among the changes, in the caller's transaction. False when the payload is
 * in none of the expected states: somebody else was faster, and nothing was changed.
 */
export async function moveState(tx: Tx, move: Move): Promise<boolean> {
  const { rows } = await tx.query<{ from_state: number }>(
    MOVE,
    [
      move.client_id,
      move.payload_id,
      move.from.map((state) => STATE_CODES[state]),
      STATE_CODES[move.to],
      move.now,
      move.failure ?? null,
    ],
    'payload_move',
  )
  const [row] = rows
  if (!row) return false
  await tx.query(
    'insert into payload_history (client_id, payload_id, at, from_state, to_state, reason, by) values ($1, $2, $3, $4, $5, $6, $7)',
    [
      move.client_id,
      move.payload_id,
      move.now,
      row.from_state,
      STATE_CODES[move.to],
      move.failure ?? null,
      move.by,
    ],
    'payload_history',
  )
  await touchChange(tx, [move.payload_id], move.now)
  return true
}

/** Gives changed payloads their new place among the changes. */
export async function touchChange(tx: Tx, payload_ids: readonly number[], now: number): Promise<void> {
  await tx.query(
    'update payload_changes set updated_at = $2 where payload_id = any($1)',
    [payload_ids, now],
    'payload_changed',
  )
}

const MOVE = `
  with old as (
    select payload_id, state from payloads
    where client_id = $1 and payload_id = $2 and state = any($3::smallint[]) for update
  )
  update payloads p set state = $4::smallint, updated_at = $5, failure = $6,
    uploaded_at = case when $4::smallint = ${STATE_CODES.Uploaded} then $5 else p.uploaded_at end,
    processed_at = case when $4::smallint = ${STATE_CODES.Processed} then $5 else p.processed_at end
  from old where p.payload_id = old.payload_id
  returning old.state as from_state`

/** The payload came to rest: no sweep looks after it any more. */
export async function leaveWork(tx: Tx, client_id: number, payload_id: number): Promise<void> {
  await tx.query(
    'delete from payload_work where client_id = $1 and payload_id = $2',
    [client_id, payload_id],
    'payload_rests',
  )
}
