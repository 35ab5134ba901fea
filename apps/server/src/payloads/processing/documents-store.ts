import type { PayloadMeta } from '@custodia/contract'
import {
  isLate,
  isOtherEnd,
  partyNumbers,
  payloadDocument,
  recordedEnd,
  type SearchEntry,
  getSearchEntry,
  sealedEnd,
} from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { STATE_CODES } from '../../payload-records/codes.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { ORIGINAL, type StoredObject } from '../data-objects.ts'
import { OUT_OF_UNCONFIRMED } from '../deletion-store.ts'
import { noteSequence } from '../sequence-store.ts'
import type { CounterKeys } from '../state-store.ts'
import { noteTexts } from '../word-store.ts'
import type { Subject } from './attempts-store.ts'
import type { MediaVerdict } from './derive-media.ts'
import type { StoredDerivation } from './object-maker.ts'

/**
 * Links duplicate messages to the first good one; the caller stops counting them. A duplicate has the same
 * device, message id, type and time, and is hidden only behind a first one of the same content, holder and group that lists show.
 * Concurrent duplicates wait for each other's commit. Call it after the objects are stored, and before the documents
 * are written: conversations have no duplicates.
 */
export async function linkCopies(
  tx: Tx,
  items: readonly { subject: Subject; metadata: PayloadMeta }[],
  now: number,
): Promise<CounterKeys[]> {
  const named = items.flatMap(({ subject: { payload_id }, metadata }) =>
    'message_id' in metadata && typeof metadata.message_id === 'string'
      ? [{ payload_id, message_id: metadata.message_id }]
      : [],
  )
  if (named.length === 0) return []
  const given = JSON.stringify(named)
  await tx.query(FIRSTS, [given])
  const { rows } = await tx.query<CounterKeys & { payload_id: number }>(COPIES, [given, now])
  if (rows.length === 0) return []
  // A reviewer may already have marked a duplicate, which no list shows.
  const ids = [rows.map(({ payload_id }) => payload_id)]
  await tx.query('delete from payload_opened where payload_id = any($1)', ids)
  await tx.query('delete from payload_marked where payload_id = any($1)', ids)
  await tx.query(OUT_OF_UNCONFIRMED, ids)
  return rows
}

const GIVEN = `(
    select p.client_id, p.payload_id, p.device_id, p.device_user_id, p.group_id, sha256(convert_to(x.message_id, 'UTF8')) as message_hash, p.type,
      coalesce(p.claimed_time, p.payload_time) as reported_time
    from json_to_recordset($1::json) as x(payload_id bigint, message_id text) join payloads p using (payload_id)) g`

// In key order, so that two batches cannot deadlock.
const FIRSTS = `
  insert into message_firsts (client_id, device_id, message_hash, type, reported_time, payload_id)
  select client_id, device_id, message_hash, type, reported_time, payload_id from ${GIVEN} order by 1, 2, 3, 4, 5, 6
  on conflict do nothing`

// The lock waits for a deletion of the first one, and looks at its state again.
const COPIES = `
  with found as (
    select g.client_id, g.payload_id, o.payload_id as first_payload_id from ${GIVEN}
    join message_firsts f using (client_id, device_id, message_hash, type, reported_time)
    join payloads o on o.payload_id = f.payload_id
    join payload_objects b on b.client_id = g.client_id and b.payload_id = g.payload_id and b.kind = '${ORIGINAL}'
    join payload_objects a on a.client_id = o.client_id and a.payload_id = o.payload_id and a.kind = b.kind and a.checksum = b.checksum
    where o.payload_id <> g.payload_id and o.state not in (${STATE_CODES.Deleted}, ${STATE_CODES.Destroyed}) and o.group_id = g.group_id and o.device_user_id is not distinct from g.device_user_id
    order by o.payload_id for key share of o
  ), copy as (
    insert into payload_copies (client_id, payload_id, first_payload_id, at)
    select client_id, payload_id, first_payload_id, $2 from found
    on conflict do nothing returning client_id, payload_id
  )
  update payloads p set is_copy = true from copy where p.payload_id = copy.payload_id
  returning p.payload_id, p.client_id, p.service, p.type, p.group_id, p.device_id, p.payload_time`

/** A payload's place in lists, which each of its words and numbers repeats, with its group. */
interface SearchPlace {
  client_id: number
  service: number
  payload_time: number
  payload_id: number
  type: number
  /** The announced one. */
  payload_end_time?: number | null
}

