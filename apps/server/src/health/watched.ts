import type { Registry } from 'prom-client'
import type { AppContext } from '../app-context.ts'
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

/** Makes the probes and figures of a server ready to be asked for. */
export function watch(ctx: AppContext): Watched {
  const probes = probesOf(ctx)
  const registry = makeRegistry(ctx, probes)
  return {
    probes,
    notes: { converter: describeMedia(ctx.media) },
    registry,
    countUncaught: countUncaught(registry),
  }
}
