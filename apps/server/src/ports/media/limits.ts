import type { MediaLimits, MediaOptions, Probe } from './port.ts'

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

export const getLimits = (options: MediaOptions | undefined): MediaLimits => ({
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
export const MAX_SAMPLES = 4_600_000

/**
 * Pixels per second that one core decodes, and encodes at the width of renditions (measured with ffmpeg 5.1).
 */
const DECODED = 120e6
const ENCODED = 60e6
/** Least cost of a frame in pixels; 24 µs were measured. */
const MIN_PIXELS = 2000
/**
 * Seconds of sound processed per CPU second: AMR, the slowest, reaches 75 (`npm run sound-speed`), stereo AAC
 * 230.
 */
const SOUND = 50
/** Bytes of a film frame, and of a second of speech (AMR at its lowest rate), when the count is unknown. */
const FRAME_BYTES = 8
const SOUND_BYTES = 650

/**
 * Estimated CPU seconds of a rendition and a waveform; `renders_film` is whether pictures are converted.
 * Unknown facts count as the worst that the size (bytes) permits.
 */
export function getCost(size: number, { duration, audio, video }: Probe, renders_film: boolean): number {
  const { media_seconds } = getLimits(undefined)
  const seconds = Math.min(media_seconds, duration ?? size / SOUND_BYTES)
  const sound = audio ? seconds / SOUND : 0
  if (!video || !renders_film) return sound
  const frames = Math.min(MAX_SAMPLES, video.frames ?? Math.ceil(size / FRAME_BYTES))
  const pixels = Math.max(MIN_PIXELS, video.width * video.height || PHOTO_PIXELS)
  const made = pixels * Math.min(1, RENDERED_WIDTH / (video.width || RENDERED_WIDTH)) ** 2
  return sound + frames * (pixels / DECODED + made / ENCODED)
}
