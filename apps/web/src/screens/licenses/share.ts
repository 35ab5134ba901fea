/** Use level: `none` without licences, `over` above the limit, `near` from 90 %. */
export type Share = 'none' | 'fine' | 'near' | 'full' | 'over'

/** 90 %: the server raises an alert from here. */
const NEAR = 0.9

export function shareOf(used: number, limit: number): Share {
  if (limit === 0) return used === 0 ? 'none' : 'over'
  if (used > limit) return 'over'
  if (used === limit) return 'full'
  return used >= limit * NEAR ? 'near' : 'fine'
}
