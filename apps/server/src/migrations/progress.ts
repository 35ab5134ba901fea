import { ITEM_BYTES, type WatchedWork } from '../jobs/watch-work.ts'
import type { NoteRead } from './folder.ts'

/** Progress of a run. Each method throws the reason once the run must end. */
export interface Progress extends Pick<WatchedWork, 'orCut'> {
  noteRead: NoteRead
  /** Scanned files, or decided or imported rows. */
  noteItems(count: number): void
}

/** Counts bytes and items as progress. */
export function getProgress(work: WatchedWork): Progress {
  let bytes = 0
  work.count({ isBusy: () => true, bytes: () => bytes })
  const { signal } = work
  const note = (more: number) => {
    signal.throwIfAborted()
    bytes += more
  }
  return { noteRead: note, noteItems: (count) => note(count * ITEM_BYTES), orCut: work.orCut }
}
