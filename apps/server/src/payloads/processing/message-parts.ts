import { MessageDocument, ThreadMessage } from '@custodia/contract'
import * as z from 'zod/mini'
import { endOfString, isCheapToParse } from '../../http/cheap-json.ts'

/** An attachment of a message: the sender's metadata, and the position of its base64 in the document. */
interface AttachmentPlace {
  name?: string | undefined
  content_type: string
  start: number
  end: number
}

/** The parts of a message document. Attachments stay encoded, because no reader needs them as text. */
export interface MessageParts {
  text: string
  attachments: AttachmentPlace[]
}

/** The fault of the document; never quotes it. */
export class MalformedMessage extends Error {
  override name = 'MalformedMessage'
}

/** Bytes of a document without attachments: a text of a million characters in JSON's longest form. */
const MAX_SKELETON = 8 * 1024 ** 2
/** Base64 bytes per piece; a multiple of four. */
const PIECE = 64 * 1024

/**
 * Splits a message document into parts. Depth, number of values and size without attachments are limited
 * before parsing. An attachment with escapes is decoded in place. Throws MalformedMessage.
 */
export function takeApart(json: Buffer): MessageParts {
  if (!isCheapToParse(json)) throw new MalformedMessage('too deep, or of too many values')
  const { skeleton, places } = extractAttachments(json)
  let parsed: unknown
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(skeleton))
  } catch {
    throw new MalformedMessage('not UTF-8 JSON')
  }
  const message = MessageDocument.safeParse(parsed)
  if (!message.success) throw new MalformedMessage('not a message document')
  const { text, attachments = [] } = message.data
  // A repeated or differently spelled name would make it ambiguous which bytes are meant.
  if (places.length !== attachments.length) throw new MalformedMessage('not one data for each attachment')
  return {
    text,
    attachments: attachments.map(({ data, ...stated }, part) => {
      const place = places[part]
      if (!place || data !== String(part)) throw new MalformedMessage(`attachment ${part} has no bytes`)
      const whole = unescape(json, place)
      if (!isBase64(json, whole)) throw new MalformedMessage(`attachment ${part} is not base64`)
      return { ...stated, ...whole }
    }),
  }
}

interface Place {
  start: number
  end: number
}

const QUOTE = 0x22
const COLON = 0x3a
const SPACES: readonly (number | undefined)[] = [0x20, 0x09, 0x0a, 0x0d]
const DATA = Buffer.from('data')

/** The document with a number for each `data`, in order, and their positions. */
function extractAttachments(json: Buffer): { skeleton: Buffer; places: Place[] } {
  const kept: Buffer[] = []
  const places: Place[] = []
  let size = 0
  const keep = (piece: Buffer) => {
    size += piece.length
    if (size > MAX_SKELETON) throw new MalformedMessage('larger than a message may be')
    kept.push(piece)
  }
  const afterSpaces = (at: number): number => {
    let next = at
    while (SPACES.includes(json[next])) next++
    return next
  }
  let from = 0
  for (let at = json.indexOf(QUOTE); at >= 0; at = json.indexOf(QUOTE, at)) {
    const name = json.subarray(at + 1, endOfString(json, at))
    at = afterSpaces(at + name.length + 2)
    if (json[at] !== COLON || !name.equals(DATA)) continue
    at = afterSpaces(at + 1)
    // A value other than a string stays, and the schema refuses it.
    if (json[at] !== QUOTE) continue
    const place = { start: at + 1, end: endOfString(json, at) }
    keep(json.subarray(from, place.start))
    keep(Buffer.from(String(places.length)))
    places.push(place)
    from = place.end
    at = from + 1
  }
  keep(json.subarray(from))
  return { skeleton: Buffer.concat(kept), places }
}

function unescape(json: Buffer, { start, end }: Place): Place {
  if (!json.subarray(start, end).includes('\\')) return { start, end }
  let text: string
  try {
    text = JSON.parse(json.toString('latin1', start - 1, end + 1)) as string
  } catch {
    throw new MalformedMessage('not UTF-8 JSON')
  }
  return { start, end: start + json.write(text, start, end - start, 'latin1') }
}

/** Node's decoder skips invalid base64, which would give another attachment than the one sent. */
function isBase64(json: Buffer, { start, end }: Place): boolean {
  for (let at = start; at < end; at += PIECE) {
    const text = json.toString('latin1', at, Math.min(at + PIECE, end))
    if (Buffer.from(text, 'base64').toString('base64') !== text) return false
  }
  return true
}

/** The attachment size for a number of base64 characters. */
export function getSize(json: Buffer, { start, end }: Place): number {
  const padding = end - start < 2 ? 0 : Number(json[end - 1] === 0x3d) + Number(json[end - 2] === 0x3d)
  return ((end - start) / 4) * 3 - padding
}

/** The bytes of an attachment, piece by piece. */
export async function* getBytes(json: Buffer, { start, end }: Place): AsyncGenerator<Buffer> {
  for (let at = start; at < end; at += PIECE)
    yield Buffer.from(json.toString('latin1', at, Math.min(at + PIECE, end)), 'base64')
}

/** Characters of a text in a conversation; a longer one is cut there and has its own call. */
const SHOWN = 20_000

/** The message text of conversations: an object of its own where the document is long or has attachments. */
const MessageText = z.pick(ThreadMessage, { text: true, is_shortened: true, attachments: true })
export type MessageText = z.output<typeof MessageText>

/** The text in an object or a short document. Processing accepted documents that begin with a byte order mark. */
export const readText = (bytes: Buffer): MessageText =>
  MessageText.parse(JSON.parse(new TextDecoder().decode(bytes)))

export const isLong = (text: string): boolean => text.length > SHOWN

/** The shown part, which never splits a surrogate pair. */
function shorten(text: string): string {
  if (!isLong(text)) return text
  const last = text.charCodeAt(SHOWN - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? SHOWN - 1 : SHOWN)
}

/** The message text with the types and sizes of its attachments. */
export function messageText(
  { text, attachments }: MessageParts,
  found: readonly { content_type: string; size: number }[],
): MessageText {
  return {
    text: shorten(text),
    ...(isLong(text) ? { is_shortened: true } : {}),
    ...(attachments.length > 0
      ? {
          attachments: attachments.map(({ name, content_type }, part) => ({
            ...(name === undefined ? {} : { name }),
            // The detected type, where known, instead of the sender's.
            content_type: found[part]?.content_type ?? content_type,
            size: found[part]?.size ?? 0,
            part,
          })),
        }
      : {}),
  }
}
