import type { Queryable } from '../ports/database/lease.ts'

export interface StoredCheckpoint {
  size: number
  signed_at: number
  algorithm: string
  key_id: string
  /** A signed note. */
  checkpoint: string
}

/** The newest checkpoints of a client, the newest first. */
export const readCheckpoints = async (q: Queryable, limit: number): Promise<StoredCheckpoint[]> =>
  (
    await q.query<StoredCheckpoint>(
      `select size, signed_at, algorithm, key_id, checkpoint from sealed_checkpoints
       where client_id = $1 order by size desc limit $2`,
      [q.client_id, limit],
    )
  ).rows

/** The checkpoint of a size; undefined when none was signed then. */
export const findCheckpoint = async (q: Queryable, size: number): Promise<StoredCheckpoint | undefined> =>
  (
    await q.query<StoredCheckpoint>(
      `select size, signed_at, algorithm, key_id, checkpoint from sealed_checkpoints where client_id = $1 and size = $2`,
      [q.client_id, size],
    )
  ).rows[0]
