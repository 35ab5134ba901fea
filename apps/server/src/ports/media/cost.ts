import { limitsOf, MOST_SAMPLES, PHOTO_PIXELS, RENDERED_WIDTH } from './limits.ts'
import type { Probe } from './port.ts'

/**
 * Pixels per second that one core decodes, and encodes at the width of renditions (measured with ffmpeg 5.1).
 */
const DECODED = 120e6
const ENCODED = 60e6
/** Least cost of a frame in pixels; 24 µs were measured. */
const LEAST_PIXELS = 2000
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
export function costOf(size: number, { duration, audio, video }: Probe, renders_film: boolean): number {
  const { media_seconds } = limitsOf(undefined)
  const seconds = Math.min(media_seconds, duration ?? size / SOUND_BYTES)
  const sound = audio ? seconds / SOUND : 0
  if (!video || !renders_film) return sound
  const frames = Math.min(MOST_SAMPLES, video.frames ?? Math.ceil(size / FRAME_BYTES))
  const pixels = Math.max(LEAST_PIXELS, video.width * video.height || PHOTO_PIXELS)
  const made = pixels * Math.min(1, RENDERED_WIDTH / (video.width || RENDERED_WIDTH)) ** 2
  return sound + frames * (pixels / DECODED + made / ENCODED)
}
