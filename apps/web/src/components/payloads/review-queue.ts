/** The list that the reader came from: what was loaded of it, in its order, and its address with all filters. */
export interface ReviewQueue {
  references: readonly string[]
  /** Path and search as the address bar shows them, e.g. `/pt-BR/dashboard/services/calls?from=-7d`. */
  listUrl: string
}

/** Where a payload stands in the queue. */
export interface QueuePlace {
  previous: string | undefined
  next: string | undefined
  /** Counted from 1. */
  position: number
  /** Rows that the list had loaded; the list itself may be longer. */
  loaded: number
  listUrl: string
}

const KEY = 'custodia.review_queue'
/** More would only fill the tab's storage; the reader returns to the list long before. */
const MOST_REFERENCES = 2_000

let queue: ReviewQueue | undefined

/**
 * Hands over the references that a list has loaded, so that the detail page can go to the next and the previous one.
 * Lists call it before they open a payload, and again when they have loaded more. Survives a reload of the tab.
 *
 * @param references payload references in the order of the list
 * @param listUrl path and search of the list, for the way back
 */
export function setReviewQueue(references: readonly string[], listUrl: string): void {
  queue = { references: references.slice(0, MOST_REFERENCES), listUrl }
  try {
    sessionStorage.setItem(KEY, JSON.stringify(queue))
  } catch {
    // Without storage the queue lasts until the next reload.
  }
}

/** Where `reference` stands in the list that was handed over last; undefined when it is not in it. */
export function placeInQueue(reference: string): QueuePlace | undefined {
  queue ??= storedQueue()
  const at = queue?.references.indexOf(reference) ?? -1
  if (queue === undefined || at < 0) return undefined
  return {
    previous: queue.references[at - 1],
    next: queue.references[at + 1],
    position: at + 1,
    loaded: queue.references.length,
    listUrl: queue.listUrl,
  }
}

/** The `count` references that follow `reference` in the queue, nearest first. */
export function followers(reference: string, count: number): readonly string[] {
  const place = placeInQueue(reference)
  return place === undefined ? [] : (queue?.references.slice(place.position, place.position + count) ?? [])
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
  'listUrl' in value &&
  typeof value.listUrl === 'string' &&
  value.listUrl.startsWith('/') &&
  !value.listUrl.startsWith('//') &&
  Array.isArray(value.references) &&
  value.references.every((reference) => typeof reference === 'string')
