import type { Total } from '@custodia/contract'
import { useSyncExternalStore } from 'react'
import type { ListSearch } from '../lists/list-search.ts'
import type { ScreenService } from './services.ts'

/** The list that the reader came from, with all its filters. */
export interface ReviewQueue {
  /** Payload references in the order of the list, as far as they are known. */
  references: readonly string[]
  /** Rows of the list before the first of them. */
  skipped?: number
  /** Whether the list goes on behind the last of them. */
  hasMore: boolean
  /** How many payloads the list had when the reader left it. */
  total: Total | undefined
  /** The list itself, to read on in it. */
  service: ScreenService
  search: ListSearch
  /** Somebody has chosen these items of the list. */
  isChosen?: boolean
  /** Path and search as the address bar shows them, e.g. `/pt-BR/dashboard/services/calls?from=-7d`. */
  listUrl: string
}

/** Where a payload stands in the queue. */
export interface QueuePlace {
  previous: string | undefined
  next: string | undefined
  /** Something follows, known or not. */
  hasNext: boolean
  /** Counted from 1. */
  position: number
  /** Rows that are known to follow. */
  ahead: number
  total: Total | undefined
  listUrl: string
}

const KEY = 'custodia.review_queue'
/** References that a tab's storage keeps, the last ones: enough for the way on. */
const MOST_STORED = 2_000

let queue: ReviewQueue | undefined
const readers = new Set<() => void>()

/**
 * Hands over the list that the reader leaves, so that the page of a payload can go to the next and the previous one. Survives a
 * reload of the tab.
 */
export function setReviewQueue(next: ReviewQueue): void {
  queue = next
  const dropped = Math.max(0, next.references.length - MOST_STORED)
  const stored = {
    ...next,
    references: next.references.slice(dropped),
    skipped: (next.skipped ?? 0) + dropped,
  }
  try {
    sessionStorage.setItem(KEY, JSON.stringify(stored))
  } catch {
    // Without storage the queue lasts until the next reload.
  }
  for (const reader of readers) reader()
}

export function reviewQueue(): ReviewQueue | undefined {
  queue ??= storedQueue()
  return queue
}

/** Where `reference` stands in the list that was handed over last; undefined when it is not in it. */
export function placeInQueue(reference: string): QueuePlace | undefined {
  const found = reviewQueue()
  const at = found?.references.indexOf(reference) ?? -1
  if (found === undefined || at < 0) return undefined
  const { references, skipped = 0, hasMore, total, listUrl } = found
  const ahead = references.length - at - 1
  return {
    previous: references[at - 1],
    next: references[at + 1],
    hasNext: ahead > 0 || hasMore,
    position: skipped + at + 1,
    ahead,
    total,
    listUrl,
  }
}

/** Where the reader is going from the page of `reference`, which a page on its way does not show yet; `reference` itself when nowhere. */
export function headedFor({ location }: { location: { pathname: string } }, reference: string): string {
  const last = location.pathname.split('/').at(-1) ?? ''
  return placeInQueue(last) === undefined ? reference : last
}

/** `placeInQueue`, which follows when more of the list is known. */
export function useQueuePlace(reference: string): QueuePlace | undefined {
  useSyncExternalStore(subscribe, reviewQueue)
  return placeInQueue(reference)
}

function subscribe(reader: () => void): () => void {
  readers.add(reader)
  return () => readers.delete(reader)
}

/** The `count` references that follow `reference` in the queue, nearest first. */
export function followers(reference: string, count: number): readonly string[] {
  const references = reviewQueue()?.references ?? []
  const at = references.indexOf(reference)
  return at < 0 ? [] : references.slice(at + 1, at + 1 + count)
}

function storedQueue(): ReviewQueue | undefined {
  try {
    const stored: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null')
    return isQueue(stored) ? stored : undefined
  } catch {
    return undefined
  }
}

/** What stands in a browser's storage may come from an older version of the portal. */
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
