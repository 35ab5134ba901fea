import type { Thumbnail } from '@custodia/contract'
import { useCallback, useSyncExternalStore } from 'react'
import { api } from '../../api/api.ts'
import { session } from '../../api/current-session.ts'

/** Thumbnails per call, and cached ones: about 8 MB, most recently seen. */
const AT_ONCE = 100
const KEPT = 600
/** Batch window for tiles that come into view, in milliseconds. */
const GATHER_MS = 60
/** First and maximum pause before thumbnails that are being prepared, or could not be read, are requested again, in milliseconds. */
const AGAIN_MS = { first: 2_000, most: 30_000 }

/** What a card shows of a payload; without `src` no thumbnail exists. */
interface Picture {
  src?: string
  notes?: string | undefined
}

const thumbnails = new Map<string, Picture>()
const readers = new Map<string, Set<() => void>>()
const wanted = new Set<string>()
let owner: string | undefined
let timer: ReturnType<typeof setTimeout> | undefined
/** Consecutive requests without a thumbnail: each makes the next pause longer. */
let emptyRequests = 0

/** Thumbnail and notes of a payload; requested when visible, in batches. Undefined while they are prepared. */
export function useThumbnail(payload_reference: string): Picture | undefined {
  const subscribe = useCallback(
    (reader: () => void) => {
      const own = readers.get(payload_reference) ?? new Set()
      readers.set(payload_reference, own.add(reader))
      want(payload_reference)
      return () => {
        own.delete(reader)
        if (own.size > 0) return
        readers.delete(payload_reference)
        // Scrolled away before the request.
        wanted.delete(payload_reference)
      }
    },
    [payload_reference],
  )
  return useSyncExternalStore(subscribe, () => thumbnails.get(payload_reference))
}

function want(payload_reference: string): void {
  const who = `${session.client() ?? ''} ${session.supportReference() ?? ''}`
  // Clears the cache at a change of user.
  if (who !== owner) thumbnails.clear()
  owner = who
  const known = thumbnails.get(payload_reference)
  // A missing thumbnail may exist by now.
  if (known?.src !== undefined) {
    // Moves it to the end of the LRU order.
    thumbnails.delete(payload_reference)
    thumbnails.set(payload_reference, known)
    return
  }
  wanted.add(payload_reference)
  timer ??= setTimeout(() => void ask(), GATHER_MS)
}

async function ask(): Promise<void> {
  timer = undefined
  const payload_references = [...wanted].slice(0, AT_ONCE)
  for (const reference of payload_references) wanted.delete(reference)
  if (wanted.size > 0) timer = setTimeout(() => void ask(), GATHER_MS)
  if (payload_references.length === 0) return
  const data = await read(payload_references)
  for (const { payload_reference, jpeg, notes, being_prepared } of data) {
    if (being_prepared) continue
    thumbnails.set(payload_reference, {
      notes,
      ...(jpeg !== undefined && { src: `data:image/jpeg;base64,${jpeg}` }),
    })
    for (const reader of readers.get(payload_reference) ?? []) reader()
  }
  const missing = payload_references.filter((reference) => !thumbnails.has(reference))
  emptyRequests = missing.length === payload_references.length ? emptyRequests + 1 : 0
  askAgain(missing)
  for (const [reference] of thumbnails) {
    if (thumbnails.size <= KEPT) break
    if (!readers.has(reference)) thumbnails.delete(reference)
  }
}

/** Thumbnails by reference; none when the call fails. */
async function read(payload_references: string[]): Promise<readonly Thumbnail[]> {
  try {
    return (await api.readThumbnails({ query: { payload_references } })).data
  } catch {
    return []
  }
}

/** Requests them once more after a pause, as far as they are still in view. */
function askAgain(payload_references: readonly string[]): void {
  if (payload_references.length === 0) return
  setTimeout(
    () => {
      for (const reference of payload_references) if (readers.has(reference)) want(reference)
    },
    Math.min(AGAIN_MS.most, AGAIN_MS.first * 1.5 ** emptyRequests),
  )
}
