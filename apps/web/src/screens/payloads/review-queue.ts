import type { Total } from '@custodia/contract'
import { useSyncExternalStore } from 'react'
import { QUEUE_KEY } from '../../api/kept-session.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import type { ScreenService } from './services.ts'

/** The user's list with all its filters. */
export interface ReviewQueue {
  /** Known payload references in list order. */
  references: readonly string[]
  /** Rows before the first of them. */
  skipped?: number
  /** Whether the list continues after the last of them. */
  hasMore: boolean
  /** Total of the list when the user left it. */
  total: Total | undefined
  /** The list itself, for more pages: of a service, or of the current content search. */
  service: ScreenService | 'words'
  /** Name of the list; absent: the service. */
  name?: string
  search: ListSearch
  /** Its rows are conversations: each reference is that of a last message. */
  isOfConversations?: boolean
  /** The user selected these items. */
  isChosen?: boolean
  /** Path and search, e.g. `/pt-BR/dashboard/services/calls?from=-7d`. */
  listUrl: string
}

/** Position of a payload in the queue. */
export interface QueuePlace {
  previous: string | undefined
  next: string | undefined
  /** Whether an item follows, loaded or not. */
  hasNext: boolean
  /** Counted from 1. */
  position: number
  /** Loaded rows that follow. */
  ahead: number
  /** Total of the list; of its loaded rows, while the user left before it was there. */
  total: Total
  listUrl: string
}

/** Maximum stored references, the last ones. */
const MAX_STORED = 2_000

let queue: ReviewQueue | undefined
const readers = new Set<() => void>()

/** Stores the user's list, so that a payload page can go to its neighbours. Survives a reload of the tab. */
export function setReviewQueue(next: ReviewQueue): void {
  queue = next
  const dropped = Math.max(0, next.references.length - MAX_STORED)
  const stored = {
    ...next,
    references: next.references.slice(dropped),
    skipped: (next.skipped ?? 0) + dropped,
  }
  try {
    sessionStorage.setItem(QUEUE_KEY, JSON.stringify(stored))
  } catch {
    // Without storage the queue ends with a reload.
  }
  for (const reader of readers) reader()
}

export function reviewQueue(): ReviewQueue | undefined {
  queue ??= storedQueue()
  return queue
}

/** Position of `reference` in the stored list; undefined when absent. */
export function placeInQueue(reference: string): QueuePlace | undefined {
  const found = reviewQueue()
  const at = found?.references.indexOf(reference) ?? -1
  if (found === undefined || at < 0) return undefined
  const { references, skipped = 0, hasMore, total, listUrl } = found
  const ahead = references.length - at - 1
  const loaded = skipped + references.length
  // The user may leave the list before its total is there; marked rows stay although they no longer count.
  const least = { total: loaded, ...(hasMore && { is_capped: true }) }
  return {
    previous: references[at - 1],
    next: references[at + 1],
    hasNext: ahead > 0 || hasMore,
    position: skipped + at + 1,
    ahead,
    total: total && total.total >= loaded ? total : least,
    listUrl,
  }
}

/** Target of a navigation in progress from `reference`; `reference` itself without one. */
export function headedFor({ location }: { location: { pathname: string } }, reference: string): string {
  const last = location.pathname.split('/').at(-1) ?? ''
  return placeInQueue(last) === undefined ? reference : last
}

/** `placeInQueue` that updates as more rows load. */
export function useQueuePlace(reference: string): QueuePlace | undefined {
  useSyncExternalStore(subscribe, reviewQueue)
  return placeInQueue(reference)
}

function subscribe(reader: () => void): () => void {
  readers.add(reader)
  return () => readers.delete(reader)
}

/** The next `count` references after `reference`, nearest first. */
export function followers(reference: string, count: number): readonly string[] {
  const references = reviewQueue()?.references ?? []
  const at = references.indexOf(reference)
  return at < 0 ? [] : references.slice(at + 1, at + 1 + count)
}

function storedQueue(): ReviewQueue | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(QUEUE_KEY) ?? 'null')
    return isQueue(stored) ? stored : undefined
  } catch {
    return undefined
  }
}

/** Stored data may come from an older portal version. */
const isQueue = (value: unknown): value is ReviewQueue =>
  typeof value === 'object' &&
  value !== null &&
  'references' in value &&
  'hasMore' in value &&
  'search' in value &&
  typeof value.search === 'object' &&
  'listUrl' in value &&
  typeof value.listUrl === 'string' &&
  value.listUrl.startsWith('/') &&
  !value.listUrl.startsWith('//') &&
  Array.isArray(value.references) &&
  value.references.every((reference) => typeof reference === 'string')
