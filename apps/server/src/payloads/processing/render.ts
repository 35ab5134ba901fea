import type { House } from '../../house.ts'
import { SNIFF_SIZE } from '../../ports/media/index.ts'
import { openObject, ORIGINAL, type StoredObject } from '../data-objects.ts'
import { deriveMedia } from './derive-media.ts'
import type { Judgement } from './judgement.ts'
import { insertObjects } from './insert-objects.ts'
import { ObjectMaker, type StoredDerivation } from './object-maker.ts'
import { RenderBudget } from './render-budget.ts'

/** A recording that waits for what browsers need to play it. */
interface Waiting {
  client_id: number
  client: string
  payload_id: number
  payload_reference: string
  original: Pick<StoredObject, 'kind' | 'object_key' | 'wrapped_dek' | 'sealed_size'>
}

/**
 * Makes rendition and waveform of one recording and says what it holds. Can be repeated; nothing counts before its commit. Throws
 * when a part cannot serve now, or MovedTo when the `lane` is the wrong one. A recording that cannot be converted is told to be so, and waits no longer.
 */
export async function renderOne(
  house: House,
  client_id: number,
  payload_id: number,
  lane: string,
  signal: AbortSignal,
): Promise<void> {
  const waiting = await findWaiting(house, client_id, payload_id)
  if (!waiting) return
  const { client, payload_reference, original } = waiting
  const opened = await openObject(house, client, payload_reference, original)
  const maker = new ObjectMaker(house, waiting)
  let judgement: Judgement
  try {
    const source = {
      size: opened.plaintextSize,
      read: (start: number, end: number) => opened.read(start, end),
    }
    const head: Buffer[] = []
    for await (const chunk of opened.read(0, Math.min(SNIFF_SIZE, source.size))) head.push(chunk)
    judgement = await deriveMedia(house, source, Buffer.concat(head), maker, new RenderBudget(lane), signal)
  } catch (error) {
    await maker.discard()
    throw error
  } finally {
    opened.forget()
  }
  // A commit whose answer got lost may have happened: what it may name is left to the sweep.
  if (!(await commitRendition(house, waiting, judgement, maker.made))) await maker.discard()
}

/** No attempt succeeded: the recording stays as it is, and its page says why it is not played. What plays by itself does so still. */
export async function giveUpRendering(house: House, client_id: number, payload_id: number): Promise<void> {
  await house.db.write(client_id, (tx) =>
    tx.query(
      `update payload_objects o set details = (o.details - 'being_prepared')
         || case when o.details @> '{"is_playable": true}' then '{}' else '{"unplayable_reason": "conversion_failed"}' end::jsonb
       where o.client_id = $1 and o.payload_id = $2 and ${IS_WAITING}`,
      [client_id, payload_id],
    ),
  )
}

async function findWaiting(
  house: House,
  client_id: number,
  payload_id: number,
): Promise<Waiting | undefined> {
  const { rows } = await house.db.read(client_id, (q) =>
    q.query<Omit<Waiting, 'original'> & Waiting['original']>(
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

/** The recording is prepared, all at once. False when another attempt was faster. */
async function commitRendition(
  house: House,
  { client_id, payload_id }: Waiting,
  { content_type, details }: Judgement,
  made: readonly StoredDerivation[],
): Promise<boolean> {
  return house.db.write(client_id, async (tx) => {
    const { rowCount } = await tx.query(
      `update payload_objects o set content_type = $3, details = (o.details - 'being_prepared') || $4::jsonb
       where o.client_id = $1 and o.payload_id = $2 and ${IS_WAITING}`,
      [client_id, payload_id, content_type, JSON.stringify(details)],
      'render_done',
    )
    if (rowCount === 0) return false
    const objects = made.map((object) => ({ ...object, payload_id }))
    await insertObjects(tx, client_id, objects, house.now())
    return true
  })
}
