import {
  type Listener,
  PLAYED_PARTS_LIMIT,
  PLAYED_SERVICES,
  type PlayedPart,
  type PayloadState,
  type PayloadType,
} from '@custodia/contract'
import { SERVICE_CODES, STATE_CODES, stateOfCode, typeOfCode } from '../../payload-records/codes.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { ORIGINAL, PLAYBACK } from '../data-objects.ts'

/** What plays and marks need to know of a payload. */
export interface Reviewable {
  payload_id: number
  payload_reference: string
  payload_type: PayloadType
  payload_state: PayloadState
  group_id: number
  /** Seconds, where known. */
  length: number | null
  /** Whether a browser can play its data. */
  is_playable: boolean
}

/**
 * The payloads of the tenant with these references, without a permission check; destroyed ones are left out.
 * @param lock of a write: a destruction under way ends first, and no other begins
 */
export async function findReviewables(
  q: Queryable,
  references: readonly string[],
  lock?: 'for share',
): Promise<Map<string, Reviewable>> {
  const { rows } = await q.query<
    Omit<Reviewable, 'payload_type' | 'payload_state'> & { type: number; state: number }
  >(
    `select p.payload_id, p.payload_reference, p.type, p.state, p.group_id,
       coalesce((o.details ->> 'duration')::float8, (d.list_doc::json ->> 'duration')::float8) as length,
       coalesce((o.details ->> 'is_playable')::boolean, false) or exists (select from payload_objects r
         where r.client_id = p.client_id and r.payload_id = p.payload_id and r.kind = '${PLAYBACK}') as is_playable
     from payloads p left join payload_documents d using (payload_id)
     left join payload_objects o on o.client_id = p.client_id and o.payload_id = p.payload_id and o.kind = '${ORIGINAL}'
     where p.client_id = $1 and p.payload_reference = any($2) and p.state <> ${STATE_CODES.Destroyed}
     order by p.payload_id ${lock ? `${lock} of p` : ''}`,
    [q.client_id, references],
  )
  return new Map(
    rows.map(({ type, state, ...row }) => [
      row.payload_reference,
      { ...row, payload_type: typeOfCode(type), payload_state: stateOfCode(state) },
    ]),
  )
}

/** As `findReviewables`, for one payload. */
export const findReviewable = async (
  q: Queryable,
  payload_reference: string,
  lock?: 'for share',
): Promise<Reviewable | undefined> =>
  (await findReviewables(q, [payload_reference], lock)).get(payload_reference)

/** Seconds in tenths, as the table has them. */
export const tenths = (seconds: number): number => Math.round(seconds * 10)

const stored = (parts: readonly PlayedPart[]): string =>
  `{${parts.map(({ from, to }) => `[${tenths(from)},${tenths(to)})`).join(',')}}`

/** SQL: the parts of row `h` of `payload_plays` as JSON, in seconds. */
const PARTS = `(select json_agg(json_build_object('from', lower(part) / 10.0, 'to', upper(part) / 10.0) order by part) from unnest(h.parts) part)`

/** A report of played parts, within the recording. */
export interface Play {
  person: string
  parts: readonly PlayedPart[]
  /** Seconds of the recording, where known. */
  length: number | null
  /** Epoch seconds. */
  now: number
}

/** When the person first played the payload, in epoch seconds; undefined without a playback in the audit. */
export async function findFirstPlayback(
  q: Queryable,
  payload_id: number,
  person: string,
): Promise<number | undefined> {
  const { rows } = await q.query<{ at: number }>(
    `select at from payload_audit
     where client_id = $1 and payload_id = $2 and portal_user = $3 and action = 'payloads:play' order by at limit 1`,
    [q.client_id, payload_id, person],
  )
  return rows[0] && Number(rows[0].at)
}

/**
 * Adds parts to those that the person has played, and resolves to all of them. Ignores a report that would give a
 * person too many parts.
 */
export async function storePlay(tx: Tx, payload_id: number, play: Play): Promise<PlayedPart[]> {
  const { person, parts, length, now } = play
  if (parts.length > 0)
    await tx.query(
      `insert into payload_plays as h (client_id, payload_id, person, parts, length, first_at, last_at)
       select client_id, payload_id, $3, $4::int4multirange, nullif($5::int, 0), $6, $6 from payloads
       where client_id = $1 and payload_id = $2
         and service in (${PLAYED_SERVICES.map((service) => SERVICE_CODES[service]).join(', ')})
         and state not in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed})
       on conflict (client_id, payload_id, person) do update
         set parts = h.parts + excluded.parts, length = coalesce(excluded.length, h.length), last_at = excluded.last_at
         where (select count(*) from unnest(h.parts + excluded.parts)) <= ${PLAYED_PARTS_LIMIT}`,
      [tx.client_id, payload_id, person, stored(parts), length === null ? null : tenths(length), now],
    )
  return findParts(tx, payload_id, person)
}

/** The parts that a person has played; none without a report. */
export async function findParts(q: Queryable, payload_id: number, person: string): Promise<PlayedPart[]> {
  return (
    (await q.value<PlayedPart[]>(
      `select ${PARTS} as parts from payload_plays h where h.client_id = $1 and h.payload_id = $2 and h.person = $3`,
      [q.client_id, payload_id, person],
    )) ?? []
  )
}

/** Seconds that a person has heard of each of these payloads. */
export async function findHeardSeconds(
  q: Queryable,
  payload_ids: readonly number[],
  person: string,
): Promise<Map<number, number>> {
  const { rows } = await q.query<{ payload_id: number; tenths: number }>(
    `select payload_id, tenths_of(parts) as tenths from payload_plays
     where client_id = $1 and payload_id = any($2) and person = $3`,
    [q.client_id, payload_ids, person],
  )
  return new Map(rows.map((row) => [row.payload_id, row.tenths / 10]))
}

/** The number of named listeners: the last ones. */
const NAMED = 20

/** Who has opened or heard a payload, and which parts; the latest first. */
export async function findListeners(q: Queryable, payload_id: number): Promise<Listener[]> {
  const { rows } = await q.query<Omit<Listener, 'parts'> & { parts: PlayedPart[] | null }>(
    `select o.person as heard_by, coalesce(h.first_at, o.opened_at) as first_at, coalesce(h.last_at, o.opened_at) as last_at, ${PARTS} as parts
     from payload_opened o left join payload_plays h using (client_id, payload_id, person)
     where o.client_id = $1 and o.payload_id = $2 and o.person <> ''
     order by 3 desc, 1 limit ${NAMED}`,
    [q.client_id, payload_id],
  )
  return rows.map(({ parts, ...row }) => ({ ...row, ...(parts && { parts }) }))
}
