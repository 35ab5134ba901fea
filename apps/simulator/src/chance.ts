import { createHash } from 'node:crypto'

/** Deterministic random numbers: the same seed gives the same fleet, so that an interrupted fill can resume. */
export interface Chance {
  /** From 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number
  pick<T>(list: readonly T[]): T
  /** Digits, as text. */
  digits(count: number): string
}

/** Mulberry32 over a hash of the seed; not for keys. */
export function chance(seed: string): Chance {
  let state = createHash('sha256').update(seed).digest().readUInt32LE()
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    pick: <T>(list: readonly T[]) => {
      if (list.length === 0) throw new RangeError('nothing to pick from')
      return list[between(0, list.length - 1)] as T
    },
    digits: (count) => Array.from({ length: count }, () => between(0, 9)).join(''),
  }
}

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/** A ULID-like payload_reference that depends on the name only. */
export function namedReference(name: string): string {
  const bytes = createHash('sha256').update(name).digest()
  const letters = Array.from(bytes.subarray(0, 26), (byte) => CROCKFORD[byte % 32])
  return `0${letters.slice(1).join('')}`
}
