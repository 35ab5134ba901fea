import type { MediaLimits, MediaOptions } from './port.ts'

const HOUR = 3600

/** A recording of a whole day at the audio bit rates of `render.ts` stays below the output limit. */
const DEFAULTS: MediaLimits = { run_seconds: HOUR, media_seconds: 24 * HOUR, output_bytes: 1024 ** 3 }

export const limitsOf = (options: MediaOptions | undefined): MediaLimits => ({
  ...DEFAULTS,
  ...options?.limits,
})
