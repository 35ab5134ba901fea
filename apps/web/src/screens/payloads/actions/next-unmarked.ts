import { keyOf } from '../../../api/call-keys.ts'
import { queryClient } from '../../../api/query-client.ts'
import { rowsOf } from '../queries.ts'
import { placeInQueue } from '../review-queue.ts'

/** Maximum items to check for an unmarked one. */
const MOST = 500

const isMarked = (payload_reference: string): boolean =>
  queryClient
    .getQueriesData<unknown>({ queryKey: keyOf('listPayloads') })
    .some(([, data]) =>
      rowsOf(data).some((row) => row.payload_reference === payload_reference && row.mark !== undefined),
    )

/** Next unmarked item after `payload_reference`, by the list's data. */
export async function nextUnmarked(payload_reference: string): Promise<string | undefined> {
  let from = payload_reference
  for (let looked = 0; looked < MOST; looked++) {
    let place = placeInQueue(from)
    if (place?.next === undefined && place?.hasNext === true) {
      const { readOn } = await import('../queue-more.ts')
      await readOn(from).catch(() => undefined)
      place = placeInQueue(from)
    }
    if (place?.next === undefined || !isMarked(place.next)) return place?.next
    from = place.next
  }
  return undefined
}
