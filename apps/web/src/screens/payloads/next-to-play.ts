import type { PayloadType } from '@custodia/contract'
import { obstacleTo } from '@custodia/domain/can'
import type { Next } from './player/use-play-on.ts'
import { rowOf } from './queries.ts'
import { placeInQueue } from './review-queue.ts'

/** Maximum items to skip; after so many unplayable ones the user should look. */
const MOST = 100

/**
 * Next playable item after `payload_reference`, by the list's data; sends no request for items. Undefined: none.
 * @param payload_types the user's permitted types
 */
export async function nextToPlay(
  payload_reference: string,
  payload_types: readonly PayloadType[],
): Promise<Next | undefined> {
  let from = payload_reference
  for (let passed = 0; passed < MOST; passed++) {
    if (placeInQueue(from)?.next === undefined && placeInQueue(from)?.hasNext === true) {
      const { readOn } = await import('./queue-more.ts')
      await readOn(from).catch(() => undefined)
    }
    const next = placeInQueue(from)?.next
    if (next === undefined) return undefined
    const row = rowOf(next)
    // An item outside the cache reports playability when its page loads.
    if (row === undefined || obstacleTo(row, payload_types) === undefined)
      return { payload_reference: next, passed }
    from = next
  }
  return undefined
}
