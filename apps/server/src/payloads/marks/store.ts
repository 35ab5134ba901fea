import type { Mark, ReviewSettings, ReviewWeek, StoredReviewSettings } from '@custodia/contract'
import { lockClient } from '../../clients/store.ts'
import { PORTAL_USER_NAME } from '../../device-records/names-store.ts'
import { getVersion } from '../../http/etag.ts'
import { STATE_CODES } from '../../payload-records/codes.ts'
import { binder } from '../../ports/database/binder.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { lanesSql, type ReachLane } from '../lanes-sql.ts'
import type { Reviewable } from '../plays/store.ts'

/** The default: a mark has no reasons, and the portal warns below half of a recording. */
const DEFAULTS = { reasons: [], min_share: 50, requires_share: false, updated_at: null, updated_by: null }

/** The review settings of the account. */
export async function findReviewSettings(q: Queryable): Promise<Omit<StoredReviewSettings, 'client'>> {
  const { rows } = await q.query<Omit<StoredReviewSettings, 'client' | 'version'>>(
    `select reasons, min_share, requires_share, updated_at, updated_by from review_settings where client_id = $1`,
    [q.client_id],
  )
  const settings = rows[0] ?? DEFAULTS
  return { ...settings, version: getVersion(settings) }
}

/** As `findReviewSettings`; until the transaction ends no other save begins, not even a first one. */
export async function lockReviewSettings(tx: Tx): Promise<Omit<StoredReviewSettings, 'client'>> {
  await lockClient(tx)
  return findReviewSettings(tx)
}

/** Replaces it. */
export async function writeReviewSettings(
  tx: Tx,
  { reasons, min_share, requires_share }: ReviewSettings,
  { now, by }: { now: number; by: string },
): Promise<void> {
  await tx.query(
    `insert into review_settings (client_id, reasons, updated_at, updated_by, min_share, requires_share) values ($1, $2, $3, $4, $5, $6)
     on conflict (client_id) do update set reasons = excluded.reasons, min_share = excluded.min_share,
       requires_share = excluded.requires_share, updated_at = excluded.updated_at, updated_by = excluded.updated_by`,
    [tx.client_id, reasons, now, by, min_share, requires_share],
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
  const count = (act: string) =>
    `coalesce(sum(${act === 'listened' ? 'count / 10.0' : 'count'}) filter (where act = '${act}'), 0)::int as ${act}`
  const { rows } = await q.query<ReviewWeek & { client_id: number }>(
    `select w.*, ${PORTAL_USER_NAME('w.client_id', 'w.person')} as person_name from (
     select c.client_id, extract(epoch from date_trunc('week', to_timestamp(c.day) at time zone 'UTC') at time zone 'UTC')::bigint as week,
       c.person, g.group_reference as "group", ${['heard', 'listened', 'reviewed', 'too_little', 'flagged', 'escalated'].map(count).join(', ')}
     from review_days c join groups g on g.client_id = c.client_id and g.group_id = c.group_id
     where c.client_id = ${bind(q.client_id, 'int')} and c.day >= ${bind(from, 'bigint')} and c.day < ${bind(to, 'bigint')}
       and ${lanesSql(lanes, bind, 'c')}
     group by 1, 2, 3, 4 order by 2 desc, 3, 4 limit ${limit}) w order by w.week desc, w.person, w."group"`,
    values,
  )
  return rows.map(({ client_id: _client, ...week }) => week)
}

/** The groups of the account, by name. */
export const listGroupNames = (q: Queryable): Promise<{ group_id: number; group: string }[]> =>
  q.rows<{ group_id: number; group: string }>(
    'select group_id, group_reference as "group" from groups where client_id = $1 order by group_reference',
    [q.client_id],
  )

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
  /** Seconds heard then, and of the recording; null: not measured. */
  heard_seconds: number | null
  length: number | null
  is_too_little: boolean
  withdrawn_at: number | null
}

/** Marks of a payload in a response: the newest. */
const SHOWN = 200

const COLUMNS = `mark_id, mark, reason, marked_at, marked_by, sealed_note, decided_at, decided_by, sealed_result, wrapped_key,
  (heard / 10.0)::float8 as heard_seconds, (length / 10.0)::float8 as length, is_too_little, withdrawn_at`

/** The marks of a payload, newest first. */
export function findMarks(q: Queryable, payload_id: number): Promise<SealedMark[]> {
  return q.rows<SealedMark>(
    `select ${COLUMNS} from payload_marks where client_id = $1 and payload_id = $2
     order by mark_id desc limit ${SHOWN}`,
    [q.client_id, payload_id],
  )
}

/** Reads one mark and locks its payload until the transaction ends, so that marks and decisions wait. */
export async function lockMark(tx: Tx, payload_id: number, mark_id: string): Promise<SealedMark | undefined> {
  await tx.query('select from payloads where payload_id = $1 for no key update', [payload_id])
  return tx.row<SealedMark>(
    `select ${COLUMNS} from payload_marks where client_id = $1 and payload_id = $2 and mark_id = $3 for update`,
    [tx.client_id, payload_id, mark_id],
  )
}

