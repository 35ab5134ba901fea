/** Random choices that are the same at every start. */
export interface Dice {
  /** From 0 up to 1, exclusive. */
  next(): number
  /** Whole numbers, inclusive. */
  between(least: number, most: number): number
  of<T>(values: readonly T[]): T
  /** One of `values` by their weights. */
  weighted<T>(values: readonly (readonly [value: T, weight: number])[]): T
}

/** The generator mulberry32. */
export function dice(seed: number): Dice {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))
  return {
    next,
    between,
    of: (values) => values[between(0, values.length - 1)] as (typeof values)[number],
    weighted(values) {
      let left = next() * values.reduce((sum, [, weight]) => sum + weight, 0)
      const [last] = values.at(-1) as (typeof values)[number]
      return (values.find(([, weight]) => (left -= weight) < 0) ?? [last])[0]
    },
  }
}
