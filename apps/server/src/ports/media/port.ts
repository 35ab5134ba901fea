/**
 * The worker's interface to ffmpeg, which is optional: without it originals are stored, checked and
 * downloaded, but not converted.
 */

/** Decrypted bytes with random access: `start` inclusive, `end` exclusive. Decrypts on demand. */
export interface MediaSource {
  readonly size: number
  read(start: number, end: number): AsyncIterable<Uint8Array>
}

export const CONTAINERS = [
  'amr',
  'mp4',
  'mp3',
  'aac',
  'wav',
  'ogg',
  'webm',
  'matroska',
  'flac',
  'jpeg',
  'png',
  'gif',
  'webp',
  'heic',
  'zip',
  'json',
  'text',
  'unknown',
] as const
export type Container = (typeof CONTAINERS)[number]

/**
 * The format by the first bytes. `codec` only where they name it (ffprobe's spelling). `extension` is without
 * a dot.
 */
export interface SniffedType {
  content_type: string
  container: Container
  extension: string
  codec?: string
}

/**
 * The facts of ffprobe. `duration` in seconds, for raw AMR and AAC within a few percent (`peaks` counts).
 * `content_type` is the sniffed one, or audio/… for a container without pictures.
 */
export interface Probe {
  content_type: string
  container: Container
  duration?: number
  audio?: { codec: string; channels: number; sample_rate: number }
  /** `frames` comes from the container, or from frame rate and duration. */
  video?: { codec: string; width: number; height: number; pixel_format?: string; frames?: number }
}

/** Audio/… for a container that could contain pictures but does not. */
export const soundOnly = (content_type: string): string =>
  content_type.replace(/^video\/(mp4|3gpp2?|webm)$/, 'audio/$1')

/** Limits of one run. Defaults in `limits.ts`. */
export interface MediaLimits {
  /** Seconds after which the program is killed. */
  run_seconds: number
  /** CPU seconds after which the system ends it. */
  cpu_seconds: number
  /** Longest recording that is converted, in seconds. */
  media_seconds: number
  /** Largest result in bytes. */
  output_bytes: number
}

export type MediaOptions = { limits?: Partial<MediaLimits>; signal?: AbortSignal }

/**
 * A converted copy for the player. The bytes arrive while they are made; the iteration throws MediaError (the
 * call itself when the recording is too long).
 */
export interface Rendition {
  content_type: string
  extension: string
  chunks: AsyncIterable<Buffer>
}

/** Keeps unfinished output as safe as the recording itself; returns a function that reads it again. */
export type Draft = (chunks: AsyncIterable<Buffer>) => Promise<() => AsyncIterable<Buffer>>

/**
 * `unsupported`: no decoder. `corrupt`: damaged, or another format than its first bytes show. `limit`: too
 * long, too large or too slow. `no_tool`: ffmpeg or an encoder is missing.
 */
export type MediaErrorCode = 'unsupported' | 'corrupt' | 'limit' | 'no_tool'

/** The message never contains payload content. Errors of the source are thrown unchanged. */
export class MediaError extends Error {
  override name = 'MediaError'
  readonly code: MediaErrorCode
  constructor(code: MediaErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
