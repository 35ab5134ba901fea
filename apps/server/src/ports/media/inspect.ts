import { inspectMp4 } from './inspect-mp4.ts'
import type { Container, MediaSource } from './port.ts'

/**
 * Validates the container's own metadata before a program reads it; returns the same recording, readable
 * front to back. Throws MediaError: `corrupt` for impossible values, `limit` for too large ones. Containers
 * without an index are only limited by the program.
 */
export async function inspect(source: MediaSource, container: Container): Promise<MediaSource> {
  return container === 'mp4' || container === 'heic' ? inspectMp4(source, container === 'mp4') : source
}
