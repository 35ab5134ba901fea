import { notifyProvider } from '../alerts/notify-provider.ts'
import type { AppContext } from '../app-context.ts'
import type { FreeSpace } from '../ports/disk-space.ts'

/** Milliseconds between looks. */
const EVERY = 30_000
/** Somebody is warned while that many times the reserve is still free. */
const WARNED_AT = 4

/** Warns of disks that fill up, once each time, in the log and the provider's staff. @returns a function that ends the watch. */
export function watchSpace(ctx: Pick<AppContext, 'db' | 'log' | 'now' | 'space'>): () => void {
  const low = new Set<string>()
  const timer = setInterval(() => void look(), EVERY)

  async function look(): Promise<void> {
    try {
      for (const space of await ctx.space.look()) await validate(space)
    } catch (error) {
      ctx.log.warn({ err: error }, 'free space could not be read')
    }
  }

  async function validate({ folder, free }: FreeSpace): Promise<void> {
    const isLow = free < WARNED_AT * ctx.space.reserve
    if (!isLow) low.delete(folder)
    if (!isLow || low.has(folder)) return
    ctx.log.warn({ folder, free }, 'a disk fills up')
    await notifyProvider(ctx, {
      alert_key: `space ${folder}`,
      text: 'space_low',
      values: { folder, free: String(Math.floor(free / 1_000_000)) },
      alert_severity: 'High',
    })
    // Only now: a warning that could not be written is tried again.
    low.add(folder)
  }

  void look()
  return () => clearInterval(timer)
}
