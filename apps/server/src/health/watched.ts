import type { Registry } from 'prom-client'
import type { House } from '../house.ts'
import { describeMedia } from '../ports/media/index.ts'
import { countUncaught, makeRegistry } from './metrics.ts'
import { type Parts, partsOf } from './probes.ts'

/** What can be asked about a running process. */
export interface Watched {
  parts: Parts
  /** Said beside the parts, and never a reason not to be ready. */
  notes: Readonly<Record<string, string>>
  registry: Registry
  /** Counts an error that nobody caught. */
  countUncaught(kind: string): void
}

/** Makes the parts and figures of a house ready to be asked for. */
export function watch(house: House): Watched {
  const parts = partsOf(house)
  const registry = makeRegistry(house, parts)
  return {
    parts,
    notes: { converter: describeMedia(house.media) },
    registry,
    countUncaught: countUncaught(registry),
  }
}
