import { limitsOf, MOST_SAMPLES, PHOTO_PIXELS, RENDERED_WIDTH } from './limits.ts'
import type { Probe } from './port.ts'

/**
 * Pixels that one core decodes, and encodes at the width of renditions, in a second. Measured with ffmpeg 5.1 on noisy pictures: a frame of
 * full HD took 14 ms from HEVC and 18 from MJPEG, of VGA from MPEG-4 part 2 4.6, of 176 × 144 from H.263 0.54; these make 33, 7.7 and 0.63 of it.
 */
const DECODED = 120e6
const ENCODED = 60e6
/** A frame costs as much as one of so many pixels, however small it is: 24 µs were measured. */
const LEAST_PIXELS = 2000
/** Seconds of sound that are decoded, encoded and drawn in one: AMR, the slowest, at 75 (`npm run sound-speed`), stereo AAC at 230. */
const SOUND = 50
/** Bytes that a frame of film, and a second of speech (AMR at its lowest rate), take where nothing says how many there are. */
const FRAME_BYTES = 8
const SOUND_BYTES = 650

/**
 * Seconds of a core that a rendition and a waveform take, as estimated before any is made; `renders_film` is whether pictures are
 * converted and not only the sound drawn. What the recording does not say is taken for the worst that its size (bytes) allows.
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
