import { STATE_CODES } from '../../payload-records/codes.ts'
import type { Queryable, Tx } from '../../ports/database/lease.ts'
import { TYPES_WITH_WORDS, type WordPlace } from '../word-store.ts'

/** Seconds within which the transaction that makes a text readable commits. */
const COMMITTED = 60

/** The time before which all processed texts are in the index, in epoch seconds. */
export async function findSettled(q: Queryable, now: number): Promise<number> {
  const { rows } = await q.query<{ since: number | null }>(
    `select min(since) as since from content_work where client_id = $1 and comment_id = ''`,
    [q.client_id],
  )
  return Math.min(now, rows[0]?.since ?? now) - COMMITTED
}

/** Newest payloads of a time range that are read to bound their own times. */
const MAX_NEW = 5000

/**
 * The earliest recorded time of the payloads processed in this half-open range; undefined: there are none, 0: too many to
 * say.
 */
export async function findEarliest(
  q: Queryable,
  services: readonly number[],
  [from, to]: readonly [number, number],
): Promise<number | undefined> {
  const row = await q.row<{ earliest: number | null; found: number }>(
    `select min(payload_time) as earliest, count(*)::int as found from unnest($2::smallint[]) s (service) cross join lateral (
       select p.payload_time from payload_changes c join payloads p using (client_id, payload_id)
       where c.client_id = $1 and c.service = s.service and c.processed_at >= $3 and c.processed_at < $4
       order by c.processed_at desc limit ${MAX_NEW}) x`,
    [q.client_id, services, from, to],
  )
  if (!row?.found) return undefined
  return row.found < MAX_NEW ? (row.earliest ?? 0) : 0
}

/** Above every payload_id and comment_id. */
const [ABOVE_PAYLOADS, ABOVE_COMMENTS] = [Number.MAX_SAFE_INTEGER, '~']

/** Starts a requested index once the former one is erased. */
export async function beginIndex(tx: Tx, wrapped_key: Buffer, rules: number): Promise<void> {
  await tx.query(
    `update content_indexes set wrapped_key = $2, rules = $3, settled_after = null, payloads_before = ${ABOVE_PAYLOADS},
       comments_before = '${ABOVE_COMMENTS}', indexed = 0
     where client_id = $1 and is_wanted and wrapped_key is null`,
    [tx.client_id, wrapped_key, rules],
  )
}

/**
 * From now on every transaction writes to the index. When the running ones have ended, the backlog can be
 * read. (In a transaction after the one that began it.)
 */
export async function markSettling(tx: Tx): Promise<number> {
  const { rowCount } = await tx.query(
    'update content_indexes set settled_after = pg_current_xact_id() where client_id = $1 and wrapped_key is not null and settled_after is null',
    [tx.client_id],
  )
  return rowCount
}

/** Deletes the key of an index with outdated rules, so that it is built again. */
export async function dropKey(tx: Tx): Promise<void> {
  await tx.query('update content_indexes set wrapped_key = null where client_id = $1', [tx.client_id])
}

/** Erases part of an index without a key; returns the number of items. */
export async function eraseWordsBatch(tx: Tx, limit: number): Promise<number> {
  const { rowCount } = await tx.query(ERASE, [tx.client_id, limit])
  return rowCount
}

const ERASE = `
  with chosen as materialized (
    select payload_id, comment_id from content_indexed where client_id = $1 order by payload_id, comment_id limit $2
  ), payloads as (
    delete from content_words w using chosen where w.client_id = $1 and chosen.comment_id = '' and w.payload_id = chosen.payload_id
  ), comments as (
    delete from comment_words w using chosen where w.client_id = $1 and chosen.comment_id <> '' and w.comment_id = chosen.comment_id
  )
  delete from content_indexed i using chosen
  where i.client_id = $1 and i.payload_id = chosen.payload_id and i.comment_id = chosen.comment_id`

/** Erases the rest of an index without items, and its row when none is requested. */
export async function eraseVocabulary(tx: Tx): Promise<void> {
  for (const table of ['content_vocabulary_groups', 'content_vocabulary', 'content_periods', 'content_work'])
    await tx.query(`delete from ${table} where client_id = $1`, [tx.client_id])
  await tx.query('delete from content_indexes where client_id = $1 and not is_wanted', [tx.client_id])
}

