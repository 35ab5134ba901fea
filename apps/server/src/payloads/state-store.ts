import type { FailureCode, PayloadState } from '@custodia/contract'
import type { Tx } from '../ports/database/lease.ts'
import { STATE_CODES } from '../payload-records/codes.ts'

export interface Moves {
  payload_ids: readonly number[]
  /** A payload moves only from one of these. */
  from: readonly PayloadState[]
  to: PayloadState
  /** Epoch seconds. */
  now: number
  /** The actor. */
  by: string
  failure?: FailureCode | undefined
}

export type Move = Omit<Moves, 'payload_ids'> & { payload_id: number }

/**
 * Moves a payload to another state, with its history and change number, in the caller's transaction. False when it is
 * in none of the expected states; then nothing changes.
 */
export async function moveState(tx: Tx, { payload_id, ...move }: Move): Promise<boolean> {
  return (await moveStates(tx, { ...move, payload_ids: [payload_id] })).size === 1
}

/** Like `moveState` for many; resolves to the moved ones. */
export async function moveStates(tx: Tx, moves: Moves): Promise<Set<number>> {
  if (moves.payload_ids.length === 0) return new Set()
  const { rows } = await tx.query<{ payload_id: number }>(
    MOVE,
    [
      tx.client_id,
      moves.payload_ids,
      moves.from.map((state) => STATE_CODES[state]),
      STATE_CODES[moves.to],
      moves.now,
      moves.failure ?? null,
      moves.by,
    ],
    'payload_move',
  )
  return new Set(rows.map(({ payload_id }) => payload_id))
}

/** Gives changed payloads their new change number. */
export async function touchChange(tx: Tx, payload_ids: readonly number[], now: number): Promise<void> {
  await tx.query(
    'update payload_changes set updated_at = $2 where payload_id = any($1)',
    [payload_ids, now],
    'payload_changed',
  )
}

// Locked in a fixed order, so that two batches cannot deadlock.
const MOVE = `
  with old as materialized (
    select payload_id, state from payloads
    where client_id = $1 and payload_id = any($2) and state = any($3::smallint[]) order by payload_id for update
  ), moved as (
    update payloads p set state = $4::smallint, updated_at = $5, failure = $6,
      uploaded_at = case when $4::smallint = ${STATE_CODES.Uploaded} then $5 else p.uploaded_at end,
      processed_at = case when $4::smallint = ${STATE_CODES.Processed} then $5 else p.processed_at end
    from old where p.payload_id = old.payload_id
    returning p.payload_id, old.state as from_state
  ), noted as (
    insert into payload_history (client_id, payload_id, at, from_state, to_state, reason, by)
    select $1, payload_id, $5, from_state, $4::smallint, $6, $7 from moved
  ), changed as (
    update payload_changes c set updated_at = $5 from moved where c.payload_id = moved.payload_id and c.updated_at <> $5
  )
  select payload_id from moved`

/** Removes finished payloads from the sweep. */
export async function leaveWork(tx: Tx, payload_ids: readonly number[]): Promise<void> {
  await tx.query(
    'delete from payload_work where client_id = $1 and payload_id = any($2)',
    [tx.client_id, payload_ids],
    'payload_rests',
  )
}

/** The received bytes were wrong: the next upload gets another key. */
export async function countRejection(tx: Tx, payload_id: number): Promise<void> {
  await tx.query('update payloads set rejected_count = rejected_count + 1 where payload_id = $1', [
    payload_id,
  ])
}
