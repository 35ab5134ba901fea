import { ThreadMessage } from '@custodia/contract'
import * as z from 'zod/mini'
import type { MessageParts } from './message-parts.ts'

/** Characters of a text in a conversation; a longer one is cut there and has its own call. */
const SHOWN = 20_000

/** The message text of conversations: an object of its own, so that reading one opens no whole documents. */
export const MessageText = z.pick(ThreadMessage, { text: true, is_shortened: true, attachments: true })
export type MessageText = z.output<typeof MessageText>

export const isLong = (text: string): boolean => text.length > SHOWN

/** The shown part, which never splits a surrogate pair. */
export function shorten(text: string): string {
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
