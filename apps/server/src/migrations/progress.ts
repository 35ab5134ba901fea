import { ITEM_BYTES, type WatchedWork } from '../jobs/watch-work.ts'
import type { NoteRead } from './folder.ts'

/** How a run gets on, and whether it is to end. Each of its methods throws why, once it is. */
export interface Progress {
  noteRead: NoteRead
  /** Files that were scanned, or rows that were decided about or imported. */
  noteItems(count: number): void
  /** Awaits another program, but not longer than the run may go on. */
  orCut<T>(work: Promise<T>): Promise<T>
}

/** Has the bytes and items of a run counted as what moves. */
export function progressOf(work: WatchedWork): Progress {
  let bytes = 0
  work.count({ isBusy: () => true, bytes: () => bytes })
  const { signal } = work
  const note = (more: number) => {
    signal.throwIfAborted()
    bytes += more
  }
  return {
    noteRead: note,
    noteItems: (count) => note(count * ITEM_BYTES),
    orCut<T>(awaited: Promise<T>): Promise<T> {
      const { promise: cut, reject } = Promise.withResolvers<never>()
      const end = () => reject(signal.reason)
      if (signal.aborted) end()
      signal.addEventListener('abort', end)
      return Promise.race([awaited, cut]).finally(() => signal.removeEventListener('abort', end))
    },
  }
}
