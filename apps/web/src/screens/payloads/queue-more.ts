import { InfiniteQueryObserver } from '@tanstack/react-query'
import { queryClient } from '../../api/query-client.ts'
import type { ListDefinition } from '../../components/lists/list-definition.ts'
import { rowsQuery } from '../../components/lists/rows-query.ts'
import { currentSearch } from '../../components/marked-text.tsx'
import { CONVERSATION_LIST } from './conversation-list.tsx'
import { payloadList } from './export-data-button.tsx'
import { type ReviewQueue, reviewQueue, setReviewQueue } from './review-queue.ts'
import { searchList } from './search-list.tsx'

/** Fetches pages of the user's list until an item follows `reference`, or it ends. The rows stay cached for the return. */
export async function readOn(reference: string): Promise<void> {
  const queue = reviewQueue()
  // Complete: the list ended, or the user selected its items.
  if (queue === undefined || !queue.hasMore) return
  if (queue.isOfConversations === true) return readOnIn(CONVERSATION_LIST, queue, reference)
  const list = queue.service === 'words' ? searchList(currentSearch()) : payloadList(queue.service)
  // The search text is gone after a reload, or another search took its place.
  if (queue.name !== undefined && queue.name !== list.name)
    return setReviewQueue({ ...queue, hasMore: false })
  await readOnIn(list, queue, reference)
}

async function readOnIn<Row, Query>(
  list: ListDefinition<Row, Query>,
  queue: ReviewQueue,
  reference: string,
): Promise<void> {
  const observer = new InfiniteQueryObserver(queryClient, rowsQuery(list, queue.search))
  const known = () =>
    observer.getCurrentResult().data?.pages.flatMap(({ data }) => data.map((row) => list.getKey(row))) ?? []
  const follows = () => {
    const at = known().indexOf(reference)
    return at >= 0 && at < known().length - 1
  }
  // The first fetch refills a list that left the cache, after a reload or 30 minutes.
  while (
    !follows() &&
    (observer.getCurrentResult().data === undefined || observer.getCurrentResult().hasNextPage)
  )
    await observer.fetchNextPage({ throwOnError: true })
  observer.destroy()
  const references = known()
  // A refetched list may lack the item: known items stay.
  const isThere = references.includes(reference)
  setReviewQueue({
    ...queue,
    ...(isThere ? { references, skipped: 0 } : {}),
    hasMore: isThere && observer.getCurrentResult().hasNextPage,
  })
}
