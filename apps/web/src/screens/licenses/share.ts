/** How much of a limit is used: `none` without licences, `over` above it, `near` from nine tenths on. */
export type Share = 'none' | 'fine' | 'near' | 'full' | 'over'

/** Nine tenths: from here on an alert is raised (as the server does). */
const NEAR = 0.9

export function shareOf(used: number, limit: number): Share {
  if (limit === 0) return used === 0 ? 'none' : 'over'
  if (used > limit) return 'over'
  if (used === limit) return 'full'
  return used >= limit * NEAR ? 'near' : 'fine'
}
