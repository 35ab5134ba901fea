import { randomBytes } from 'node:crypto'
import type { PayloadMark } from '@custodia/contract'
import { associatedData, unwrapSecret, wrapSecret } from '@custodia/envelope'
import type { AppContext } from '../../app-context.ts'
import type { PortalContext } from '../../http/context.ts'
import { markKeyContext } from '../../ports/keys/contexts.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import type { SealedMark } from './store.ts'

type Keys = Pick<AppContext, 'keys'>
type Parts = Pick<AppContext, 'db' | 'keys' | 'log' | 'now'>

/** The context of a sealed text: under another mark, payload or field it does not open. */
interface TextPlace {
  client: string
  payload_reference: string
  mark_id: string
  text: 'note' | 'result'
}

const getAad = ({ client, payload_reference, mark_id, text }: TextPlace): Buffer =>
  associatedData({ client, payload_reference, kind: `mark ${mark_id} ${text}` })

/** Seals the text under the key of its mark; makes the key if missing. */
export async function sealText(
  { keys }: Keys,
  place: TextPlace,
  wrapped_key: Buffer | null,
  stated: string,
): Promise<{ wrapped_key: Buffer; sealed: Buffer }> {
  const context = markKeyContext(place.client, place.mark_id)
  const key = wrapped_key ? await keys.unwrap(wrapped_key, context) : randomBytes(32)
  try {
    const sealed = wrapSecret(key, Buffer.from(stated), getAad(place))
    return { wrapped_key: wrapped_key ?? (await keys.put(key, context)), sealed }
  } finally {
    key.fill(0)
  }
}

/** The text; null when there is none. Reports damage to the client's staff and returns null. */
async function readText(
  ctx: Parts,
  place: TextPlace & { client_id: number },
  wrapped_key: Buffer | null,
  sealed: Buffer | null,
): Promise<string | null> {
  if (!sealed || !wrapped_key) return null
  try {
    const key = await ctx.keys.unwrap(wrapped_key, markKeyContext(place.client, place.mark_id))
    try {
      return unwrapSecret(key, sealed, getAad(place)).toString()
    } finally {
      key.fill(0)
    }
  } catch (error) {
    if (!isDamage(error)) throw error
    await reportDamage(ctx, { ...place, kind: 'mark' }, error)
    return null
  }
}

/** A mark with its texts. */
export async function openMark(
  ctx: Parts,
  { caller: { client, client_id } }: PortalContext,
  payload_reference: string,
  { sealed_note, sealed_result, wrapped_key, ...mark }: SealedMark,
): Promise<PayloadMark> {
  const place = { client, client_id, payload_reference, mark_id: mark.mark_id }
  return {
    ...mark,
    note: await readText(ctx, { ...place, text: 'note' }, wrapped_key, sealed_note),
    result: await readText(ctx, { ...place, text: 'result' }, wrapped_key, sealed_result),
  }
}
