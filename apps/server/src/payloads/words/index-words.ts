import { randomBytes } from 'node:crypto'
import { indexWords, WORD_RULES } from '@custodia/domain'
import * as z from 'zod/mini'
import type { AppContext } from '../../app-context.ts'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { wordKeyContext } from '../../ports/keys/contexts.ts'
import { openBody } from '../comment-body.ts'
import { isDamage } from '../data-damage.ts'
import { openObject, readWhole, type StoredObject, getText, WHOLE_TEXT } from '../data-objects.ts'
import { readText } from '../processing/message-parts.ts'
import { findSealedMetadata, openSealedMetadata } from '../sealed-metadata-store.ts'
import {
  findWordIndex,
  isComplete,
  getKind,
  getPeriod,
  type WordField,
  type WordKeys,
  type WordPlace,
  wordKeys,
} from '../word-store.ts'
import {
  askForMore,
  beginIndex,
  dropKey,
  eraseVocabulary,
  eraseWordsBatch,
  findNewPlaces,
  findPeriods,
  findUsed,
  findWork,
  insertVocabulary,
  type ItemWords,
  lockIndex,
  markSettling,
  readVocabulary,
  removeVocabulary,
  type VocabularyPart,
  type WordWork,
  writeWords,
} from './index-store.ts'
import { type CommentText, findCommentTexts, findTextObjects, type TextObjects } from './texts-store.ts'

/** The texts of a payload, by place. */
interface Texts {
  payload_id: number
  /** The list's time in epoch seconds. */
  payload_time: number
  service: number
  type: number
  texts: Pairs
}

/** Objects and metadata opened concurrently. */
const AT_ONCE = 8

/** Limits of a call that shows texts to a person: a longer text counts by its beginning, and later texts are left out. */
interface TextLimits {
  /** Bytes of a text. */
  bytes: number
  /** Milliseconds of `performance.now()`. */
  until: number
}
const UNLIMITED: TextLimits = { bytes: Number.POSITIVE_INFINITY, until: Number.POSITIVE_INFINITY }

/**
 * Opens the texts of a client's payloads that are not destroyed. Damaged ones have none; `custodia verify`
 * reports them. Throws when a service is unavailable.
 */
