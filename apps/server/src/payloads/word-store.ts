import { createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto'
import { type AccountDefaults, PAYLOAD_TYPES } from '@custodia/contract'
import { PREFIX_LETTERS } from '@custodia/domain'
import { unwrapSecret, wrapSecret } from '@custodia/envelope'
import type { AppContext } from '../app-context.ts'
import { getCodes } from '../payload-records/codes.ts'
import { cacheEntry } from '../ports/cache.ts'
import type { Queryable, Tx } from '../ports/database/lease.ts'
import { wordKeyContext } from '../ports/keys/contexts.ts'

/** Types with texts: calls have none, except the reason for blocking. */
export const TYPES_WITH_WORDS: readonly number[] = getCodes(
  PAYLOAD_TYPES.filter((type) => type !== 'Call' && type !== 'AbortedCall'),
)

/** The state of a client's word index. */
interface WordIndex {
  is_wanted: boolean
  /** Null: it is being erased, or not yet made. */
  wrapped_key: Buffer | null
  rules: number
  is_settled: boolean
  /** Months with words of the services, the oldest first. */
  periods: readonly number[]
  /** The unread backlog: payloads below this id, comments below this one; null: none. */
  payloads_before: number | null
  comments_before: string | null
  indexed: number
}

/** The tenant's word index, with the months of words of these services (0: comments); undefined: it has none. */
export function findWordIndex(
  q: Queryable,
  services: readonly number[] = [],
): Promise<WordIndex | undefined> {
  return q.row<WordIndex>(
    `select is_wanted, wrapped_key, rules, payloads_before, comments_before, indexed,
       coalesce(settled_after < pg_snapshot_xmin(pg_current_snapshot()), false) as is_settled,
       array(select distinct period from content_periods where client_id = $1 and service = any($2) order by period) as periods
     from content_indexes where client_id = $1`,
    [q.client_id, services],
  )
}

/** The account's settings of the word index, on the wire. */
export const getResult = (
  index: WordIndex | undefined,
): Pick<AccountDefaults, 'content_search' | 'content_index'> => ({
  content_search: index?.is_wanted ?? false,
  content_index: { state: getState(index), indexed: index?.wrapped_key ? index.indexed : 0 },
})

function getState(index: WordIndex | undefined): AccountDefaults['content_index']['state'] {
  if (!index) return 'off'
  if (!index.wrapped_key) return index.is_wanted ? 'building' : 'erasing'
  return isComplete(index) ? 'ready' : 'building'
}

/** Whether the backlog from before the index has been read. */
export const isComplete = ({ payloads_before, comments_before }: WordIndex): boolean =>
  payloads_before === null && comments_before === null

/**
 * Switches the word index on or off. Switching off deletes the key at once; a job erases the rows, or builds
 * the index.
 */
export async function wantWordIndex(tx: Tx, is_wanted: boolean): Promise<void> {
  const text = is_wanted
    ? `insert into content_indexes (client_id, is_wanted) values ($1, true)
       on conflict (client_id) do update set is_wanted = true`
    : 'update content_indexes set is_wanted = false, wrapped_key = null where client_id = $1'
  await tx.query(text, [tx.client_id])
}

const AGAIN = 'on conflict (client_id, payload_id, comment_id) do update set asked = content_work.asked + 1'

/**
 * Queues these payloads for the word index, if the tenant has one, in the transaction that makes them
 * readable.
 */
export async function noteTexts(tx: Tx, payload_ids: readonly number[], now: number): Promise<void> {
  await tx.query(
    `insert into content_work (client_id, payload_id, since)
     select $1, p.payload_id, $3 from payloads p, content_indexes i
     where i.client_id = $1 and i.wrapped_key is not null and p.client_id = $1 and p.payload_id = any($2) and p.type = any($4)
     order by 2 ${AGAIN}`,
    [tx.client_id, payload_ids, now, TYPES_WITH_WORDS],
  )
}

/** Queues a comment's first or new text for the word index and removes the words of the old one. */
export async function noteComment(
  tx: Tx,
  { payload_id, comment_id, now }: { payload_id: number; comment_id: string; now: number },
): Promise<void> {
  await tx.query('delete from comment_words where client_id = $1 and comment_id = $2', [
    tx.client_id,
    comment_id,
  ])
  await tx.query(
    `insert into content_work (client_id, payload_id, comment_id, since)
     select $1, $2, $3, $4 from content_indexes where client_id = $1 and wrapped_key is not null ${AGAIN}`,
    [tx.client_id, payload_id, comment_id, now],
  )
}

/** Queues reassigned payloads and their comments, so that their words join the vocabulary of the new groups. */
export async function noteMovedTexts(tx: Tx, payload_ids: readonly number[], now: number): Promise<void> {
  await noteTexts(tx, payload_ids, now)
  await tx.query(
    `insert into content_work (client_id, payload_id, comment_id, since)
     select $1, c.payload_id, c.comment_id, $3 from payload_comments c, content_indexes i
     where i.client_id = $1 and i.wrapped_key is not null and c.client_id = $1 and c.payload_id = any($2)
     order by 2, 3 ${AGAIN}`,
    [tx.client_id, payload_ids, now],
  )
}

/** Most words of a bucket that are opened to match a prefix. */
export const MAX_IN_BUCKET = 20_000

/** A bucket, as far as texts of one group have or had its words; null: of any group. */
export type BucketPart = readonly [bucket: string, group_id: number | null]

/** The sealed words of buckets, each once; one more than the limit when there are more. */
export function findVocabulary(q: Queryable, parts: readonly BucketPart[]): Promise<Buffer[]> {
  return q.column<Buffer>(VOCABULARY, [
    q.client_id,
    parts.map(([bucket]) => bucket),
    parts.map(([, group_id]) => group_id),
  ])
}

// In the order of the indexes, so that the planner reads nothing else, however few groups have nearly all words.
const VOCABULARY = `
  select v.sealed_word from (
    select x.tag, min(p.bucket) as bucket from unnest($2::bigint[], $3::int[]) p (bucket, group_id) cross join lateral (
      (select tag from content_vocabulary_groups where client_id = $1 and bucket = p.bucket and group_id = p.group_id order by tag offset 0)
      union all
      (select tag from content_vocabulary where p.group_id is null and client_id = $1 and bucket = p.bucket order by tag limit ${MAX_IN_BUCKET + 1})) x
    group by x.tag limit ${MAX_IN_BUCKET + 1}) t
  cross join lateral (
    select sealed_word from content_vocabulary where client_id = $1 and bucket = t.bucket and tag = t.tag offset 0) v`

export interface WordPlace {
  bucket: string
  tag: string
}

/**
 * The groups, among these, that have or had one of the words of each number. One index lookup per word and group: a word of
 * other groups costs as much as a missing one.
 */
export async function findGroupsWith(
  q: Queryable,
  words: readonly (WordPlace & { nth: number })[],
  groups: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const rows = await q.rows<{ nth: number; groups: number[] }>(GROUPS_WITH, [
    q.client_id,
    words.map(({ nth }) => nth),
    words.map(({ bucket }) => bucket),
    words.map(({ tag }) => tag),
    groups,
  ])
  return new Map(rows.map((row) => [row.nth, row.groups]))
}

// Not `exists`: that may become a join.
const GROUPS_WITH = `
  select nth, array_agg(distinct id) as groups from unnest($2::int[], $3::bigint[], $4::bigint[]) w (nth, bucket, tag)
  cross join unnest($5::int[]) g (id)
  where (select true from content_vocabulary_groups v
    where v.client_id = $1 and v.bucket = w.bucket and v.group_id = g.id and v.tag = w.tag limit 1)
  group by nth`

/** The kind of texts for the vocabulary: those of payloads of a type, or comments on them. */
export const getKind = (type: number, isComment: boolean): number => (isComment ? -type : type)

/** The places of words; each has its own tokens. Names of files have those of texts: the same permission shows both. */
export type WordField = 'text' | 'note' | 'comment'

/** A client's word functions: 64 bits as decimal text, for PostgreSQL's bigint. */
export interface WordKeys {
  /** The token of a word in a field and a month (`getPeriod`); each month has another one. */
  token(field: WordField, period: number, word: string): string
  /** The bucket of the vocabulary for words with the same first letters: in texts of one kind, or of any. */
  getBucket(word: string, kind?: number): string
  /** The tag of a word in the vocabulary, which does not reveal its tokens. */
  getTag(word: string): string
  sealWord(word: string): Buffer
  openWord(sealed: Buffer): string
}

/** Months since January 2000, in UTC, of a time in epoch seconds. */
export function getPeriod(seconds: number): number {
  const at = new Date(seconds * 1000)
  return (at.getUTCFullYear() - 2000) * 12 + at.getUTCMonth()
}

/** Start of a month in epoch seconds. */
export const startOfPeriod = (period: number): number => Date.UTC(2000, period) / 1000

/** Cache of opened keys by their wrapped form, which changes with each new key. */
const opened = new Map<string, Promise<WordKeys>>()
/** Clients whose keys are cached. */
const KEPT = 200

/** The keys of a client's index of words. Throws CiphertextRefused, KeyUnknown or KeysUnavailable. */
export function wordKeys(
  { keys }: Pick<AppContext, 'keys'>,
  client: string,
  wrapped_key: Buffer,
): Promise<WordKeys> {
  const name = wrapped_key.toString('base64')
  const known = opened.get(name)
  if (known) return known
  const made = keys.unwrap(wrapped_key, wordKeyContext(client)).then(getKeys)
  made.catch(() => opened.delete(name))
  cacheEntry(opened, name, made, KEPT)
  return made
}

/** Takes the key and leaves the field empty. */
function getKeys(key: Buffer): WordKeys {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', key, '', `search/1/${purpose}`, 32))
  const object = (purpose: string) => createSecretKey(derive(purpose))
  const fields: Record<WordField, KeyObject> = {
    text: object('text'),
    note: object('note'),
    comment: object('comment'),
  }
  const [buckets, tags, vocabulary] = [object('bucket'), object('tag'), derive('vocabulary')]
  key.fill(0)
  return {
    token: (field, period, word) => firstBits(fields[field], `${period}\0${word}`),
    getBucket: (word, kind) =>
      firstBits(
        buckets,
        [...word].slice(0, PREFIX_LETTERS).join('') + (kind === undefined ? '' : `\0${kind}`),
      ),
    getTag: (word) => firstBits(tags, word),
    sealWord: (word) => wrapSecret(vocabulary, Buffer.from(word), AAD),
    openWord: (sealed) => unwrapSecret(vocabulary, sealed, AAD).toString(),
  }
}

const AAD = Buffer.from('custodia vocabulary')
const firstBits = (key: KeyObject, text: string): string =>
  createHmac('sha256', key).update(text).digest().readBigInt64BE(0).toString()
