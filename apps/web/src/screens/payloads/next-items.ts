import type { PayloadType } from '@custodia/contract'
import { obstacleTo } from '@custodia/domain/can'
import type { NextRecording } from './player/use-play-on.ts'
import { isConversationReviewed, getRow } from './queries.ts'
import { placeInQueue } from './review-queue.ts'

/** Maximum items to skip; after so many unplayable ones the user should look. */
const MAX_UNPLAYABLE = 100
/** Maximum items to check for an unmarked one. */
const MAX_MARKED = 500

async function getNext(reference: string): Promise<string | undefined> {
  const place = placeInQueue(reference)
  if (place?.next !== undefined || place?.hasNext !== true) return place?.next
  const { readOn } = await import('./queue-more.ts')
  await readOn(reference).catch(() => undefined)
  return placeInQueue(reference)?.next
}

/**
 * Next playable item after `payload_reference`, by the list's data; sends no request for items. Undefined: none.
 * @param payload_types the user's permitted types
 */
export async function nextToPlay(
  payload_reference: string,
  payload_types: readonly PayloadType[],
): Promise<NextRecording | undefined> {
  let from = payload_reference
  for (let passed = 0; passed < MAX_UNPLAYABLE; passed++) {
    const next = await getNext(from)
    if (next === undefined) return undefined
    const row = getRow(next)
    // An item outside the cache reports playability when its page loads.
    if (row === undefined || obstacleTo(row, payload_types) === undefined)
      return { payload_reference: next, passed }
    from = next
  }
  return undefined
}

/** Next unmarked item after `payload_reference`, by the list's data. */
export async function nextUnmarked(payload_reference: string): Promise<string | undefined> {
  let from = payload_reference
  for (let looked = 0; looked < MAX_MARKED; looked++) {
    const next = await getNext(from)
    if (next === undefined || (getRow(next)?.mark === undefined && !isConversationReviewed(next))) return next
    from = next
  }
  return undefined
}
