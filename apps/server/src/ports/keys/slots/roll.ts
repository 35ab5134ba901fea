import { setImmediate as turn } from 'node:timers/promises'
import { CiphertextRefused, KeyUnknown, type Rolled } from '../port.ts'
import type { KeyVersions } from './key-versions.ts'
import { HALF, HEAD, isEmpty, isForgotten, isUnwiped, openSlot, sealHalf } from './layout.ts'
import { listSegments, openSegment, type Segment, wipe } from './segments.ts'

/** Slots read, sealed and synced together. */
const BATCH = 512

/**
 * Begins a key version, seals every slot under it and destroys the former ones, so that forgotten keys cannot
 * be recovered, also from copies and old disk blocks. An interrupted rotation continues with its key version.
 * `settle` resolves when every process sees the disk as it was at the call.
 */
export async function roll(
  folder: string,
  keyVersions: KeyVersions,
  settle: () => Promise<void>,
): Promise<Rolled> {
  const before = await keyVersions.list()
  const epoch = before.length > 1 ? (before.at(-1) ?? 0) : await keyVersions.begin()
  await settle()
  const done: Rolled = { epoch, resealed: 0, wiped: 0, damaged: 0, erased: [] }
  // Repeats while it finds slots, because other processes begin segments meanwhile.
  for (let found = -1; found !== 0;) {
    done.damaged = 0
    const { resealed } = done
    for (const segment of await listSegments(folder)) await resealSegment(folder, segment, keyVersions, done)
    found = done.resealed - resealed
  }
  for (const each of await keyVersions.list()) {
    if (each >= epoch) continue
    await keyVersions.erase(each)
    done.erased.push(each)
  }
  return done
}

async function resealSegment(
  folder: string,
  segment: string,
  keyVersions: KeyVersions,
  done: Rolled,
): Promise<void> {
  const file = await openSegment(folder, segment, 'r+')
  if (!file) return
  try {
    for (let first = 0; ; first += BATCH) {
      const slots = await file.read(first, BATCH)
      await resealBatch(file, { segment, first, slots }, keyVersions, done)
      if (slots.length < BATCH) break
      await turn()
    }
  } finally {
    await file.close()
  }
}

async function resealBatch(
  file: Segment & object,
  { segment, first, slots }: { segment: string; first: number; slots: readonly Buffer[] },
  keyVersions: KeyVersions,
  done: Rolled,
): Promise<void> {
  const key = await keyVersions.key(done.epoch)
  const writes: Promise<void>[] = []
  for (const [i, slot] of slots.entries()) {
    if (isForgotten(slot) || isEmpty(slot)) continue
    const place = { segment, index: first + i }
    const opened = await tryOpen(keyVersions, slot, place)
    if (!opened) done.damaged++
    if (!opened || opened.epoch >= done.epoch) continue
    const half = sealHalf(key, done.epoch, place, opened.content)
    opened.content.fill(0)
    // Writes the unused half; never over the mark, which a concurrent deletion may be setting.
    writes.push(file.write(place.index, half, opened.at === HEAD ? HEAD + HALF : HEAD))
  }
  await Promise.all(writes)
  if (writes.length > 0) await file.sync()
  done.resealed += writes.length
  // A concurrent deletion has set its mark by now, or writes its zeros after our half.
  const again = await file.read(first, slots.length)
  const unwiped = again.flatMap((slot, i) => (isUnwiped(slot) ? first + i : []))
  done.wiped += await wipe(file, unwiped)
}

async function tryOpen(keyVersions: KeyVersions, slot: Buffer, place: { segment: string; index: number }) {
  try {
    return await openSlot((epoch) => keyVersions.key(epoch), slot, place)
  } catch (error) {
    if (error instanceof KeyUnknown || error instanceof CiphertextRefused) return undefined
    throw error
  }
}
