import type { AppContext } from '../../app-context.ts'
import { isDamage } from '../data-damage.ts'
import { openObject, readWhole, type StoredObject, TEXT, WHOLE_TEXT } from '../data-objects.ts'
import { MessageText } from '../processing/message-text.ts'
import { findSealedMetadata, openSealedMetadata } from '../sealed-metadata-store.ts'
import type { WordField } from '../word-keys.ts'
import { findTextObjects, type TextObjects } from './texts-store.ts'

/** The texts of a payload, by place. */
export interface Texts {
  payload_id: number
  /** The list's time in epoch seconds. */
  payload_time: number
  service: number
  texts: readonly (readonly [WordField, string])[]
}

/** Objects and metadata opened concurrently. */
const AT_ONCE = 8

/**
 * Opens the texts of a client's payloads that are not destroyed. Damaged ones have none; `custodia verify`
 * reports them. Throws when a service is unavailable.
 */
export async function readTexts(
  ctx: Pick<AppContext, 'db' | 'keys' | 'objects'>,
  client_id: number,
  client: string,
  payload_ids: readonly number[],
): Promise<Texts[]> {
  const { found, sealed } = await ctx.db.read(client_id, async (q) => ({
    found: await findTextObjects(q, payload_ids),
    sealed: new Map((await findSealedMetadata(q, payload_ids)).map((each) => [each.payload_id, each])),
  }))
  const read: Texts[] = []
  const left = found.values()
  const worker = async () => {
    for (const payload of left) {
      const { payload_id, payload_time, service } = payload
      const metadata = sealed.get(payload_id)
      const texts = [
        ...(await orNone(messageTexts(ctx, client, payload))),
        ...(metadata ? await orNone(openSealedMetadata(ctx, metadata).then(notesOf)) : []),
      ]
      read.push({ payload_id, payload_time, service, texts })
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return read
}

type Pairs = readonly (readonly [WordField, string])[]

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
): Promise<Pairs> {
  const open = async (object: Pick<StoredObject, 'kind' | 'object_key' | 'wrapped_dek' | 'sealed_size'>) =>
    (await readWhole(await openObject(ctx, client, payload_reference, object))).toString()
  const [shown, whole] = [TEXT, WHOLE_TEXT].map((kind) => objects.find((object) => object.kind === kind))
  if (!shown) return []
  const { text = '', attachments = [] } = MessageText.parse(JSON.parse(await open(shown)))
  return [
    ['text', whole ? await open(whole) : text],
    ...attachments.flatMap(({ name }) => (name === undefined ? [] : [['file', name] as const])),
  ]
}

/** Notes about a recording, or why a call was blocked. */
const notesOf = ({ payload_notes, reason_for_blocking }: Record<string, unknown>): Pairs =>
  [payload_notes, reason_for_blocking].flatMap((note) =>
    typeof note === 'string' ? [['note', note] as const] : [],
  )