/** Whether this person has heard the payload, even when the response does not name them. */
export async function hasHeard(q: Queryable, payload_id: number, person: string): Promise<boolean> {
  const { rows } = await q.query(
    'select from payload_opened where client_id = $1 and payload_id = $2 and person = $3',
    [q.client_id, payload_id, person],
  )
  return rows.length > 0
}

/**
 * The messages that a mark of these messages' conversations covers: opened by this person and without a mark. Newest
 * first, at most `limit`; the number of unmarked messages that the person has not opened; and the given messages that
 * the person may mark.
 */
export async function findUnmarkedOfConversations(
  q: Queryable,
  payload_references: readonly string[],
  {
    lanes,
    person,
    replaces_mark,
  }: {
    lanes: readonly ReachLane[]
    person: string
    /** These messages themselves count, whatever their mark. */
    replaces_mark: boolean
  },
  limit: number,
): Promise<{ named: string[]; references: string[]; unopened_count: number }> {
  const { bind, values } = binder([q.client_id, payload_references, person])
  const { rows } = await q.query<{ named: string[] | null; opened: string[] | null; unopened_count: number }>(
    `with n as materialized (select p.payload_id, p.payload_reference, p.device_id, d.thread_id, p.service from payloads p join payload_documents d using (payload_id)
        where p.client_id = $1 and p.payload_reference = any($2::text[]) and d.thread_id is not null and ${lanesSql(lanes, bind, 'p')}),
      t as materialized (select t.payload_id, t.payload_time, o.person is not null as is_opened
        from (select distinct device_id, thread_id, service from n) a
        join payload_threads t on t.client_id = $1 and t.device_id = a.device_id and t.thread_id = a.thread_id and t.service = a.service
        left join payload_opened o on o.client_id = $1 and o.payload_id = t.payload_id and o.person = $3
        where ${lanesSql(lanes, bind, 't')} and (${replaces_mark ? 't.payload_id in (select payload_id from n)' : 'false'}
          or not exists (select from payload_marked m where m.client_id = $1 and m.payload_id = t.payload_id and m.person = '')))
    select (select array_agg(p.payload_reference order by f.payload_time desc, f.payload_id desc) from
        (select * from t where is_opened order by payload_time desc, payload_id desc limit ${bind(limit, 'int')}) f
        join payloads p using (payload_id)) as opened,
      (select array_agg(payload_reference) from n) as named, (select count(*)::int from t where not is_opened) as unopened_count`,
    values,
    'unprepared',
  )
  const { named, opened, unopened_count = 0 } = rows[0] ?? {}
  return { named: named ?? [], references: opened ?? [], unopened_count }
}

/** A mark ready to be stored. */
export type NewMark = Pick<
  SealedMark,
  'mark_id' | 'mark' | 'reason' | 'marked_at' | 'marked_by' | 'sealed_note' | 'wrapped_key'
> &
  Partial<HeardThen>

/** What the author of a mark had heard when they made it. */
export type HeardThen = Pick<SealedMark, 'heard_seconds' | 'length' | 'is_too_little'>

/**
 * Stores marks, each as the last one of its person and of its payload, and counts reviews on their day. Resolves to the
 * group of each payload.
 */
export async function insertMarks(
  tx: Tx,
  marks: readonly (NewMark & Pick<Reviewable, 'payload_id'>)[],
): Promise<Map<number, number>> {
  const payload_ids = marks.map(({ payload_id }) => payload_id)
  // The lock makes a concurrent reassignment or deletion see the mark.
  const { rows } = await tx.query<{ payload_id: number; group_id: number }>(
    'select payload_id, group_id from payloads where payload_id = any($1::bigint[]) order by payload_id for share',
    [payload_ids],
  )
  if (rows.length < new Set(payload_ids).size) throw new Error('a payload to be marked does not exist')
  await tx.query(
    `insert into payload_marks (client_id, mark_id, payload_id, mark, reason, marked_at, marked_by, sealed_note, wrapped_key, heard, length, is_too_little)
     select $1::int, mark_id, payload_id, mark, reason, marked_at, marked_by, sealed_note, wrapped_key, heard * 10, length * 10, is_too_little
     from unnest($2::text[], $3::bigint[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::bytea[], $9::bytea[], $10::float8[], $11::float8[], $12::bool[])
       as m (mark_id, payload_id, mark, reason, marked_at, marked_by, sealed_note, wrapped_key, heard, length, is_too_little)`,
    [
      tx.client_id,
      marks.map(({ mark_id }) => mark_id),
      payload_ids,
      marks.map(({ mark }) => mark),
      marks.map(({ reason }) => reason),
      marks.map(({ marked_at }) => marked_at),
      marks.map(({ marked_by }) => marked_by),
      marks.map(({ sealed_note }) => sealed_note),
      marks.map(({ wrapped_key }) => wrapped_key),
      marks.map(({ heard_seconds = null }) => heard_seconds),
      marks.map(({ length = null }) => length),
      marks.map(({ is_too_little = false }) => is_too_little),
    ],
  )
  const mark_ids = marks.map(({ mark_id }) => mark_id)
  await tx.query(
    `insert into payload_marked as m (client_id, payload_id, person, mark, mark_id, service, payload_time, group_id, type)
     select p.client_id, p.payload_id, person, n.mark, n.mark_id, p.service, p.payload_time, p.group_id, p.type
     from payload_marks n join payloads p using (client_id, payload_id), unnest(array['', n.marked_by]) person
     where n.client_id = $1 and n.mark_id = any($2) and p.state not in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed}) and not p.is_copy
     order by p.payload_id, person
     on conflict (client_id, payload_id, person) do update set mark = excluded.mark, mark_id = excluded.mark_id
       where m.mark_id < excluded.mark_id`,
    [tx.client_id, mark_ids],
  )
  await tx.query(
    `insert into review_days as d (client_id, day, person, group_id, type, act, count)
     select p.client_id, n.marked_at - n.marked_at % 86400, n.marked_by, p.group_id, p.type, act, count(*)
     from payload_marks n join payloads p using (client_id, payload_id),
       unnest(case when n.is_too_little then array[n.mark, 'too_little'] else array[n.mark] end) act
     where n.client_id = $1 and n.mark_id = any($2)
     group by 1, 2, 3, 4, 5, 6 order by 2, 3, 4, 5, 6
     on conflict (client_id, day, person, group_id, type, act) do update set count = d.count + excluded.count`,
    [tx.client_id, mark_ids],
  )
  return new Map(rows.map(({ payload_id, group_id }) => [payload_id, group_id]))
}

