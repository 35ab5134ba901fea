import type { MediaLimits, MediaOptions } from './port.ts'

const HOUR = 3600

/** CPU seconds of one run. */
export const CPU_SECONDS = HOUR

/** A recording of a day at the audio bit rates of `render.ts` stays below the output limit. */
const DEFAULTS: MediaLimits = {
  run_seconds: HOUR,
  cpu_seconds: CPU_SECONDS,
  media_seconds: 24 * HOUR,
  output_bytes: 1024 ** 3,
}

export const limitsOf = (options: MediaOptions | undefined): MediaLimits => ({
  ...DEFAULTS,
  ...options?.limits,
})

/**
 * Memory of one run without its libraries (some 40 MB): enough to convert 4K films with eight bits and one
 * thread per task. More is refused as `limit`.
 */
export const MEMORY_BYTES = 208 * 1024 ** 2

/** Largest picture of a film in pixels: cinema 4K. */
export const FILM_PIXELS = 4096 * 2304

/** Largest width of a rendition in pixels. */
export const RENDERED_WIDTH = 1280

/** Most frames per second of a rendition. */
export const RENDERED_RATE = 30

/** Largest photo in pixels. Browsers show smaller ones; a thumbnail is made where memory suffices. */
export const PHOTO_PIXELS = 50_000_000

/** Most samples (frames of sound or picture) in one recording: a day of AMR and a film of an hour. */
export const MOST_SAMPLES = 4_600_000
