import type { KeyVersions } from './key-versions.ts'
import { epochsOf, isEmpty, isForgotten, isUnwiped, madeAt, nameOf, type Place, placeOf } from './layout.ts'
import { listSegments, openSegment } from './segments.ts'

/** Slots per read; 700 KiB. */
const BATCH = 4096

/** The names whose slot is missing, wiped, or sealed under a missing key version. Opens nothing. */
export async function missing(
  folder: string,
  keyVersions: KeyVersions,
  names: readonly Buffer[],
): Promise<Buffer[]> {
  if (names.length === 0) return []
  const here = new Set(await keyVersions.list())
  const lost: Place[] = []
  for (const [segment, places] of Map.groupBy(names.map(placeOf), (place) => place.segment)) {
    const file = await openSegment(folder, segment, 'r')
    if (!file) {
      lost.push(...places)
      continue
    }
    try {
      for (const [batch, of] of Map.groupBy(places, ({ index }) => Math.floor(index / BATCH))) {
        const slots = await file.read(batch * BATCH, BATCH)
        for (const place of of) {
          const slot = slots[place.index - batch * BATCH]
          if (!slot || isForgotten(slot) || !epochsOf(slot).some((epoch) => here.has(epoch))) lost.push(place)
        }
      }
    } finally {
      await file.close()
    }
  }
  return lost.map(nameOf)
}

/** The number of forgotten slots that still hold data. */
export async function unwiped(folder: string): Promise<number> {
  let count = 0
  for await (const { slot } of slotsOf(folder)) if (isUnwiped(slot)) count++
  return count
}

/** The number of slots with a key from before a time (epoch seconds) and without a name in a row. */
export async function unnamed(
  folder: string,
  isNamed: (name: Buffer) => boolean,
  before: number,
): Promise<number> {
  let count = 0
  for await (const { place, slot } of slotsOf(folder))
    if (!isForgotten(slot) && !isEmpty(slot) && madeAt(slot) < before && !isNamed(nameOf(place))) count++
  return count
}

async function* slotsOf(folder: string): AsyncGenerator<{ place: Place; slot: Buffer }> {
  for (const segment of await listSegments(folder)) {
    const file = await openSegment(folder, segment, 'r')
    if (!file) continue
    try {
      for (let first = 0, size = BATCH; size === BATCH; first += BATCH) {
        const slots = await file.read(first, BATCH)
        size = slots.length
        for (const [i, slot] of slots.entries()) yield { place: { segment, index: first + i }, slot }
      }
    } finally {
      await file.close()
    }
  }
}
