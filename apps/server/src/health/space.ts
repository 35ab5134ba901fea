import { tellProvider } from '../alerts/tell-provider.ts'
import type { House } from '../house.ts'
import type { FreeSpace } from '../ports/disk-space.ts'

/** Milliseconds between looks. */
const EVERY = 30_000
/** Somebody is warned while that many times the reserve is still free. */
const WARNED_AT = 4

/** Warns of disks that fill up, once each time, in the log and the provider's staff. @returns a function that ends the watch. */
export function watchSpace(house: Pick<House, 'db' | 'log' | 'now' | 'space'>): () => void {
  const low = new Set<string>()
  const timer = setInterval(() => void look(), EVERY)

  async function look(): Promise<void> {
    try {
      for (const space of await house.space.look()) await judge(space)
    } catch (error) {
      house.log.warn({ err: error }, 'free space could not be read')
    }
  }

  async function judge({ folder, free }: FreeSpace): Promise<void> {
    const isLow = free < WARNED_AT * house.space.reserve
    if (!isLow) low.delete(folder)
    if (!isLow || low.has(folder)) return
    house.log.warn({ folder, free }, 'a disk fills up')
    await tellProvider(house, {
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