export async function readTexts(
  ctx: Pick<AppContext, 'db' | 'keys' | 'objects'>,
  client_id: number,
  client: string,
  payload_ids: readonly number[],
  limits = UNLIMITED,
): Promise<Texts[]> {
  const { found, sealed } = await ctx.db.read(client_id, async (q) => ({
    found: await findTextObjects(q, payload_ids),
    sealed: new Map((await findSealedMetadata(q, payload_ids)).map((each) => [each.payload_id, each])),
  }))
  const read: Texts[] = []
  const left = found.values()
  const worker = async () => {
    for (const payload of left) {
      if (performance.now() > limits.until) return
      const { payload_id, payload_time, service, type } = payload
      const metadata = sealed.get(payload_id)
      const texts = [
        ...(await orNone(messageTexts(ctx, client, payload, limits))),
        ...(metadata ? await orNone(openSealedMetadata(ctx, metadata).then(getNotes)) : []),
      ]
      read.push({ payload_id, payload_time, service, type, texts })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return read
}

/** Texts, each with its place. */
type Pairs = readonly (readonly [WordField | 'file', string])[]

async function orNone(texts: Promise<Pairs>): Promise<Pairs> {
  try {
    return await texts
  } catch (error) {
    if (isDamage(error)) return []
    throw error
  }
}

async function messageTexts(
  ctx: Pick<AppContext, 'keys' | 'objects'>,
  client: string,
  { payload_reference, objects }: TextObjects,
  { bytes }: TextLimits,
): Promise<Pairs> {
  const open = async (object: Pick<StoredObject, 'kind' | 'object_key' | 'wrapped_dek' | 'sealed_size'>) =>
    readWhole(await openObject(ctx, client, payload_reference, object))
  const shown = getText(objects)
  const whole = objects.find(({ kind, sealed_size }) => kind === WHOLE_TEXT && sealed_size <= bytes)
  if (!shown || shown.sealed_size > bytes) return []
  const { text = '', attachments = [] } = readText(await open(shown))
  return [
    ['text', whole ? (await open(whole)).toString() : text],
    ...attachments.flatMap(({ name }) => (name === undefined ? [] : [['file', name] as const])),
  ]
}

/** Notes about a recording, or why a call was blocked. */
const getNotes = ({ payload_notes, reason_for_blocking }: Record<string, unknown>): Pairs =>
  [payload_notes, reason_for_blocking].flatMap((note) =>
    typeof note === 'string' ? [['note', note] as const] : [],
  )

/** Items read and written, or erased, in one transaction. */
const [BATCH, ERASED] = [500, 2000]

type Parts = Pick<AppContext, 'db' | 'keys' | 'objects' | 'now'>
interface Client {
  client_id: number
  client: string
}

/**
 * Builds, erases and updates the word indexes of all clients. Clients take turns, a batch each. Each batch
 * has its own commit, so that an interrupted run continues where it stopped.
 */
export const indexContent = jobKind({
  name: 'payloads.index_words',
  input: z.object({}),
  every: 10,
  async run(ctx, _input, signal) {
    let busy: readonly Client[] = await listClients(ctx.db)
    while (busy.length > 0) {
      const next: Client[] = []
      for (const client of busy) {
        signal.throwIfAborted()
        if (await indexNextBatch(ctx, client)) next.push(client)
      }
      busy = next
    }
  },
})

/** One step of a client's index; returns whether another one is due. */
export async function indexNextBatch(ctx: Parts, client: Client, batch = BATCH): Promise<boolean> {
  const { db, now } = ctx
  const { client_id } = client
  const index = await db.read(client_id, findWordIndex)
  if (!index) return false
  if (!index.wrapped_key) return eraseOrBegin(ctx, client, index.is_wanted)
  if (index.rules !== WORD_RULES) {
    await db.write(client_id, dropKey)
    return true
  }
  const work = await db.write(client_id, (tx) => findWork(tx, batch))
  if (work.length > 0) {
    await indexBatch(ctx, client, index.wrapped_key, work)
    return true
  }
  if (isComplete(index)) return false
  if ((await db.write(client_id, markSettling)) > 0) return true
  if (!index.is_settled) return false
  await db.write(client_id, (tx) => askForMore(tx, batch, now()))
  return true
}

async function eraseOrBegin(
  { db, keys }: Parts,
  { client_id, client }: Client,
  is_wanted: boolean,
): Promise<boolean> {
  if ((await db.write(client_id, (tx) => eraseWordsBatch(tx, ERASED))) > 0) return true
  await db.write(client_id, eraseVocabulary)
  if (!is_wanted) return false
  const key = randomBytes(32)
  try {
    const wrapped_key = await keys.wrap(key, wordKeyContext(client))
    await db.write(client_id, (tx) => beginIndex(tx, wrapped_key, WORD_RULES))
  } finally {
    key.fill(0)
  }
  return true
}

async function indexBatch(
  ctx: Parts,
  { client_id, client }: Client,
  wrapped_key: Buffer,
  work: readonly WordWork[],
): Promise<void> {
  const keys = await wordKeys(ctx, client, wrapped_key)
  const vocabulary = new Map<string, VocabularyWord>()
  const getPlaces = (word: string, kind: number): readonly WordPlace[] => {
    const name = `${kind} ${word}`
    const known = vocabulary.get(name) ?? { word, places: wordPlaces(keys, word, kind) }
    vocabulary.set(name, known)
    return known.places
  }
  const getWords = (period: number, kind: number, texts: Pairs) => {
    const byField = Map.groupBy(texts, ([field]) => field)
    const found = [...byField].flatMap(([field, all]) =>
      indexWords(all.map(([, text]) => text)).map((word) => ({ field, word })),
    )
    return {
      tokens: [
        ...new Set(
          found.map(({ field, word }) => keys.token(field === 'file' ? 'text' : field, period, word)),
        ),
      ],
      places: [...new Set(found.flatMap(({ word }) => getPlaces(word, kind)))],
    }
  }
  const ids = work.filter(({ comment_id }) => comment_id === '').map(({ payload_id }) => payload_id)
  const read = new Map((await readTexts(ctx, client_id, client, ids)).map((each) => [each.payload_id, each]))
  const comments = await readComments(ctx, client_id, client, work)
  const items = work.map((item): ItemWords => {
    const payload = item.comment_id === '' ? read.get(item.payload_id) : undefined
    const comment = comments.get(item.comment_id)
    if (comment) {
      const period = getPeriod(comment.raised_at)
      const kind = getKind(comment.type, true)
      const words = getWords(period, kind, comment.body === undefined ? [] : [['comment', comment.body]])
      return { ...item, period, ...words, comment_version: comment.comment_version }
    }
    const period = getPeriod(payload?.payload_time ?? 0)
    const kind = getKind(payload?.type ?? 0, false)
    return { ...item, period, ...getWords(period, kind, payload?.texts ?? []) }
  })
  await ctx.db.write(client_id, async (tx) => {
    // From here on no word of the vocabulary is removed as unused.
    if (!(await lockIndex(tx, wrapped_key))) return
    await keepVocabulary(tx, keys, [...vocabulary.values()])
    await writeWords(tx, items)
  })
}

/** The last version of each comment; without a body where it is damaged. */
async function readComments(
  ctx: Parts,
  client_id: number,
  client: string,
  work: readonly WordWork[],
): Promise<Map<string, CommentText & { body: string | undefined }>> {
  const ids = work.map(({ comment_id }) => comment_id).filter((comment_id) => comment_id !== '')
  if (ids.length === 0) return new Map()
  const found = await ctx.db.read(client_id, (q) => findCommentTexts(q, ids))
  const opened = await Promise.all(
    found.map(async (comment) => {
      const { wrapped_key, sealed_body } = comment
      const body = await openBody(ctx, { client, ...comment }, wrapped_key, sealed_body).catch(
        (error: unknown) => {
          if (isDamage(error)) return undefined
          throw error
        },
      )
      return [comment.comment_id, { ...comment, body }] as const
    }),
  )
  return new Map(opened)
}

interface VocabularyWord {
  word: string
  /** In texts of any kind, and in texts of its kind, by which the vocabulary keeps it. */
  places: readonly [WordPlace, WordPlace]
}

/** Where the vocabulary has a word of a kind of texts. */
export function wordPlaces(keys: WordKeys, word: string, kind: number): VocabularyWord['places'] {
  const tag = keys.getTag(word)
  return [
    { bucket: keys.getBucket(word), tag },
    { bucket: keys.getBucket(word, kind), tag },
  ]
}

/** Adds words that the vocabulary does not have yet. */
async function keepVocabulary(tx: Tx, keys: WordKeys, vocabulary: readonly VocabularyWord[]): Promise<void> {
  if (vocabulary.length === 0) return
  const all = vocabulary.map(({ word, places: [, place] }) => ({ word, ...place }))
  const fresh = await findNewPlaces(tx, all)
  const added = all.filter(({ bucket, tag }) => fresh.has(`${bucket} ${tag}`))
  if (added.length === 0) return
  await insertVocabulary(
    tx,
    added.map(({ word, ...place }) => ({ ...place, sealed_word: keys.sealWord(word) })),
  )
}

/** Days in which every word of the vocabulary is looked up once, and words per transaction. */
const [SWEEP_DAYS, SWEPT] = [28, 100]
const LOWEST = -(2n ** 63n)

/** Removes words that no text has any more, such as those of destroyed payloads: each day another part. */
export const forgetWords = jobKind({
  name: 'payloads.forget_words',
  input: z.object({}),
  every: 86_400,
  async run(ctx, _input, signal) {
    const day = BigInt(Math.floor(ctx.now() / 86_400) % SWEEP_DAYS)
    const width = 2n ** 64n / BigInt(SWEEP_DAYS)
    const from = LOWEST + day * width
    const until = day === BigInt(SWEEP_DAYS - 1) ? -LOWEST - 1n : from + width
    const part = { from: String(from), until: String(until) }
    const failures: unknown[] = []
    for (const client of await listClients(ctx.db)) {
      signal.throwIfAborted()
      await forgetUnused(ctx, client, part, signal).catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw new AggregateError(failures, 'Unused words of some clients remain.')
  },
})

/** Removes the unused words of a part of a client's vocabulary. */
export async function forgetUnused(
  ctx: Parts,
  { client_id, client }: Client,
  { from, until }: { from: string; until: string },
  signal: AbortSignal,
): Promise<void> {
  const wrapped_key = (await ctx.db.read(client_id, findWordIndex))?.wrapped_key
  if (!wrapped_key) return
  const keys = await wordKeys(ctx, client, wrapped_key)
  for (let after: WordPlace | undefined = { bucket: from, tag: String(LOWEST) }; after;) {
    signal.throwIfAborted()
    const part: VocabularyPart = { until, after }
    after = await ctx.db.write(client_id, async (tx): Promise<WordPlace | undefined> =>
      (await lockIndex(tx, wrapped_key)) ? forgetBatch(tx, keys, part) : undefined,
    )
  }
}

/** Resolves to the last place; undefined: there are no more. */
async function forgetBatch(tx: Tx, keys: WordKeys, part: VocabularyPart): Promise<WordPlace | undefined> {
  const read = await readVocabulary(tx, part, SWEPT)
  const left = new Map(read.map((each, nth) => [nth, { ...each, word: keys.openWord(each.sealed_word) }]))
  for (const period of left.size > 0 ? await findPeriods(tx) : []) {
    const tokens = [...left].flatMap(([nth, { word }]) =>
      (['text', 'note', 'comment'] as const).map((field) => ({
        nth,
        token: keys.token(field, period, word),
      })),
    )
    for (const nth of await findUsed(tx, period, tokens)) left.delete(nth)
    if (left.size === 0) break
  }
  if (left.size > 0)
    await removeVocabulary(
      tx,
      [...left.values()].flatMap(({ bucket, tag, word }) => [
        { bucket, tag },
        { bucket: keys.getBucket(word), tag },
      ]),
    )
  return read.length === SWEPT ? read.at(-1) : undefined
}
