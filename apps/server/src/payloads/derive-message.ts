import { MESSAGE_TYPES, MessageDocument, type PayloadType } from '@custodia/contract'
import { type MediaSource, sniff } from '../ports/media/index.ts'
import { attachmentKind } from './data-objects.ts'
import type { Judgement } from './judgement.ts'
import { ProcessingFailure } from './failures.ts'
import type { ObjectMaker } from './object-maker.ts'

/** Largest message with its attachments, in bytes: it is read as a whole. */
const MESSAGE_LIMIT = 32 * 1024 ** 2

export const isMessage = (type: PayloadType): boolean =>
  (MESSAGE_TYPES as readonly PayloadType[]).includes(type)

/** Checks that a message is a message document and takes its attachments out, each into an object of its own. */
export async function deriveMessage(source: MediaSource, maker: ObjectMaker): Promise<Judgement> {
  const message = await readDocument(source)
  for (const [part, attachment] of (message.attachments ?? []).entries()) {
    const bytes = Buffer.from(attachment.data, 'base64')
    // Node's decoder skips what is not base64: that would be another attachment than the one that was sent.
    if (bytes.toString('base64') !== attachment.data)
      throw new ProcessingFailure('malformed_message', `attachment ${part} is not base64`)
    // What it says it is comes from the sender; what it is, its bytes tell.
    const { content_type } = sniff(bytes.subarray(0, 4096))
    await maker.make(attachmentKind(part), content_type, one(bytes))
  }
  return { content_type: 'application/json', details: { is_playable: true } }
}

async function readDocument(source: MediaSource): Promise<MessageDocument> {
  if (source.size > MESSAGE_LIMIT)
    throw new ProcessingFailure('malformed_message', 'larger than a message may be')
  const chunks: Uint8Array[] = []
  for await (const chunk of source.read(0, source.size)) chunks.push(chunk)
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)))
  } catch {
    throw new ProcessingFailure('malformed_message', 'not UTF-8 JSON')
  }
  const parsed = MessageDocument.safeParse(json)
  if (!parsed.success) throw new ProcessingFailure('malformed_message', 'not a message document')
  return parsed.data
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