/** Adds search entries for payloads. Two statements, for any number. */
export async function insertSearchEntries(
  tx: Tx,
  items: readonly { place: SearchPlace; entry: SearchEntry }[],
): Promise<void> {
  const words = items.flatMap(({ place, entry }) => {
    const { client_id, service, payload_time, payload_id, type } = place
    return entry.words.map((word) => ({ client_id, service, payload_time, payload_id, type, word }))
  })
  const numbers = items.flatMap(({ place: { client_id }, entry }) =>
    entry.numbers.map((number) => ({ client_id, ...number })),
  )
  if (numbers.length > 0) await tx.query(SEARCH_STORE_NUMBERS, [JSON.stringify(numbers)])
  if (words.length > 0) await tx.query(WORDS, [JSON.stringify(words)])
}

// In order, so that two transactions with the same entries cannot deadlock.
const SEARCH_STORE_NUMBERS = `
  insert into search_numbers (client_id, reversed, number_hash)
  select distinct client_id, reversed collate "C", hashtextextended(number, 0)
  from json_to_recordset($1::json) as x(client_id int, reversed text, number text) order by 1, 2, 3
  on conflict do nothing`

const WORDS = `
  with x as materialized (
    select * from json_to_recordset($1::json) as x(
      client_id int, word text, service smallint, payload_time bigint, payload_id bigint, type smallint)
  ), known as (
    insert into search_words (client_id, word) select distinct client_id, word collate "C" from x order by 1, 2
    on conflict do nothing
  )
  insert into payload_words (client_id, word_hash, service, payload_time, payload_id, group_id, type)
  select x.client_id, hashtextextended(word, 0), x.service, x.payload_time, payload_id, p.group_id, x.type
  from x join payloads p using (payload_id)
  on conflict do nothing`

/** Lets the sealed end of recordings replace an announced one, and mark them as late. A mark is never removed. */
export async function correctEnds(
  tx: Tx,
  items: readonly { subject: Subject; metadata: PayloadMeta }[],
): Promise<void> {
  const others = items.flatMap(({ subject, metadata }) => {
    const { payload_id, payload_end_time, announced_at, uploaded_at, is_legacy } = subject
    if (payload_end_time === null) return []
    const end = sealedEnd(metadata)
    const recorded_end = recordedEnd({ ...metadata, payload_end_time: end, announced_at })
    const is_late = !is_legacy && uploaded_at !== null && isLate({ recorded_end, uploaded_at })
    const isOther = isOtherEnd(metadata, payload_end_time)
    return isOther || is_late ? [{ payload_id, is_late, end: isOther ? end : payload_end_time }] : []
  })
  if (others.length > 0) await tx.query(ENDS, [JSON.stringify(others)])
}

const ENDS = `
  update payloads p set payload_end_time = x."end", is_late = p.is_late or x.is_late
  from json_to_recordset($1::json) as x(payload_id bigint, is_late boolean, "end" bigint) where p.payload_id = x.payload_id`

/** Writes the list documents and search entries of payloads from their metadata. */
export async function insertDocuments(
  tx: Tx,
  items: readonly { subject: SearchPlace; metadata: PayloadMeta }[],
  now: number,
): Promise<void> {
  const found = items.map(({ subject, metadata }) => ({
    place: subject,
    metadata,
    entry: getSearchEntry(metadata),
  }))
  await tx.query(DOCUMENTS, [JSON.stringify(found.map(documentRow))])
  await noteSequence(tx, items, now)
  const numbers = items.flatMap(numberRows)
  if (numbers.length > 0) await tx.query(NUMBERS, [JSON.stringify(numbers)])
  await insertSearchEntries(tx, found)
  await noteTexts(
    tx,
    items.map(({ subject }) => subject.payload_id),
    now,
  )
}

function documentRow({
  place,
  metadata,
  entry,
}: {
  place: SearchPlace
  metadata: PayloadMeta
  entry: SearchEntry
}) {
  const document = payloadDocument(metadata, place.payload_end_time)
  const { second_party_numbers, all_numbers } = partyNumbers(metadata)
  return {
    payload_id: place.payload_id,
    client_id: place.client_id,
    list_doc: JSON.stringify(document),
    thread_id: document.thread_id ?? null,
    second_party_numbers,
    all_numbers,
    search_text: entry.text,
  }
}

function numberRows({ subject, metadata }: { subject: SearchPlace; metadata: PayloadMeta }) {
  const { all, second_party } = partyNumbers(metadata)
  const { client_id, service, payload_time, payload_id, type } = subject
  const second = new Set(second_party)
  const payload = { client_id, service, payload_time, payload_id, type }
  return [...new Set(all)].map((number) => ({ ...payload, number, is_second: second.has(number) }))
}

