import { inspectMp4 } from './inspect-mp4.ts'
import type { Container, MediaSource } from './port.ts'

/**
 * Looks at what a container says of itself before a program does; the answer is the same recording, to be read as a whole from front to
 * back. Throws MediaError: `corrupt` for what cannot be true, `limit` for what is too much. Containers that have no index are held by the
 * limits of the program alone.
 */
export async function inspect(source: MediaSource, container: Container): Promise<MediaSource> {
  return container === 'mp4' || container === 'heic' ? inspectMp4(source, container === 'mp4') : source
}
