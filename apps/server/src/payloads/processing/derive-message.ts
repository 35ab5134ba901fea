import { MESSAGE_TYPES, type PayloadType } from '@custodia/contract'
import { type MediaSource, sniff, SNIFF_SIZE } from '../../ports/media/index.ts'
import { attachmentKind, TEXT, WHOLE_TEXT } from '../data-objects.ts'
import type { MediaVerdict } from './media-verdict.ts'
import { bytesOf, sizeOf } from './message-parts.ts'
import { isLong, messageText } from './message-text.ts'
import type { ObjectMaker } from './object-maker.ts'
import { type Message, type ReadOptions, readMessage } from './read-message.ts'

/** Base64 length of the bytes that identify an attachment's type. */
const SNIFFED = 4 * Math.ceil(SNIFF_SIZE / 3)

export const isMessage = (type: PayloadType): boolean =>
  (MESSAGE_TYPES as readonly PayloadType[]).includes(type)

/** Validates a message document and stores its text and each attachment as objects. */
export async function deriveMessage(
  source: MediaSource,
  maker: ObjectMaker,
  options: ReadOptions,
): Promise<MediaVerdict> {
  await readMessage(source, options, async (message) => {
    const found = message.attachments.map((place) => ({
      ...place,
      content_type: typeOf(message.document, place),
      size: sizeOf(message.document, place),
    }))
    for (const [part, { content_type, ...place }] of found.entries())
      await maker.make(attachmentKind(part), content_type, bytesOf(message.document, place))
    await makeText(message, found, maker)
  })
  return { content_type: 'application/json', details: { is_playable: true } }
}

/** Stores the text for conversations, and the full text of a long one. */
async function makeText(
  message: Message,
  found: readonly { content_type: string; size: number }[],
  maker: ObjectMaker,
): Promise<void> {
  await maker.make(TEXT, 'application/json', one(JSON.stringify(messageText(message, found))))
  if (isLong(message.text)) await maker.make(WHOLE_TEXT, 'text/plain', one(message.text))
}

/** The announced type comes from the sender; the bytes show the real one. */
function typeOf(document: Buffer, { start, end }: { start: number; end: number }): string {
  const head = document.toString('latin1', start, Math.min(end, start + SNIFFED))
  return sniff(Buffer.from(head, 'base64')).content_type
}

async function* one(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text)
}
