import { ITEM_BYTES, type WatchedWork } from '../jobs/watch-work.ts'
import type { NoteRead } from './folder.ts'

/** How a run gets on, and whether it is to end. Each of its methods throws why, once it is. */
export interface Progress extends Pick<WatchedWork, 'orCut'> {
  noteRead: NoteRead
  /** Files that were scanned, or rows that were decided about or imported. */
  noteItems(count: number): void
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
    orCut: work.orCut,
  }
}
