import { randomBytes } from 'node:crypto'
import { associatedData, unwrapSecret, wrapSecret } from '@custodia/envelope'
import type { AppContext } from '../app-context.ts'
import { commentKeyContext } from '../ports/keys/contexts.ts'
import { CiphertextRefused } from '../ports/keys/port.ts'
import { isDamage, reportDamage } from './data-damage.ts'

type Keys = Pick<AppContext, 'keys'>

/** The context of a sealed version: under another comment, payload, number or author it does not open. */
interface Place {
  client: string
  payload_reference: string
  comment_id: string
  /** `CLOSING`: the reason for closing. */
  comment_version: number
  by: string
}

/** Instead of a version number: the sealed text is the reason for closing the comment. */
export const CLOSING = 0

const getAad = ({ client, payload_reference, comment_id, comment_version, by }: Place): Buffer =>
  associatedData({ client, payload_reference, kind: `comment ${comment_id} ${comment_version} ${by}` })

/** Makes a new comment's key and its first version. */
export async function sealFirst(
  { keys }: Keys,
  place: Place,
  message: string,
): Promise<{ wrapped_key: Buffer; sealed_body: Buffer }> {
  const key = randomBytes(32)
  try {
    const wrapped_key = await keys.put(key, commentKeyContext(place.client, place.comment_id))
    return { wrapped_key, sealed_body: wrapSecret(key, Buffer.from(message), getAad(place)) }
  } finally {
    key.fill(0)
  }
}

/** Seals a further version under the comment's key. */
export const sealNext = (
  ctx: Keys,
  place: Place,
  wrapped_key: Buffer | null,
  message: string,
): Promise<Buffer> =>
  withKey(ctx, place, wrapped_key, (key) => wrapSecret(key, Buffer.from(message), getAad(place)))

/** The text of a version. Throws CiphertextRefused, KeyUnknown or EnvelopeError on damage. */
export const openBody = (
  ctx: Keys,
  place: Place,
  wrapped_key: Buffer | null,
  sealed_body: Buffer,
): Promise<string> =>
  withKey(ctx, place, wrapped_key, (key) => unwrapSecret(key, sealed_body, getAad(place)).toString())

/** As `openBody`; reports damage to the client's staff and returns null. */
export async function readBody(
  ctx: Pick<AppContext, 'keys' | 'db' | 'log' | 'now'>,
  place: Place & { client_id: number },
  wrapped_key: Buffer | null,
  sealed_body: Buffer,
): Promise<string | null> {
  try {
    return await openBody(ctx, place, wrapped_key, sealed_body)
  } catch (error) {
    if (!isDamage(error)) throw error
    await reportDamage(ctx, { ...place, kind: 'comment' }, error)
    return null
  }
}

async function withKey<T>(
  { keys }: Keys,
  { client, comment_id }: Place,
  wrapped_key: Buffer | null,
  work: (key: Buffer) => T,
): Promise<T> {
  if (!wrapped_key) throw new CiphertextRefused('the key of the comment is missing')
  const key = await keys.unwrap(wrapped_key, commentKeyContext(client, comment_id))
  try {
    return work(key)
  } finally {
    key.fill(0)
  }
}
