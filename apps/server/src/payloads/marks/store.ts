import type { Mark, PayloadType, ReviewSettings, ReviewWeek } from '@custodia/contract'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { STATE_CODES, typeOfCode } from '../../payload-records/codes.ts'
import { binder } from '../../ports/database/binder.ts'
import { lanesSql, type ReachLane } from '../lanes-sql.ts'

/** The default: a mark has no reasons. */
const UNSAID: ReviewSettings = { reasons: [] }

/** The review settings of the account. */
export async function findReviewSettings(q: Queryable): Promise<ReviewSettings> {
  const { rows } = await q.query<ReviewSettings>(
    'select reasons from review_settings where client_id = $1',
    [q.client_id],
    'review_settings',
  )
  return rows[0] ?? UNSAID
}

/** Replaces it. */
export async function writeReviewSettings(
  tx: Tx,
  { reasons }: ReviewSettings,
  { now, by }: { now: number; by: string },
): Promise<void> {
  await tx.query(
    `insert into review_settings (client_id, reasons, updated_at, updated_by) values ($1, $2, $3, $4)
     on conflict (client_id) do update set reasons = excluded.reasons,
       updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
    [tx.client_id, reasons, now, by],
  )
}

/**
 * The review counts per week, person and group, the newest week first, within the scopes and days. At most
 * `limit` rows.
 */
export async function findReviewWeeks(
  q: Queryable,
  { lanes, from, to }: { lanes: readonly ReachLane[]; from: number; to: number },
  limit: number,
): Promise<ReviewWeek[]> {
  const { bind, values } = binder()
  const count = (act: string) => `coalesce(sum(count) filter (where act = '${act}'), 0)::int as ${act}`
  const { rows } = await q.query<ReviewWeek>(
    `select extract(epoch from date_trunc('week', to_timestamp(c.day) at time zone 'UTC') at time zone 'UTC')::bigint as week, c.person,
       g.group_reference as "group", ${['heard', 'reviewed', 'flagged', 'escalated'].map(count).join(', ')}
     from review_days c join groups g on g.client_id = c.client_id and g.group_id = c.group_id
     where c.client_id = ${bind(q.client_id, 'int')} and c.day >= ${bind(from, 'bigint')} and c.day < ${bind(to, 'bigint')}
       and ${lanesSql(lanes, bind, 'c')}
     group by 1, 2, 3 order by 1 desc, 2, 3 limit ${limit}`,
    values,
  )
  return rows
}

/** What a mark needs to know of the payload. */
export interface Markable {
  payload_id: number
  payload_reference: string
  payload_type: PayloadType
  group_id: number
}

/** The payload of the tenant with this reference, without a permission check; undefined when it is destroyed. */
export async function findMarkable(q: Queryable, payload_reference: string): Promise<Markable | undefined> {
  const { rows } = await q.query<Omit<Markable, 'payload_type'> & { type: number }>(
    `select p.payload_id, p.payload_reference, p.type, p.group_id from payloads p
     where p.client_id = $1 and p.payload_reference = $2 and p.state <> ${STATE_CODES.Destroyed}`,
    [q.client_id, payload_reference],
    'markable_find',
  )
  const [row] = rows
  if (!row) return undefined
  const { type, ...rest } = row
  return { ...rest, payload_type: typeOfCode(type) }
}

/** A mark row; its texts are still sealed. */
export interface SealedMark {
  mark_id: string
  mark: Mark
  reason: string | null
  marked_at: number
  marked_by: string
  sealed_note: Buffer | null
  decided_at: number | null
  decided_by: string | null
  sealed_result: Buffer | null
  wrapped_key: Buffer | null
}

/** Marks of a payload in a response: the newest. */
const SHOWN = 200

const COLUMNS =
  'mark_id, mark, reason, marked_at, marked_by, sealed_note, decided_at, decided_by, sealed_result, wrapped_key'

/** The marks of a payload, newest first. */
export async function findMarks(q: Queryable, payload_id: number): Promise<SealedMark[]> {
  const { rows } = await q.query<SealedMark>(
    `select ${COLUMNS} from payload_marks where client_id = $1 and payload_id = $2
     order by mark_id desc limit ${SHOWN}`,
    [q.client_id, payload_id],
    'marks_find',
  )
  return rows
}

/** Reads one mark and locks its payload until the transaction ends, so that marks and decisions wait. */
export async function lockMark(tx: Tx, payload_id: number, mark_id: string): Promise<SealedMark | undefined> {
  await tx.query(
    'select from payloads where payload_id = $1 for no key update',
    [payload_id],
    'mark_decide_hold',
  )
  const { rows } = await tx.query<SealedMark>(
    `select ${COLUMNS} from payload_marks where client_id = $1 and payload_id = $2 and mark_id = $3 for update`,
    [tx.client_id, payload_id, mark_id],
    'mark_lock',
  )
  return rows[0]
}

/** The number of named hearers: the last ones. */
const NAMED = 20

/** Who has heard a payload, the last ones first. */
export async function findHearers(q: Queryable, payload_id: number): Promise<string[]> {
  const { rows } = await q.query<{ person: string }>(
    `select person from payload_opened where client_id = $1 and payload_id = $2 and person <> ''
     order by opened_at desc, person limit ${NAMED}`,
    [q.client_id, payload_id],
    'hearers_find',
  )
  return rows.map(({ person }) => person)
}

/** Whether this person has heard the payload, even when the response does not name them. */
export async function hasHeard(q: Queryable, payload_id: number, person: string): Promise<boolean> {
  const { rows } = await q.query(
    'select from payload_opened where client_id = $1 and payload_id = $2 and person = $3',
    [q.client_id, payload_id, person],
    'heard_by',
  )
  return rows.length > 0
}

/** A mark ready to be stored. */
export type NewMark = Pick<
  SealedMark,
  'mark_id' | 'mark' | 'reason' | 'marked_at' | 'marked_by' | 'sealed_note' | 'wrapped_key'
>

/**
 * Stores a mark as the last one of its person and of the payload, and counts a review on its day. Resolves to the
 * payload's group.
 */
export async function insertMark(
  tx: Tx,
  { payload_id }: Pick<Markable, 'payload_id'>,
  mark: NewMark,
): Promise<number> {
  const { mark_id, reason, marked_at, marked_by, sealed_note, wrapped_key } = mark
  // The lock makes a concurrent reassignment or deletion see the mark.
  const { rows } = await tx.query<{ group_id: number }>(
    'select group_id from payloads where payload_id = $1 for share',
    [payload_id],
    'mark_hold',
  )
  const [held] = rows
  if (!held) throw new Error(`no payload ${payload_id}`)
  await tx.query(
    `insert into payload_marks (client_id, mark_id, payload_id, mark, reason, marked_at, marked_by, sealed_note, wrapped_key)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [tx.client_id, mark_id, payload_id, mark.mark, reason, marked_at, marked_by, sealed_note, wrapped_key],
    'mark_insert',
  )
  await tx.query(
    `insert into payload_marked as m (client_id, payload_id, person, mark, mark_id, service, payload_time, group_id, type)
     select client_id, payload_id, person, $3, $4, service, payload_time, group_id, type
     from payloads, unnest(array['', $5]) person where client_id = $1 and payload_id = $2 and state not in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed}) and not is_copy
     order by person
     on conflict (client_id, payload_id, person) do update set mark = excluded.mark, mark_id = excluded.mark_id
       where m.mark_id < excluded.mark_id`,
    [tx.client_id, payload_id, mark.mark, mark_id, marked_by],
    'marked_set',
  )
  await tx.query(
    `insert into review_days as d (client_id, day, person, group_id, type, act, count)
     select client_id, $3::bigint - $3::bigint % 86400, $4, group_id, type, $5, 1 from payloads where client_id = $1 and payload_id = $2
     on conflict (client_id, day, person, group_id, type, act) do update set count = d.count + 1`,
    [tx.client_id, payload_id, marked_at, marked_by, mark.mark],
    'mark_counted',
  )
  return held.group_id
}

/** Closes an escalation with its result. */
export async function decideStored(
  tx: Tx,
  mark_id: string,
  decided: { now: number; by: string; sealed: Buffer; wrapped_key: Buffer },
): Promise<void> {
  await tx.query(
    `update payload_marks set decided_at = $3, decided_by = $4, sealed_result = $5, wrapped_key = $6
     where client_id = $1 and mark_id = $2`,
    [tx.client_id, mark_id, decided.now, decided.by, decided.sealed, decided.wrapped_key],
    'mark_decide',
  )
}

/** Whether an escalation of a payload is open. */
export async function isEscalated(q: Queryable, payload_id: number): Promise<boolean> {
  const { rows } = await q.query(
    `select from payload_marks where client_id = $1 and payload_id = $2 and mark = 'escalated' and decided_at is null limit 1`,
    [q.client_id, payload_id],
    'escalations_open',
  )
  return rows.length > 0
}
