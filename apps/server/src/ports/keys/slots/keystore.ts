import { randomBytes } from 'node:crypto'
import { CiphertextRefused, type KeyContext, KeysUnavailable, KeyUnknown } from '../port.ts'
import type { KeyVersions } from './key-versions.ts'
import { contentOf, keyOf, nameOf, newSlot, openSlot, type Place, placeOf, sealHalf, SLOT } from './layout.ts'
import { makeSegment, openSegment, wipe } from './segments.ts'

/** Slots of a segment; 11 MiB. */
const MOST_SLOTS = 65_536
/** Most slots of one write and sync. */
const MOST_AT_ONCE = 1000
/** Attempts to read a slot whose key version ended between reading slot and key. */
const ATTEMPTS = 3

interface Waiting {
  content: Buffer
  resolve(name: Buffer): void
  reject(error: unknown): void
}

export type Keystore = ReturnType<typeof keystore>

/**
 * Keys in slots that can be overwritten: forgetting reaches every copy when the key version ends. Each
 * process appends to its own segments; all open, forget and rotate in every segment.
 */
export function keystore(folder: string, keyVersions: KeyVersions, now: () => number) {
  const waiting: Waiting[] = []
  let isWriting = false
  let mine: { segment: string; used: number } | undefined

  /** Writes the waiting slots in batches: those that arrive during a write go into the next. */
  async function writeAll(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MOST_AT_ONCE)
      try {
        const places = await write(batch.map(({ content }) => content))
        for (const [i, each] of batch.entries()) each.resolve(nameOf(places[i] as Place))
      } catch (error) {
        // After a failed write or sync the content is unknown, so the next key goes elsewhere.
        mine = undefined
        for (const each of batch) each.reject(error)
      }
      for (const { content } of batch) content.fill(0)
    }
    isWriting = false
  }

  async function write(contents: readonly Buffer[]): Promise<Place[]> {
    // The key version first: a folder with slots and without a key version has lost its keys.
    await keyVersions.newest()
    if (!mine || mine.used + contents.length > MOST_SLOTS) {
      const segment = randomBytes(8).toString('hex')
      await makeSegment(folder, segment)
      mine = { segment, used: 0 }
    }
    const { segment, used } = mine
    const places = contents.map((_, i) => ({ segment, index: used + i }))
    const file = await openSegment(folder, segment, 'r+')
    if (!file) throw new KeysUnavailable(`segment ${segment} is missing`)
    try {
      for (;;) {
        const { epoch, key } = await keyVersions.newest()
        const slots = contents.map((content, i) =>
          newSlot(sealHalf(key, epoch, places[i] as Place, content), now()),
        )
        await file.write(used, Buffer.concat(slots, slots.length * SLOT))
        await file.sync()
        // A new key version may have begun, and its rotation may have passed before these slots existed.
        if (await keyVersions.isNewest(epoch)) break
      }
    } finally {
      await file.close()
    }
    mine.used += contents.length
    return places
  }

  async function read(place: Place): Promise<Buffer> {
    const file = await openSegment(folder, place.segment, 'r')
    if (!file) throw new KeyUnknown(`segment ${place.segment} is not in ${folder}`)
    try {
      const [slot] = await file.read(place.index)
      if (!slot) throw new KeyUnknown(`segment ${place.segment} has no slot ${place.index}`)
      return slot
    } finally {
      await file.close()
    }
  }

  return {
    /** Stores a key of 32 bytes. Durable when resolved; resolves to its name. */
    async put(dek: Buffer, context: KeyContext): Promise<Buffer> {
      const content = contentOf(dek, context)
      const written = new Promise<Buffer>((resolve, reject) => waiting.push({ content, resolve, reject }))
      void writeAll()
      return written
    },

    /** The key of a name. Throws KeyUnknown or CiphertextRefused. */
    async open(name: Buffer, context: KeyContext): Promise<Buffer> {
      const place = placeOf(name)
      for (let attempt = 1; ; attempt++) {
        try {
          const { content } = await openSlot((epoch) => keyVersions.key(epoch), await read(place), place)
          const key = keyOf(content, context)
          content.fill(0)
          return key
        } catch (error) {
          // The slot was sealed again and its key version erased since the read, or it was read during a
          // write.
          const isOfKey = error instanceof KeyUnknown || error instanceof CiphertextRefused
          if (!isOfKey || attempt === ATTEMPTS) throw error
        }
      }
    },

    /**
     * Wipes slots durably and reads them back. A missing slot needs no wiping. Resolves to the number of
     * wiped ones.
     */
    async forget(names: readonly Buffer[]): Promise<number> {
      // A missing or wrong folder must not look like one where all keys are forgotten.
      await keyVersions.look()
      const places = Map.groupBy(names.map(placeOf), ({ segment }) => segment)
      let count = 0
      for (const [segment, of] of places) {
        const file = await openSegment(folder, segment, 'r+')
        if (!file) continue
        try {
          count += await wipe(
            file,
            of.map(({ index }) => index),
          )
        } finally {
          await file.close()
        }
      }
      return count
    },
  }
}
