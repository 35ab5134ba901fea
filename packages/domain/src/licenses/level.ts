/** Percents of a limit that raise an alert (reading-the-spec, "Licences"), the most severe first. */
export const LICENSE_LEVELS = [100, 90] as const
export type LicenseLevel = (typeof LICENSE_LEVELS)[number]

/** The gravest level that a use has reached; null: none. Of a limit of 0 any use is all of it, and no use is none. */
export const licenseLevel = (used: number, limit: number): LicenseLevel | null =>
  used === 0 ? null : (LICENSE_LEVELS.find((level) => used * 100 >= limit * level) ?? null)
