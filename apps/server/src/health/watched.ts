import type { Registry } from 'prom-client'
import type { House } from '../house.ts'
import { describeMedia } from '../ports/media/index.ts'
import { countUncaught, makeRegistry } from './metrics.ts'
import { type Probes, probesOf } from './probes.ts'

/** What can be asked about a running process. */
export interface Watched {
  probes: Probes
  /** Said beside the parts' states, and never a reason not to be ready. */
  notes: Readonly<Record<string, string>>
  registry: Registry
  /** Counts an error that nobody caught. */
  countUncaught(kind: string): void
}

/** Makes the probes and figures of a house ready to be asked for. */
export function watch(house: House): Watched {
  const probes = probesOf(house)
  const registry = makeRegistry(house, probes)
  return {
    probes,
    notes: { converter: describeMedia(house.media) },
    registry,
    countUncaught: countUncaught(registry),
  }
}
