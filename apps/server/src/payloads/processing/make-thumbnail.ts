import {
  MediaError,
  type MediaOptions,
  type MediaSource,
  type MediaTools,
  type Probe,
  renderThumbnail,
} from '../../ports/media/index.ts'
import { THUMBNAIL } from '../data-objects.ts'
import type { ObjectMaker } from './object-maker.ts'

/**
 * Stores the thumbnail of a photo or film. When it cannot be drawn, the payload is still shown and played.
 */
export async function makeThumbnail(
  tools: MediaTools,
  source: MediaSource,
  probed: Probe,
  maker: ObjectMaker,
  options: MediaOptions,
): Promise<void> {
  try {
    const { content_type, chunks } = await renderThumbnail(tools, source, probed, options)
    await maker.make(THUMBNAIL, content_type, chunks)
  } catch (error) {
    if (!(error instanceof MediaError)) throw error
  }
}