const getActs = ({ mark, is_too_little }: Pick<SealedMark, 'mark' | 'is_too_little'>): string[] =>
  is_too_little ? [mark, 'too_little'] : [mark]

/** The payload of a mark that its author may take back. */
export interface Withdrawable extends Pick<SealedMark, 'mark_id' | 'mark' | 'marked_at' | 'is_too_little'> {
  payload_reference: string
}

/** Those of these marks that this person may take back: their own ones, neither decided nor withdrawn. */
export function findWithdrawable(
  q: Queryable,
  mark_ids: readonly string[],
  person: string,
): Promise<Withdrawable[]> {
  return q.rows<Withdrawable>(
    `select m.mark_id, m.mark, m.marked_at, m.is_too_little, p.payload_reference
     from payload_marks m join payloads p using (client_id, payload_id)
     where m.client_id = $1 and m.mark_id = any($2) and m.marked_by = $3 and m.decided_at is null and m.withdrawn_at is null
     order by m.mark_id`,
    [q.client_id, mark_ids, person],
  )
}

/** The mark that applies to a payload. */
interface PresentMark {
  mark: Mark | null
  marked_by: string | null
}

/**
 * Takes a mark back: it stays in the history, and the one before it applies again. Resolves to the mark that applies
 * now; undefined when a concurrent decision came first.
 */
export async function withdrawStored(
  tx: Tx,
  { payload_id }: Pick<Reviewable, 'payload_id'>,
  mark: Withdrawable,
  { now, by }: { now: number; by: string },
): Promise<PresentMark | undefined> {
  const locked = await lockMark(tx, payload_id, mark.mark_id)
  if (!locked || locked.decided_at !== null || locked.withdrawn_at !== null) return undefined
  const place = [tx.client_id, payload_id]
  await tx.query('update payload_marks set withdrawn_at = $3 where client_id = $1 and mark_id = $2', [
    tx.client_id,
    mark.mark_id,
    now,
  ])
  await tx.query(
    `delete from payload_marked where client_id = $1 and payload_id = $2 and person in ('', $3)`,
    [...place, by],
  )
  await tx.query('select rebuild_review($1, array[$2::bigint])', place)
  await tx.query(
    `update review_days d set count = d.count - 1 from payloads p
     where p.client_id = $1 and p.payload_id = $2 and d.client_id = $1 and d.day = $3::bigint - $3::bigint % 86400 and d.person = $4
       and d.type = p.type and d.act = any($5) and d.count > 0
       and d.group_id = coalesce((select r.from_group from payload_reassignments r
         where r.client_id = $1 and r.payload_id = $2 and r.at > $3::bigint order by r.at limit 1), p.group_id)`,
    [...place, mark.marked_at, by, getActs(mark)],
  )
  const { rows } = await tx.query<PresentMark>(
    `select mark, marked_by from payload_marks where client_id = $1 and payload_id = $2 and withdrawn_at is null
     order by mark_id desc limit 1`,
    place,
  )
  return rows[0] ?? { mark: null, marked_by: null }
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
  )
}

/** Whether an escalation of a payload is open. */
export async function isEscalated(q: Queryable, payload_id: number): Promise<boolean> {
  const { rows } = await q.query(
    `select from payload_marks where client_id = $1 and payload_id = $2 and mark = 'escalated' and decided_at is null and withdrawn_at is null limit 1`,
    [q.client_id, payload_id],
  )
  return rows.length > 0
}
