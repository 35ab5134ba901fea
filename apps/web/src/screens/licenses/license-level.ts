/** Warning thresholds as shares of the limit (reading-the-spec: licences). */
const NEARLY = 0.9

/** Use level: `none` for an unlicensed service. */
export type LicenseLevel = 'none' | 'fine' | 'nearly' | 'full' | 'over'

/** Use level of one service. A limit of 0 means unlicensed. */
export function licenseLevel(used: number, limit: number): LicenseLevel {
  if (used > limit) return 'over'
  if (limit === 0) return 'none'
  if (used === limit) return 'full'
  return used >= limit * NEARLY ? 'nearly' : 'fine'
}
