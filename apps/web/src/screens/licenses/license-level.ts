/** Shares of a limit at which the account is warned (reading-the-spec: licences). */
const NEARLY = 0.9

/** How far licences are used up: `none` where the service is not licensed. */
export type LicenseLevel = 'none' | 'fine' | 'nearly' | 'full' | 'over'

/** Judges the use of one service. A limit of 0 means that there is none. */
export function licenseLevel(used: number, limit: number): LicenseLevel {
  if (used > limit) return 'over'
  if (limit === 0) return 'none'
  if (used === limit) return 'full'
  return used >= limit * NEARLY ? 'nearly' : 'fine'
}
