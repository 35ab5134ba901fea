import type { Party, ThreadMessage } from '@custodia/contract'
import { ownerText } from '../payloads/owner-text.ts'
import { listedAt } from '../payloads/payload-fields.ts'

/** Author of a message: the device user, a party, or unknown. */
export type Author = { kind: 'user'; name: string } | { kind: 'party'; party: Party } | { kind: 'unknown' }

/** A message of the conversation view. */
export interface Entry {
  message: ThreadMessage
  author: Author
  /** First of a day, with a date above. */
  opensDay: boolean
  /** First of an author or day. */
  opensRun: boolean
}

/** Outgoing: the device user; incoming: the sending party, else the first named. */
export function getAuthor(
  message: Pick<
    ThreadMessage,
    'direction' | 'parties' | 'person_name' | 'device_user_reference' | 'device_model' | 'device_reference'
  >,
): Author {
  if (message.direction === 'O') return { kind: 'user', name: ownerText(message) }
  const party = message.parties?.find(({ direction }) => direction === 'I') ?? message.parties?.[0]
  return party === undefined ? { kind: 'unknown' } : { kind: 'party', party }
}

const authorKey = (author: Author): string => {
  if (author.kind === 'user') return `user ${author.name}`
  return author.kind === 'party'
    ? `party ${author.party.phone_number} ${author.party.contact_name}`
    : 'unknown'
}

/**
 * Merges pages (newest first) into reading order, each message once.
 * @param getDay label of a message's day in the user's zone
 */
export function inReadingOrder(
  pages: readonly (readonly ThreadMessage[])[],
  getDay: (message: ThreadMessage) => string,
): Entry[] {
  // A message that arrives between two page reads may be on both.
  const unique = new Map(pages.flat().map((message) => [message.payload_reference, message]))
  const messages = [...unique.values()].toSorted((a, b) => listedAt(a) - listedAt(b))
  let before: { day: string; author: string } | undefined
  return messages.map((message) => {
    const author = getAuthor(message)
    const now = { day: getDay(message), author: authorKey(author) }
    const opensDay = before?.day !== now.day
    const opensRun = opensDay || before?.author !== now.author
    before = now
    return { message, author, opensDay, opensRun }
  })
}
