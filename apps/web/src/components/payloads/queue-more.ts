import { InfiniteQueryObserver } from '@tanstack/react-query'
import { queryClient } from '../../api/queries.ts'
import { rowsQuery } from '../lists/rows-query.ts'
import { payloadList } from './payload-list.ts'
import { reviewQueue, setReviewQueue } from './review-queue.ts'
import { SERVICES } from './services.ts'

/**
 * Reads on in the list that the reader came from until something follows `reference`, or it ends. The list keeps what was read, so
 * that the reader comes back to the same rows.
 */
export async function readOn(reference: string): Promise<void> {
  const queue = reviewQueue()
  // All of it is known: a list that has ended, or what somebody has chosen of one.
  if (queue === undefined || !queue.hasMore || !(queue.service in SERVICES)) return
  const observer = new InfiniteQueryObserver(queryClient, rowsQuery(payloadList(queue.service), queue.search))
  const known = () =>
    observer.getCurrentResult().data?.pages.flatMap(({ data }) => data.map((row) => row.payload_reference)) ??
    []
  const follows = () => {
    const at = known().indexOf(reference)
    return at >= 0 && at < known().length - 1
  }
  // The first reading fills a list that the browser has forgotten, after a reload or half an hour.
  while (
    !follows() &&
    (observer.getCurrentResult().data === undefined || observer.getCurrentResult().hasNextPage)
  )
    await observer.fetchNextPage({ throwOnError: true })
  observer.destroy()
  const references = known()
  // A list that was read anew may have lost the item: what was known of it stays.
  const isThere = references.includes(reference)
  setReviewQueue({
    ...queue,
    ...(isThere ? { references, skipped: 0 } : {}),
    hasMore: isThere && observer.getCurrentResult().hasNextPage,
  })
}
