import { randomBytes } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import {
  CiphertextRefused,
  type KeyContext,
  KeysUnavailable,
  KeyUnknown,
  type RotationResult,
} from '../port.ts'
import {
  type KeyVersions,
  listSegments,
  makeSegment,
  openSegment,
  type Segment,
  wipe,
} from './key-versions.ts'
import {
  getContent,
  getEpochs,
  HALF,
  HEAD,
  isEmpty,
  isForgotten,
  isUnwiped,
  getKey,
  madeAt,
  getName,
  newSlot,
  openSlot,
  type Place,
  getPlace,
  sealHalf,
  SLOT,
} from './layout.ts'

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
  for (const [segment, places] of Map.groupBy(names.map(getPlace), (place) => place.segment)) {
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
          if (!slot || isForgotten(slot) || !getEpochs(slot).some((epoch) => here.has(epoch)))
            lost.push(place)
        }
      }
    } finally {
      await file.close()
    }
  }
  return lost.map(getName)
}

/** The number of forgotten slots that still hold data. */
export async function unwiped(folder: string): Promise<number> {
  let count = 0
  for await (const { slot } of getSlots(folder)) if (isUnwiped(slot)) count++
  return count
}

/** The number of slots with a key from before a time (epoch seconds) and without a name in a row. */
export async function unnamed(
  folder: string,
  isNamed: (name: Buffer) => boolean,
  before: number,
): Promise<number> {
  let count = 0
  for await (const { place, slot } of getSlots(folder))
    if (!isForgotten(slot) && !isEmpty(slot) && madeAt(slot) < before && !isNamed(getName(place))) count++
  return count
}

async function* getSlots(folder: string): AsyncGenerator<{ place: Place; slot: Buffer }> {
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

/** Slots of a segment; 11 MiB. */
const MAX_SLOTS = 65_536
/** Most slots of one write and sync. */
const MAX_AT_ONCE = 1000
/** Attempts to read a slot whose key version ended between reading slot and key. */
const ATTEMPTS = 3

interface WaitingWrite {
  content: Buffer
  resolve(name: Buffer): void
  reject(error: unknown): void
}

/** Appends slots to segments of this process. */
function slotWriter(folder: string, keyVersions: KeyVersions, now: () => number) {
  const waiting: WaitingWrite[] = []
  let isWriting = false
  let mine: { segment: string; used: number } | undefined

  /** Writes the waiting slots in batches: those that arrive during a write go into the next. */
  async function writeAll(): Promise<void> {
    if (isWriting) return
    isWriting = true
    while (waiting.length > 0) {
      const batch = waiting.splice(0, MAX_AT_ONCE)
      try {
        const places = await write(batch.map(({ content }) => content))
        for (const [i, each] of batch.entries()) each.resolve(getName(places[i] as Place))
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
    if (!mine || mine.used + contents.length > MAX_SLOTS) {
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

  return (content: Buffer): Promise<Buffer> => {
    const written = new Promise<Buffer>((resolve, reject) => waiting.push({ content, resolve, reject }))
    void writeAll()
    return written
  }
}

/**
 * Keys in slots that can be overwritten: forgetting reaches every copy when the key version ends. Each
 * process appends to its own segments; all open, forget and rotate in every segment.
 */
export function keystore(folder: string, keyVersions: KeyVersions, now: () => number) {
  const write = slotWriter(folder, keyVersions, now)
  const read = slotReader(folder)

  return {
    /** Stores a key of 32 bytes. Durable when resolved; resolves to its name. */
    async put(dek: Buffer, context: KeyContext): Promise<Buffer> {
      return write(getContent(dek, context))
    },

    /** The key of a name. Throws KeyUnknown or CiphertextRefused. */
    async open(name: Buffer, context: KeyContext): Promise<Buffer> {
      const place = getPlace(name)
      for (let attempt = 1; ; attempt++) {
        try {
          const { content } = await openSlot((epoch) => keyVersions.key(epoch), await read(place), place)
          const key = getKey(content, context)
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
      const places = Map.groupBy(names.map(getPlace), ({ segment }) => segment)
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

/** Milliseconds for which a segment stays open after a read. */
const STAYS_OPEN = 50

interface SharedSegment {
  file: ReturnType<typeof openSegment>
  readers: number
  closing?: NodeJS.Timeout
}

/** Reads slots. Reads in quick succession share an open file, because opening and closing it cost more than a read. */
function slotReader(folder: string): (place: Place) => Promise<Buffer> {
  const files = new Map<string, SharedSegment>()

  function close(segment: string, { file }: SharedSegment): void {
    files.delete(segment)
    void file.then((opened) => opened?.close()).catch(() => undefined)
  }

  return async ({ segment, index }) => {
    const mine = files.get(segment) ?? { file: openSegment(folder, segment, 'r'), readers: 0 }
    files.set(segment, mine)
    mine.readers++
    clearTimeout(mine.closing)
    try {
      const file = await mine.file
      if (!file) throw new KeyUnknown(`segment ${segment} is not in ${folder}`)
      const [slot] = await file.read(index)
      if (!slot) throw new KeyUnknown(`segment ${segment} has no slot ${index}`)
      return slot
    } finally {
      mine.readers--
      if (mine.readers === 0) mine.closing = setTimeout(() => close(segment, mine), STAYS_OPEN).unref()
    }
  }
}

/** Slots read, sealed and synced together. */
const ROLL_BATCH = 512

/**
 * Begins a key version, seals every slot under it and destroys the former ones, so that forgotten keys cannot
 * be recovered, also from copies and old disk blocks. An interrupted rotation continues with its key version.
 * `settle` resolves when every process sees the disk as it was at the call.
 */
export async function roll(
  folder: string,
  keyVersions: KeyVersions,
  settle: () => Promise<void>,
): Promise<RotationResult> {
  const before = await keyVersions.list()
  const epoch = before.length > 1 ? (before.at(-1) ?? 0) : await keyVersions.begin()
  await settle()
  const done: RotationResult = { epoch, resealed: 0, wiped: 0, damaged: 0, erased: [] }
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
  done: RotationResult,
): Promise<void> {
  const file = await openSegment(folder, segment, 'r+')
  if (!file) return
  try {
    for (let first = 0; ; first += ROLL_BATCH) {
      const slots = await file.read(first, ROLL_BATCH)
      await resealBatch(file, { segment, first, slots }, keyVersions, done)
      if (slots.length < ROLL_BATCH) break
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
  done: RotationResult,
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
