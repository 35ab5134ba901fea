import { syncFolder } from '../sync-folder.ts'

interface Turn {
  /** Never rejects. */
  over: Promise<void>
  next?: Promise<void>
}

/**
 * Makes names in folders durable. Callers during a sync of a folder share the next one, because the current
 * one may have begun before their names existed. All callers of a failed sync fail.
 */
export function sharedSyncs(sync = syncFolder): (folder: string) => Promise<void> {
  const mutex = new Map<string, Turn>()

  function begin(folder: string): Promise<void> {
    const done = sync(folder)
    const over = done.then(
      () => undefined,
      () => undefined,
    )
    const turn: Turn = { over }
    mutex.set(folder, turn)
    void over.then(() => {
      if (!turn.next) mutex.delete(folder)
    })
    return done
  }

  return (folder) => {
    const turn = mutex.get(folder)
    if (!turn) return begin(folder)
    turn.next ??= turn.over.then(() => begin(folder))
    return turn.next
  }
}