/** Locks the index of words until the transaction ends; false when it has another key by now. */
export async function lockIndex(tx: Tx, wrapped_key: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query(
    'select from content_indexes where client_id = $1 and wrapped_key = $2 for update',
    [tx.client_id, wrapped_key],
  )
  return rowCount > 0
}

/** A part of the vocabulary, half open, by bucket, and the place after which it is read. */
export interface VocabularyPart {
  until: string
  after: WordPlace
}

/** Words of a part of the vocabulary, in order. */
export function readVocabulary(
  tx: Tx,
  { until, after }: VocabularyPart,
  limit: number,
): Promise<(WordPlace & { sealed_word: Buffer })[]> {
  return tx.rows<WordPlace & { sealed_word: Buffer }>(
    `select bucket::text, tag::text, sealed_word from content_vocabulary
     where client_id = $1 and (bucket, tag) > ($2::bigint, $3::bigint) and bucket < $4::bigint order by bucket, tag limit $5`,
    [tx.client_id, after.bucket, after.tag, until, limit],
  )
}

/** The months that have or had words, the newest first. */
export function findPeriods(tx: Tx): Promise<number[]> {
  return tx.column<number>(
    'select distinct period from content_periods where client_id = $1 order by period desc',
    [tx.client_id],
  )
}

/** Which of these numbered tokens of a month a text or a comment has. */
export function findUsed(
  tx: Tx,
  period: number,
  tokens: readonly { nth: number; token: string }[],
): Promise<number[]> {
  return tx.column<number>(USED, [
    tx.client_id,
    period,
    tokens.map(({ nth }) => nth),
    tokens.map(({ token }) => token),
  ])
}

// Index lookups, as in GROUPS_WITH.
const USED = `
  select distinct nth from unnest($3::int[], $4::bigint[]) w (nth, token)
  where (select true from content_periods s cross join lateral (
      select from content_words c where c.client_id = $1 and c.service = s.service and c.period = $2 and c.token = w.token limit 1) x
    where s.client_id = $1 and s.period = $2 limit 1)
  or (select true from comment_words c where c.client_id = $1 and c.token = w.token limit 1)`

/** Removes words from the vocabulary. */
export async function removeVocabulary(tx: Tx, places: readonly WordPlace[]): Promise<void> {
  const values = [tx.client_id, places.map(({ bucket }) => bucket), places.map(({ tag }) => tag)]
  for (const table of ['content_vocabulary', 'content_vocabulary_groups'])
    await tx.query(
      `delete from ${table} v using unnest($2::bigint[], $3::bigint[]) x (bucket, tag)
       where v.client_id = $1 and v.bucket = x.bucket and v.tag = x.tag`,
      values,
    )
}

/** The words that are missing in the vocabulary, by bucket and tag. */
export async function findNewPlaces(
  tx: Tx,
  words: readonly { bucket: string; tag: string }[],
): Promise<Set<string>> {
  const { rows } = await tx.query<{ place: string }>(
    `select concat_ws(' ', x.bucket, x.tag) as place from unnest($2::bigint[], $3::bigint[]) as x (bucket, tag)
     left join content_vocabulary v on v.client_id = $1 and v.bucket = x.bucket and v.tag = x.tag where v.tag is null`,
    [tx.client_id, words.map(({ bucket }) => bucket), words.map(({ tag }) => tag)],
    'unprepared',
  )
  return new Set(rows.map(({ place }) => place))
}

/** Adds words to the vocabulary. */
export async function insertVocabulary(
  tx: Tx,
  words: readonly { bucket: string; tag: string; sealed_word: Buffer }[],
): Promise<void> {
  await tx.query(
    `insert into content_vocabulary (client_id, bucket, tag, sealed_word)
     select $1, bucket, tag, sealed_word from unnest($2::bigint[], $3::bigint[], $4::bytea[]) as x (bucket, tag, sealed_word) order by 2, 3
     on conflict do nothing`,
    [
      tx.client_id,
      words.map(({ bucket }) => bucket),
      words.map(({ tag }) => tag),
      words.map(({ sealed_word }) => sealed_word),
    ],
  )
}

