import type { AppContext } from '../../app-context.ts'
import { ORIGINAL, type StoredObject } from '../data-objects.ts'
import type { MediaVerdict } from './media-verdict.ts'
import type { StoredDerivation } from './object-maker.ts'
import { insertObjects } from './objects-store.ts'

/** A recording that waits for its rendition. */
export interface Unrendered {
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
export async function giveUpRendering(ctx: AppContext, client_id: number, payload_id: number): Promise<void> {
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
): Promise<Unrendered | undefined> {
  const { rows } = await ctx.db.read(client_id, (q) =>
    q.query<Omit<Unrendered, 'original'> & Unrendered['original']>(
      `select p.client_id, c.client, p.payload_id, p.payload_reference, o.kind, o.object_key, o.wrapped_dek, o.sealed_size
       from payloads p join clients c using (client_id) join payload_objects o using (client_id, payload_id)
       where p.client_id = $1 and p.payload_id = $2 and ${IS_WAITING} and o.wrapped_dek is not null`,
      [client_id, payload_id],
      'render_waiting',
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
  { client_id, payload_id }: Unrendered,
  { content_type, details }: MediaVerdict,
  made: readonly StoredDerivation[],
): Promise<boolean> {
  return ctx.db.write(client_id, async (tx) => {
    const { rowCount } = await tx.query(
      `update payload_objects o set content_type = $3, details = (o.details - 'being_prepared') || $4::jsonb
       where o.client_id = $1 and o.payload_id = $2 and ${IS_WAITING}`,
      [client_id, payload_id, content_type, JSON.stringify(details)],
      'render_done',
    )
    if (rowCount === 0) return false
    const objects = made.map((object) => ({ ...object, payload_id }))
    await insertObjects(tx, objects, ctx.now())
    return true
  })
}
