import { payloadEndpoints, type Total } from '@custodia/contract'
import { useQueries } from '@tanstack/react-query'
import { api } from '../../api/api.ts'
import { getKey, repeatedRead } from '../../api/call-keys.ts'
import { useMay } from '../../api/use-profile.ts'
import { wireFilters } from '../../components/lists/call-search.ts'
import type { LinkTarget } from '../../components/lists/list-definition.ts'
import { useListMemory } from '../../components/lists/list-memory.ts'
import { SAVED_SEARCHES } from '../../components/lists/memory-key.ts'
import { readSavedViews, type SavedView } from '../../components/lists/saved-views.ts'
import { WORDS_PAGE } from './services.ts'

/** Time between two counts, in milliseconds: each is a search. */
const EVERY_MS = 5 * 60_000

/** New results of a saved search. */
export interface NewHits {
  id: string
  /** The name that the user gave the search. */
  name: string
  /** Undefined while loading; null when the count failed. */
  total: Total | undefined | null
  /** The search, restricted to these results. */
  to: LinkTarget
}

/** Results since the user's last look of saved searches that the user watches, counted now and with the present rights. */
export function useNewHits(): readonly NewHits[] {
  const may = useMay()
  const [views] = useListMemory(SAVED_SEARCHES, 'views', readSavedViews)
  const watched = may('payloads:search') ? views.filter(isWatched) : []
  return useQueries({
    queries: watched.map((view) => ({
      queryKey: getKey('searchPayloads', 'new', view.words, view.search, view.new_from, view.seen),
      queryFn: (context: Parameters<typeof repeatedRead>[0]) => countNew(view, repeatedRead(context)),
      refetchInterval: EVERY_MS,
      staleTime: EVERY_MS,
      retry: false,
      meta: { silent: true },
    })),
    combine: (results) =>
      results.flatMap(({ data, error }, nth): NewHits[] => {
        const view = watched[nth]
        if (view === undefined) return []
        const { id, name, new_from, seen = [] } = view
        const range = {
          processed_from: String(new_from),
          processed_to: String(data?.seen_until ?? new_from),
          ...(seen.length > 0 && { except: seen }),
        }
        const total = data ?? (error === null ? undefined : null)
        return [
          {
            id,
            name,
            total,
            to: { to: WORDS_PAGE, search: { ...view.search, view: id, ...range } as never },
          },
        ]
      }),
  })
}

type WatchedView = SavedView & Required<Pick<SavedView, 'words' | 'new_from'>>

const isWatched = (view: SavedView): view is WatchedView =>
  view.words !== undefined && view.new_from !== undefined

async function countNew(
  { words, search, new_from: processed_from, seen = [] }: WatchedView,
  options: ReturnType<typeof repeatedRead>,
): Promise<Total & { seen_until?: number | undefined }> {
  const filters = wireFilters(payloadEndpoints.searchPayloads.query, search, Date.now())
  const except = seen.length > 0 ? { except: [...seen] } : {}
  const query = { ...filters, ...except, processed_from, type: 'total' } as const
  return api.searchPayloads({ query, body: { words } }, options)
}
