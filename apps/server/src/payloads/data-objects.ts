import { Payload, PayloadMedia } from '@custodia/contract'
import { associatedData, openRange, type OpenedRange } from '@custodia/envelope'
import * as z from 'zod/mini'
import type { AppContext } from '../app-context.ts'
import { dekContext } from '../ports/keys/contexts.ts'

/** Kinds of stored objects: the device's own bytes, and derived ones. */
export const ORIGINAL = 'original'
export const PLAYBACK = 'playback'
export const PEAKS = 'peaks'
/** A small JPEG of a photo or a film. */
export const THUMBNAIL = 'thumbnail'
/** An unfinished object; its key is only in memory. */
export const DRAFT = 'draft'
/**
 * The message text of conversations, as JSON (`MessageText`), and the full text when it is too long for that. A short message
 * without attachments has neither: its document is its text.
 */
export const TEXT = 'text'
export const WHOLE_TEXT = 'whole-text'
/** An attachment of a message, counted from 0. */
export const attachmentKind = (part: number): string => `attachment-${part}`

/** The content type of message documents. */
export const MESSAGE_CONTENT = 'application/json'
/** Most bytes of a document that is its own text, so that a page of a conversation opens few. */
export const MAX_OWN_TEXT = 128 * 1024

/** The object with the text that conversations show of a message. */
export const getText = <Part extends Pick<StoredObject, 'kind' | 'content_type' | 'size'>>(
  objects: readonly Part[],
): Part | undefined =>
  objects.find(({ kind }) => kind === TEXT) ??
  objects.find(
    ({ kind, content_type, size }) =>
      kind === ORIGINAL && content_type === MESSAGE_CONTENT && size <= MAX_OWN_TEXT,
  )

/** Seconds after which an object that belongs to no payload is removed. */
export const ORPHAN_AFTER = 86_400

/** The details of an object from processing. Older rows may have fewer. */
export const ObjectDetails = z.partial(
  z.strictObject({
    ...z.pick(PayloadMedia, {
      duration: true,
      width: true,
      height: true,
      codec: true,
      frame_rate: true,
      is_playable: true,
      unplayable_reason: true,
      being_prepared: true,
    }).def.shape,
    scanner: Payload.def.shape.scanner,
  }),
)
export type ObjectDetails = z.output<typeof ObjectDetails>

/** A stored object whose key exists. */
export interface StoredObject {
  kind: string
  object_key: string
  wrapped_dek: Buffer
  sealed_size: number
  size: number
  content_type: string
  checksum: string | null
  details: ObjectDetails
}

/** Opens an object for random access. Throws before any read when its key or header is refused. */
export async function openObject(
  ctx: Pick<AppContext, 'keys' | 'objects'>,
  client: string,
  payload_reference: string,
  object: Pick<StoredObject, 'kind' | 'object_key' | 'wrapped_dek' | 'sealed_size'>,
): Promise<OpenedRange> {
  const dek = await ctx.keys.unwrap(object.wrapped_dek, dekContext(client, payload_reference))
  try {
    return await openRange(dek, associatedData({ client, payload_reference, kind: object.kind }), {
      // The verified size of the object: a shorter file is refused at any position.
      size: object.sealed_size,
      read: (start, end, into) => ctx.objects.read(object.object_key, { start, end }, into),
    })
  } finally {
    dek.fill(0)
  }
}

/** All bytes of an opened object; only for small ones. */
export async function readWhole(opened: OpenedRange): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of opened.read(0, opened.plaintextSize)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
