import type { AppContext } from '../app-context.ts'
import { listClients } from '../clients/store.ts'
import { periodicJob } from '../jobs/kind.ts'
import { inParallel } from '../ports/objects/filesystem.ts'
import type { LockedVersion } from '../ports/objects/port.ts'
import { ORIGINAL } from './data-objects.ts'
import {
  findUnlocked,
  findWantedLock,
  haveLocksChanged,
  noteLocks,
  type UnlockedOriginal,
} from './locks-store.ts'

/**
 * Locks the original of a payload before it counts as processed, in a store that has locks: then the device may free its
 * copy. Derived objects can be made again and stay unlocked. Throws when the store refuses the lock.
 */
export async function lockOriginal(
  { db, objects }: Pick<AppContext, 'db' | 'objects'>,
  { client_id, payload_id }: { client_id: number; payload_id: number },
  examined: { objects: { kind: string; object_key: string; lock?: LockedVersion | undefined }[] },
): Promise<void> {
  const original = examined.objects.find(({ kind }) => kind === ORIGINAL)
  if (!objects.lock || !original) return
  const wanted = await db.read(client_id, (q) => findWantedLock(q, payload_id))
  if (wanted) original.lock = await objects.lock.set(original.object_key, wanted)
}

/** Originals compared at a time, and locked at a time. */
const PAGE = 5000
const WIDTH = 8

/** Gives each original of a client the lock that its legal minimum and its holds need. */
export async function lockAll(
  { db, objects, log }: Pick<AppContext, 'db' | 'objects' | 'log'>,
  client_id: number,
  signal: AbortSignal,
): Promise<void> {
  const { lock } = objects
  if (!lock) return
  const failures: unknown[] = []
  for (let after: number | null = 0; after !== null;) {
    signal.throwIfAborted()
    const from: number = after
    const { last, unlocked } = await db.read(client_id, (q) => findUnlocked(q, { after: from, limit: PAGE }))
    const locked: (LockedVersion & { payload_id: number })[] = []
    const one = async ({ payload_id, object_key, ...wanted }: UnlockedOriginal) => {
      const version = await lock.set(object_key, wanted)
      // The check of the archive reports a missing object.
      if (version) locked.push({ payload_id, ...version })
    }
    await inParallel(unlocked, WIDTH, (each) => one(each).catch((error: unknown) => failures.push(error)))
    if (locked.length > 0) await db.write(client_id, (tx) => noteLocks(tx, locked))
    after = last
  }
  if (failures.length > 0) {
    log.warn({ count: failures.length }, 'originals could not be locked')
    throw new AggregateError(failures, 'Some originals could not be locked.')
  }
}

/** Seconds between looks at policies and holds. */
const EVERY = 600

/** Changes the locks of a client soon after a policy or a hold changed. */
export const lockChanged = periodicJob({
  name: 'objects.lock',
  every: EVERY,
  async run(ctx, _input, signal) {
    if (!ctx.objects.lock) return
    for (const { client_id } of await listClients(ctx.db))
      if (await ctx.db.read(client_id, (q) => haveLocksChanged(q, EVERY * 2)))
        await lockAll(ctx, client_id, signal)
  },
})

/** Locks what a missed run, an import or a store without locks left unlocked. */
export const lockDaily = periodicJob({
  name: 'objects.lock-daily',
  every: 86_400,
  async run(ctx, _input, signal) {
    for (const { client_id } of await listClients(ctx.db)) await lockAll(ctx, client_id, signal)
  },
})