/** Text to read: a payload's own, or one comment. */
export interface WordWork {
  payload_id: number
  /** Empty: the payload itself. */
  comment_id: string
  asked: number
}

/** The longest waiting work of one client. */
export function findWork(tx: Tx, limit: number): Promise<WordWork[]> {
  return tx.rows<WordWork>(
    'select payload_id, comment_id, asked from content_work where client_id = $1 order by payload_id desc, comment_id limit $2',
    [tx.client_id, limit],
  )
}

/** Queues more of the backlog, the newest first; returns the number. */
export async function askForMore(tx: Tx, limit: number, now: number): Promise<number> {
  const values = [tx.client_id, limit, now]
  const payloads = await tx.query(MORE_PAYLOADS, [...values, TYPES_WITH_WORDS])
  const comments = await tx.query(MORE_COMMENTS, values)
  return payloads.rowCount + comments.rowCount
}

const MORE_PAYLOADS = `
  with more as materialized (
    select p.payload_id from content_indexes i join payloads p on p.client_id = i.client_id and p.payload_id < i.payloads_before
    where i.client_id = $1 and p.type = any($4) and p.state <> ${STATE_CODES.Destroyed} order by p.payload_id desc limit $2
  ), added as (
    insert into content_work (client_id, payload_id, since) select $1, payload_id, $3 from more order by 2 on conflict do nothing
  ), noted as (
    update content_indexes set payloads_before = (select min(payload_id) from more)
    where client_id = $1 and payloads_before is not null
  )
  select from more`

const MORE_COMMENTS = `
  with more as materialized (
    select c.comment_id, c.payload_id from content_indexes i join payload_comments c on c.client_id = i.client_id and c.comment_id < i.comments_before
    where i.client_id = $1 order by c.comment_id desc limit $2
  ), added as (
    insert into content_work (client_id, payload_id, comment_id, since) select $1, payload_id, comment_id, $3 from more order by 2, 3
    on conflict do nothing
  ), noted as (
    update content_indexes set comments_before = (select min(comment_id) from more)
    where client_id = $1 and comments_before is not null
  )
  select from more`

/** Tokens of one item, which replace all earlier ones. */
export interface ItemWords extends WordWork {
  /** The month of its tokens. */
  period: number
  tokens: readonly string[]
  places: readonly WordPlace[]
  comment_version?: number
}

/**
 * Writes words, under the lock of the index; sorted, so that the row order does not reveal which words are
 * neighbours in a text. Skips destroyed payloads, and comments that changed since, which wait again.
 */
export async function writeWords(tx: Tx, items: readonly ItemWords[]): Promise<void> {
  const { client_id } = tx
  const payload_ids = [...new Set(items.map(({ payload_id }) => payload_id))]
  // The lock holds until the commit: a concurrent reassignment, destruction or new version would leave stale words.
  const alive = await tx.query<{ payload_id: number; service: number }>(
    `select payload_id, service from payloads where client_id = $1 and payload_id = any($2) and state <> ${STATE_CODES.Destroyed}
     order by payload_id for share`,
    [client_id, payload_ids],
  )
  const services = new Map(alive.rows.map(({ payload_id, service }) => [payload_id, service]))
  const comment_ids = items.map(({ comment_id }) => comment_id).filter((comment_id) => comment_id !== '')
  const versions = await tx.query<{ comment_id: string; comment_version: number }>(
    'select comment_id, comment_version from payload_comments where client_id = $1 and comment_id = any($2) order by comment_id for share',
    [client_id, comment_ids],
  )
  const current = new Map(versions.rows.map((row) => [row.comment_id, row.comment_version]))
  const good = items.filter(
    ({ payload_id, comment_id, comment_version }) =>
      services.has(payload_id) && (comment_id === '' || current.get(comment_id) === comment_version),
  )
  const payloads = good.filter(({ comment_id }) => comment_id === '')
  const comments = good.filter(({ comment_id }) => comment_id !== '')
  if (payloads.length > 0) await writePayloads(tx, payloads)
  if (comments.length > 0) await writeComments(tx, comments)
  const places = good.flatMap(({ payload_id, places }) =>
    places.map(({ bucket, tag }) => [payload_id, bucket, tag]),
  )
  await tx.query(PLACES, [client_id, ...columns(places, 3)])
  const months = good.map(({ payload_id, comment_id, period }) => [
    comment_id === '' ? (services.get(payload_id) ?? 0) : 0,
    period,
  ])
  await tx.query(PERIODS, [client_id, ...columns(months, 2)])
  const rows = good.map(({ payload_id, comment_id, tokens }) => [payload_id, comment_id, tokens.length])
  await tx.query(INDEXED, [client_id, ...columns(rows, 3)])
  // Destroyed payloads need no further work.
  const done = items.filter((item) => good.includes(item) || !services.has(item.payload_id))
  const ended = done.map(({ payload_id, comment_id, asked }) => [payload_id, comment_id, asked])
  await tx.query(DONE, [client_id, ...columns(ended, 3)])
}

