import type { SEALED_FAULTS } from '@custodia/contract'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { isWithin } from './sources.ts'

/** The newest checkpoint that a holder outside of the database has. */
export interface Holder {
  holder: string
  size: number
  /** A signed note. */
  checkpoint: string
  /** What the holder answered: a time stamp. */
  receipt: Buffer | null
  held_at: number
}

/** Who holds a checkpoint of a client, the newest first. */
export const readHolders = async (q: Queryable): Promise<Holder[]> =>
  (
    await q.query<Holder>(
      `select holder, size, checkpoint, receipt, held_at from sealed_holders where client_id = $1 order by held_at desc, holder`,
      [q.client_id],
    )
  ).rows

/** Notes what a holder has now. */
export async function saveHolder(
  tx: Tx,
  { holder, size, checkpoint, receipt, held_at }: Holder,
): Promise<void> {
  await tx.query(
    `insert into sealed_holders (client_id, holder, size, checkpoint, receipt, held_at) values ($1, $2, $3, $4, $5, $6)
     on conflict (client_id, holder) do update set size = excluded.size, checkpoint = excluded.checkpoint, receipt = excluded.receipt, held_at = excluded.held_at`,
    [tx.client_id, holder, size, checkpoint, receipt, held_at],
  )
}

/** Whether a certificate of destruction or an export was sealed from a position on. */
export async function isEvidenceSince(q: Queryable, position: number): Promise<boolean> {
  const { rows } = await q.query(
    `select from sealed_entries e where e.client_id = $1 and ${isWithin('$2')} and (e.source = 'destruction_certificates'
       or e.source = 'portal_activities' and exists (select from portal_activities a
         where a.log_id = e.source_id and a.activity_time = e.at and a.action = 'payloads:export')) limit 1`,
    [q.client_id, position],
  )
  return rows.length > 0
}

/** A checkpoint of a holder that the log does not continue. */
export interface Contradiction {
  holder: string
  /** What the checkpoint covers; `faulty`: how many faults there are. */
  size: number
  fault: (typeof SEALED_FAULTS)[number]
}

/** Notes contradictions; resolves to those that were not known. */
export function insertContradictions(
  tx: Tx,
  found: readonly Contradiction[],
  found_at: number,
): Promise<Contradiction[]> {
  return tx.rows<Contradiction>(
    `insert into sealed_contradictions (client_id, holder, size, fault, found_at)
     select $1, holder, size, fault, $3 from jsonb_to_recordset($2::jsonb) as x(holder text, size bigint, fault text)
     on conflict do nothing returning holder, size, fault`,
    [tx.client_id, JSON.stringify(found), found_at],
  )
}

/** Contradictions that the operator has not resolved. */
export const readContradictions = async (q: Queryable): Promise<(Contradiction & { found_at: number })[]> =>
  (
    await q.query<Contradiction & { found_at: number }>(
      `select holder, size, fault, found_at from sealed_contradictions
       where client_id = $1 and resolved_at is null order by found_at, holder, size`,
      [q.client_id],
    )
  ).rows

/** Since when the log contradicts a checkpoint; null: it does not. */
export const contradictedAt = async (q: Queryable): Promise<number | null> =>
  (await readContradictions(q))[0]?.found_at ?? null

/** Resolves all contradictions; resolves to how many there were. */
export async function resolveContradictions(tx: Tx, reason: string, at: number): Promise<number> {
  const { rowCount } = await tx.query(
    'update sealed_contradictions set resolved_at = $2, reason = $3 where client_id = $1 and resolved_at is null',
    [tx.client_id, at, reason],
  )
  return rowCount ?? 0
}
