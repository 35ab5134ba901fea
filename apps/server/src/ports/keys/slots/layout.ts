import { createHash, timingSafeEqual } from 'node:crypto'
import { EnvelopeError, unwrapSecret, wrapSecret } from '@custodia/envelope'
import { CiphertextRefused, type KeyContext, KeyUnknown } from '../port.ts'

// A segment is a file of slots: mark (4) | made at, epoch seconds (4) | half A | half B; a half is key
// version (4) | sealed (77). Rotation seals the other half, so that one is always whole. Only forgetting
// writes the mark, with zeros in both halves; a concurrent rotation then wipes its half.

const KEY = 32
const DIGEST = 16
export const HEAD = 8
export const MARK = 4
const EPOCH = 4
/** Length of the result of `wrapSecret` for key and digest. */
const SEALED = 1 + 12 + KEY + DIGEST + 16
export const HALF = EPOCH + SEALED
export const SLOT = HEAD + 2 * HALF
/** First byte of a slot's name in a row; a blob of a master key begins with 1. */
const FORMAT = 2
const SEGMENT_BYTES = 8
const NAME = 1 + SEGMENT_BYTES + 4

/** The slot and segment of a key. */
export interface Place {
  /** 16 hex digits. */
  segment: string
  index: number
}

/** The content of a forgotten slot. */
export const FORGOTTEN: Buffer = Buffer.concat([Buffer.from('GONE'), Buffer.alloc(SLOT - MARK)])

/** Whether a blob names a slot, so that it contains no wrapped key. */
export const isSlotName = (blob: Buffer): boolean => blob.length === NAME && blob[0] === FORMAT

/** The name of a slot in a row. */
export function getName({ segment, index }: Place): Buffer {
  const name = Buffer.alloc(NAME, FORMAT)
  name.write(segment, 1, 'hex')
  name.writeUInt32BE(index, 1 + SEGMENT_BYTES)
  return name
}

/** The place of a name. Throws CiphertextRefused. */
export function getPlace(name: Buffer): Place {
  if (!isSlotName(name)) throw new CiphertextRefused('not the name of a slot')
  return { segment: name.toString('hex', 1, 1 + SEGMENT_BYTES), index: name.readUInt32BE(1 + SEGMENT_BYTES) }
}

export const isForgotten = (slot: Buffer): boolean => slot.readUInt32BE(0) !== 0
/** Whether a forgotten slot holds data, still or again. */
export const isUnwiped = (slot: Buffer): boolean => isForgotten(slot) && !slot.equals(FORGOTTEN)
export const isEmpty = (slot: Buffer): boolean => getEpochs(slot).every((epoch) => epoch === 0)
export const madeAt = (slot: Buffer): number => slot.readUInt32BE(MARK)

/** The key versions of both halves; 0: never written. */
export const getEpochs = (slot: Buffer): [number, number] => [
  slot.readUInt32BE(HEAD),
  slot.readUInt32BE(HEAD + HALF),
]

/** Both halves, the newer first. */
export function getHalves(slot: Buffer): { at: number; epoch: number }[] {
  return getEpochs(slot)
    .map((epoch, half) => ({ at: HEAD + half * HALF, epoch }))
    .filter(({ epoch }) => epoch > 0)
    .toSorted((a, b) => b.epoch - a.epoch)
}

/** A key and its context, as they are sealed: the rotation knows neither client nor payload. */
export function getContent(dek: Buffer, context: KeyContext): Buffer {
  if (dek.length !== KEY) throw new RangeError(`a key of ${dek.length} bytes does not fit a slot`)
  return Buffer.concat([dek, getDigest(context)])
}

/** The key of an opened slot. Throws CiphertextRefused for another context. */
export function getKey(content: Buffer, context: KeyContext): Buffer {
  if (!timingSafeEqual(content.subarray(KEY), getDigest(context)))
    throw new CiphertextRefused('the slot holds the key of something else')
  return Buffer.from(content.subarray(0, KEY))
}

/** A new slot. */
export function newSlot(half: Buffer, made_at: number): Buffer {
  const head = Buffer.alloc(HEAD)
  head.writeUInt32BE(made_at, MARK)
  return Buffer.concat([head, half, Buffer.alloc(HALF)])
}

/** Seals content as a half of a slot. */
export function sealHalf(key: Buffer, epoch: number, place: Place, content: Buffer): Buffer {
  const head = Buffer.alloc(EPOCH)
  head.writeUInt32BE(epoch)
  return Buffer.concat([head, wrapSecret(key, content, getAad(place, epoch))])
}

/** The content of a half; undefined when it cannot be opened. */
export function openHalf(
  key: Buffer,
  slot: Buffer,
  { at, epoch }: { at: number; epoch: number },
  place: Place,
): Buffer | undefined {
  try {
    return unwrapSecret(key, slot.subarray(at + EPOCH, at + HALF), getAad(place, epoch))
  } catch (error) {
    if (error instanceof EnvelopeError) return undefined
    throw error
  }
}

/** Opens a slot, the newer half first. Throws KeyUnknown, or CiphertextRefused. */
export async function openSlot(
  keyOfEpoch: (epoch: number) => Promise<Buffer>,
  slot: Buffer,
  place: Place,
): Promise<{ content: Buffer; at: number; epoch: number }> {
  if (isForgotten(slot)) throw new KeyUnknown('the key was forgotten')
  let reason: unknown
  for (const half of getHalves(slot)) {
    try {
      const content = openHalf(await keyOfEpoch(half.epoch), slot, half, place)
      if (content) return { content, ...half }
      reason = new CiphertextRefused('the slot does not open')
    } catch (error) {
      if (!(error instanceof KeyUnknown)) throw error
      reason = reason instanceof CiphertextRefused ? reason : error
    }
  }
  throw reason ?? new KeyUnknown('the slot is empty')
}

const getAad = ({ segment, index }: Place, epoch: number): Buffer =>
  Buffer.from(JSON.stringify(['slot', segment, index, epoch]))

const getDigest = ({ client, purpose, reference }: KeyContext): Buffer =>
  createHash('sha256')
    .update(JSON.stringify([client, purpose, reference]))
    .digest()
    .subarray(0, DIGEST)