const columns = (rows: readonly (readonly unknown[])[], count: number): unknown[][] =>
  Array.from({ length: count }, (_, i) => rows.map((row) => row[i]))

async function writePayloads(tx: Tx, items: readonly ItemWords[]): Promise<void> {
  await tx.query('delete from content_words where client_id = $1 and payload_id = any($2)', [
    tx.client_id,
    items.map(({ payload_id }) => payload_id),
  ])
  const rows = items.flatMap(({ payload_id, period, tokens }) =>
    tokens.map((token) => [payload_id, period, token]),
  )
  await tx.query(WORDS, [tx.client_id, ...columns(rows, 3)])
}

async function writeComments(tx: Tx, items: readonly ItemWords[]): Promise<void> {
  await tx.query('delete from comment_words where client_id = $1 and comment_id = any($2)', [
    tx.client_id,
    items.map(({ comment_id }) => comment_id),
  ])
  const rows = items.flatMap(({ comment_id, tokens }) => tokens.map((token) => [comment_id, token]))
  await tx.query(COMMENT_WORDS, [tx.client_id, ...columns(rows, 2)])
}

// The group as it is now.
const WORDS = `
  insert into content_words (token, payload_time, payload_id, client_id, group_id, service, period, type)
  select x.token, p.payload_time, p.payload_id, $1, p.group_id, p.service, x.period, p.type
  from unnest($2::bigint[], $3::smallint[], $4::bigint[]) as x (payload_id, period, token) join payloads p using (payload_id)
  order by x.period, x.token, p.payload_id on conflict do nothing`
const COMMENT_WORDS = `
  insert into comment_words (client_id, token, group_id, comment_id)
  select $1, x.token, c.group_id, x.comment_id from unnest($2::text[], $3::bigint[]) as x (comment_id, token)
  join payload_comments c on c.client_id = $1 and c.comment_id = x.comment_id order by 2, 3, 4 on conflict do nothing`
const PLACES = `
  insert into content_vocabulary_groups (client_id, bucket, group_id, tag)
  select distinct $1::int, x.bucket, p.group_id, x.tag from unnest($2::bigint[], $3::bigint[], $4::bigint[]) as x (payload_id, bucket, tag)
  join payloads p on p.client_id = $1 and p.payload_id = x.payload_id order by 2, 3, 4 on conflict do nothing`
const PERIODS = `
  insert into content_periods (client_id, service, period)
  select distinct $1::int, service, period from unnest($2::smallint[], $3::smallint[]) as x (service, period) order by 2, 3
  on conflict do nothing`
const INDEXED = `
  with written as (
    insert into content_indexed (client_id, payload_id, comment_id, word_count)
    select $1, payload_id, comment_id, word_count from unnest($2::bigint[], $3::text[], $4::smallint[]) as x (payload_id, comment_id, word_count)
    order by 2, 3
    on conflict (client_id, payload_id, comment_id) do update set word_count = excluded.word_count
    returning xmax = 0 as is_new
  )
  update content_indexes set indexed = indexed + (select count(*) filter (where is_new) from written) where client_id = $1`
const DONE = `
  delete from content_work w using unnest($2::bigint[], $3::text[], $4::int[]) as x (payload_id, comment_id, asked)
  where w.client_id = $1 and w.payload_id = x.payload_id and w.comment_id = x.comment_id and w.asked = x.asked`