// json, not jsonb: it keeps the text unchanged, and no query reads inside.
const DOCUMENTS = `
  insert into payload_documents (payload_id, client_id, list_doc, thread_id, second_party_numbers, all_numbers, search_text)
  select payload_id, client_id, list_doc, thread_id, second_party_numbers, all_numbers, search_text
  from json_to_recordset($1::json) as x(
    payload_id bigint, client_id int, list_doc text, thread_id text, second_party_numbers text, all_numbers text, search_text text)
  on conflict (payload_id) do nothing`

// The current group: the payload may have been reassigned since it was read. The caller holds its lock.
const NUMBERS = `
  insert into payload_numbers (client_id, number_hash, service, payload_time, payload_id, group_id, type, is_second)
  select x.client_id, hashtextextended(number, 0), x.service, x.payload_time, payload_id, p.group_id, x.type, is_second
  from json_to_recordset($1::json) as x(
    client_id int, number text, service smallint, payload_time bigint, payload_id bigint, type smallint, is_second boolean)
  join payloads p using (payload_id)
  on conflict do nothing`

/** The rows of stored objects of one client. */
export async function insertObjects(
  tx: Tx,
  objects: readonly (StoredDerivation & { payload_id: number })[],
  now: number,
): Promise<void> {
  if (objects.length === 0) return
  const rows = objects.map(({ wrapped_dek, lock, ...object }) => ({
    ...object,
    ...lock,
    wrapped_dek: wrapped_dek.toString('hex'),
  }))
  await tx.query(
    `insert into payload_objects (client_id, payload_id, kind, object_key, wrapped_dek, sealed_size, size, content_type, checksum, details, created_at,
       version_id, locked_until, lock_held)
     select $1, payload_id, kind, object_key, decode(wrapped_dek, 'hex'), sealed_size, size, content_type, checksum, details, $3,
       version_id, locked_until, coalesce(lock_held, false)
     from jsonb_to_recordset($2::jsonb) as x(payload_id bigint, kind text, object_key text, wrapped_dek text, sealed_size bigint,
       size bigint, content_type text, checksum text, details jsonb, version_id text, locked_until bigint, lock_held boolean)`,
    [tx.client_id, JSON.stringify(rows), now],
  )
}

/** A recording that waits for its rendition. */
interface UnrenderedRecording {
  client_id: number
  client: string
  payload_id: number
  payload_reference: string
  original: Pick<StoredObject, 'kind' | 'object_key' | 'wrapped_dek' | 'sealed_size'>
}

/**
 * No attempt succeeded: the recording stays unchanged, and its page gives the reason. A playable original
 * still plays.
 */
export async function failRendering(ctx: AppContext, client_id: number, payload_id: number): Promise<void> {
  await ctx.db.write(client_id, (tx) =>
    tx.query(
      `update payload_objects o set details = (o.details - 'being_prepared')
         || case when o.details @> '{"is_playable": true}' then '{}' else '{"unplayable_reason": "conversion_failed"}' end::jsonb
       where o.client_id = $1 and o.payload_id = $2 and ${IS_WAITING}`,
      [client_id, payload_id],
    ),
  )
}

/** The recording, if it still waits. */
export async function findUnrendered(
  ctx: AppContext,
  client_id: number,
  payload_id: number,
): Promise<UnrenderedRecording | undefined> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<Omit<UnrenderedRecording, 'original'> & UnrenderedRecording['original']>(
      `select p.client_id, c.client, p.payload_id, p.payload_reference, o.kind, o.object_key, o.wrapped_dek, o.sealed_size
       from payloads p join clients c using (client_id) join payload_objects o using (client_id, payload_id)
       where p.client_id = $1 and p.payload_id = $2 and ${IS_WAITING} and o.wrapped_dek is not null`,
      [client_id, payload_id],
    ),
  )
  const [row] = rows
  if (!row) return undefined
  const { kind, object_key, wrapped_dek, sealed_size, ...payload } = row
  return { ...payload, original: { kind, object_key, wrapped_dek, sealed_size } }
}

const IS_WAITING = `o.kind = '${ORIGINAL}' and o.details @> '{"being_prepared": true}'`

/** Commits the rendition in one transaction. False when another attempt was faster. */
export async function commitRendition(
  ctx: AppContext,
  { client_id, payload_id }: UnrenderedRecording,
  { content_type, details }: MediaVerdict,
  made: readonly StoredDerivation[],
): Promise<boolean> {
  return ctx.db.write(client_id, async (tx) => {
    const { rowCount } = await tx.query(
      `update payload_objects o set content_type = $3, details = (o.details - 'being_prepared') || $4::jsonb
       where o.client_id = $1 and o.payload_id = $2 and ${IS_WAITING}`,
      [client_id, payload_id, content_type, JSON.stringify(details)],
    )
    if (rowCount === 0) return false
    const objects = made.map((object) => ({ ...object, payload_id }))
    await insertObjects(tx, objects, ctx.now())
    return true
  })
}
