import type { Tx } from '../../ports/database/lease.ts'

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
export async function eraseSome(tx: Tx, limit: number): Promise<number> {
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
export async function eraseRest(tx: Tx): Promise<void> {
  for (const table of ['content_vocabulary_groups', 'content_vocabulary', 'content_periods', 'content_work'])
    await tx.query(`delete from ${table} where client_id = $1`, [tx.client_id])
  await tx.query('delete from content_indexes where client_id = $1 and not is_wanted', [tx.client_id])
}

/** The words that are missing in the vocabulary, by tag. */
export async function findNewTags(
  tx: Tx,
  words: readonly { bucket: string; tag: string }[],
): Promise<Set<string>> {
  const { rows } = await tx.query<{ tag: string }>(
    `select x.tag::text from unnest($2::bigint[], $3::bigint[]) as x (bucket, tag)
     left join content_vocabulary v on v.client_id = $1 and v.bucket = x.bucket and v.tag = x.tag where v.tag is null`,
    [tx.client_id, words.map(({ bucket }) => bucket), words.map(({ tag }) => tag)],
    'words_new_tags',
  )
  return new Set(rows.map(({ tag }) => tag))
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
    'words_vocabulary_add',
  )
}
