import { MESSAGE_TYPES } from '@custodia/contract'
import type { SearchEntry } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import { codesOf, STATE_CODES, TYPE_CODES } from '../codes.ts'
import { ORIGINAL, type StoredObject, TEXT, THUMBNAIL } from '../data-objects.ts'
import type { StoredDerivation } from './object-maker.ts'
import { insertObjects } from './objects-store.ts'
import type { Unrendered } from './render-store.ts'
import { insertSearchEntries, type SearchPlace } from './search-store.ts'

/** A message that was processed before conversations had texts. */
export interface TextlessMessage {
  payload_id: number
  payload_reference: string
}

/** Those of the tenant behind an id, in order. */
export async function findTextless(
  ctx: AppContext,
  client_id: number,
  after: number,
  limit: number,
): Promise<TextlessMessage[]> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<TextlessMessage>(
      `select p.payload_id, p.payload_reference from payloads p
       where p.client_id = $1 and p.payload_id > $2 and p.state = ${STATE_CODES.Processed} and p.type = any($3)
         and exists (select from payload_objects o where o.client_id = $1 and o.payload_id = p.payload_id
           and o.kind = '${ORIGINAL}' and o.wrapped_dek is not null)
         and not exists (select from payload_objects o where o.client_id = $1 and o.payload_id = p.payload_id and o.kind = '${TEXT}')
       order by p.payload_id limit $4`,
      [client_id, after, codesOf(MESSAGE_TYPES), limit],
    ),
  )
  return rows
}

/** A document of before, with its metadata in the clear. */
export interface ClearDocument {
  payload_id: number
  list_doc: string
  meta: string
}

/** Those of the tenant behind an id, in order. */
export async function findClear(
  ctx: AppContext,
  client_id: number,
  after: number,
  limit: number,
): Promise<ClearDocument[]> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<ClearDocument>(
      `select payload_id, list_doc, meta from payload_documents
       where client_id = $1 and meta is not null and payload_id > $2 order by payload_id limit $3`,
      [client_id, after, limit],
    ),
  )
  return rows
}

/** Leaves of these documents what lists show, and no metadata in the clear. */
export async function writeSealed(
  ctx: AppContext,
  client_id: number,
  documents: readonly Pick<ClearDocument, 'payload_id' | 'list_doc'>[],
): Promise<void> {
  await ctx.db.write(client_id, (tx) =>
    tx.query(
      `update payload_documents d set meta = null, list_doc = x.list_doc
       from unnest($2::bigint[], $3::text[]) as x(payload_id, list_doc) where d.client_id = $1 and d.payload_id = x.payload_id`,
      [client_id, documents.map(({ payload_id }) => payload_id), documents.map(({ list_doc }) => list_doc)],
    ),
  )
}

/** A document that no search finds yet, with its place in lists. */
export interface UnsearchedDocument extends Omit<SearchPlace, 'client_id'> {
  list_doc: string
  all_numbers: string
}

/** Those of the tenant before an id, the newest first. */
export async function findUnsearched(
  ctx: AppContext,
  client_id: number,
  before: number,
  limit: number,
): Promise<UnsearchedDocument[]> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<UnsearchedDocument>(
      `select d.payload_id, d.list_doc, d.all_numbers, p.service, p.payload_time, p.type
       from payload_documents d join payloads p using (client_id, payload_id)
       where d.client_id = $1 and d.search_text is null and d.payload_id < $2 order by d.payload_id desc limit $3`,
      [client_id, before, limit],
    ),
  )
  return rows
}

/** Lets searches find these. */
export async function writeSearched(
  ctx: AppContext,
  client_id: number,
  items: readonly { place: SearchPlace; entry: SearchEntry }[],
): Promise<void> {
  if (items.length === 0) return
  await ctx.db.write(client_id, async (tx) => {
    // Until this is committed nobody files them elsewhere: their words would stay behind.
    await tx.query(
      'select from payloads where client_id = $1 and payload_id = any($2) order by payload_id for share',
      [client_id, items.map(({ place }) => place.payload_id)],
    )
    await insertSearchEntries(tx, items)
    await tx.query(
      `update payload_documents d set search_text = x.text
       from unnest($2::bigint[], $3::text[]) as x(payload_id, text) where d.client_id = $1 and d.payload_id = x.payload_id`,
      [client_id, items.map(({ place }) => place.payload_id), items.map(({ entry }) => entry.text)],
    )
  })
}

/** Photos and films of the tenant without a small picture, behind an id, in order; what could not be drawn once is left out. */
export async function findUndrawn(
  ctx: AppContext,
  client_id: number,
  after: number,
  limit: number,
): Promise<Unrendered[]> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<Omit<Unrendered, 'original'> & StoredObject>(
      `select p.client_id, c.client, p.payload_id, p.payload_reference, o.kind, o.object_key, o.wrapped_dek, o.sealed_size
       from payloads p join clients c using (client_id) join payload_objects o using (client_id, payload_id)
       where p.client_id = $1 and p.payload_id > $2 and p.state = ${STATE_CODES.Processed}
         and p.type in (${TYPE_CODES.Photo}, ${TYPE_CODES.Video})
         and o.kind = '${ORIGINAL}' and o.wrapped_dek is not null
         and not o.details ?| '{being_prepared,has_no_thumbnail}'
         and not exists (select from payload_objects t where t.client_id = $1 and t.payload_id = p.payload_id and t.kind = '${THUMBNAIL}')
       order by p.payload_id limit $3`,
      [client_id, after, limit],
    ),
  )
  return rows.map(({ kind, object_key, wrapped_dek, sealed_size, ...payload }) => ({
    ...payload,
    original: { kind, object_key, wrapped_dek, sealed_size },
  }))
}

/** Adds what was drawn of one; with nothing, that there is nothing to be drawn. */
export async function writeDrawn(
  ctx: AppContext,
  { client_id, payload_id }: Unrendered,
  made: readonly StoredDerivation[],
): Promise<void> {
  await ctx.db.write(client_id, async (tx) => {
    const objects = made.map((object) => ({ ...object, payload_id }))
    if (objects.length > 0) return insertObjects(tx, objects, ctx.now())
    await tx.query(
      `update payload_objects set details = details || '{"has_no_thumbnail": true}'
       where client_id = $1 and payload_id = $2 and kind = '${ORIGINAL}'`,
      [client_id, payload_id],
    )
  })
}
