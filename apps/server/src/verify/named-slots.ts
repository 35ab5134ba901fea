import { isSlotName, placeOf } from '../ports/keys/slots/layout.ts'

/** Bytes of bits that a segment begins with. */
const BITS = 512

/** Slots that rows name: a bit for each, for an archive has millions. */
export class NamedSlots {
  readonly #segments = new Map<string, Buffer>()

  /** Blobs of before there were slots are passed over. */
  add(names: readonly Buffer[]): void {
    for (const { segment, index } of names.filter(isSlotName).map(placeOf)) {
      let bits = this.#segments.get(segment) ?? Buffer.alloc(BITS)
      const byte = index >> 3
      if (byte >= bits.length) bits = Buffer.concat([bits], Math.max(bits.length * 2, byte + 1))
      bits[byte] = (bits[byte] ?? 0) | (1 << (index & 7))
      this.#segments.set(segment, bits)
    }
  }

  has(name: Buffer): boolean {
    const { segment, index } = placeOf(name)
    return (((this.#segments.get(segment)?.[index >> 3] ?? 0) >> (index & 7)) & 1) === 1
  }
}
