import type { AppContext } from '../../app-context.ts'
import {
  hasBuiltInReader,
  MediaError,
  type MediaSource,
  playability,
  sniff,
  type Sniffed,
} from '../../ports/media/index.ts'
import { deriveSound } from './derive-sound.ts'
import { deriveWithTools } from './derive-with-tools.ts'
import { type MediaVerdict, type Reason, verdict } from './media-verdict.ts'
import type { ObjectMaker } from './object-maker.ts'
import type { RenderBudget } from './render-budget.ts'

/**
 * Classifies a recording by its first bytes. `being_prepared` means that a job follows for playback, so that
 * evidence does not wait for it.
 */
export function examineMedia({ media }: Pick<AppContext, 'media'>, head: Buffer): MediaVerdict {
  const sniffed = sniff(head)
  const validated = checkByFileType(sniffed)
  if (!isMedia(sniffed) || !(media || hasBuiltInReader(sniffed))) return validated
  return {
    content_type: validated.content_type,
    details: { is_playable: validated.details.is_playable === true, being_prepared: true },
  }
}

/**
 * Makes a waveform, and a rendition when browsers cannot play the original. Sound that plays without ffmpeg
 * does not get here. Throws MovedTo when it belongs to another lane.
 */
export async function deriveMedia(
  ctx: Pick<AppContext, 'media'>,
  source: MediaSource,
  head: Buffer,
  maker: ObjectMaker,
  budget: RenderBudget,
  signal: AbortSignal,
): Promise<MediaVerdict> {
  const sniffed = sniff(head)
  if (!isMedia(sniffed)) return checkByFileType(sniffed)
  try {
    const read = await readBuiltIn(ctx, source, sniffed, maker, budget, signal)
    if (read?.is_heard) return read.verdict
    if (ctx.media) return await deriveWithTools(ctx.media, source, sniffed, maker, budget, signal)
    return read?.verdict ?? checkByFileType(sniffed)
  } catch (error) {
    // Unreadable media is still evidence: stored, checked, downloadable. Only playback is impossible.
    if (!(error instanceof MediaError)) throw error
    budget.reconsider(error)
    await maker.discard()
    return {
      content_type: sniffed.content_type,
      details: { is_playable: false, unplayable_reason: REASONS[error.code] },
    }
  }
}

/** The result of the built-in readers; undefined when ffmpeg or the browser reads the format. */
async function readBuiltIn(
  { media }: Pick<AppContext, 'media'>,
  source: MediaSource,
  sniffed: Sniffed,
  maker: ObjectMaker,
  budget: RenderBudget,
  signal: AbortSignal,
) {
  try {
    return await deriveSound(source, sniffed, maker, budget, signal)
  } catch (error) {
    const is_left =
      error instanceof MediaError && (error.code === 'unsupported' || (error.code === 'corrupt' && media))
    if (!is_left) throw error
    await maker.discard()
    return undefined
  }
}

const REASONS: Readonly<Record<MediaError['code'], Reason>> = {
  unsupported: 'unsupported_format',
  corrupt: 'damaged_media',
  limit: 'too_large_to_convert',
  no_tool: 'no_transcoder',
}

const isMedia = ({ container }: Sniffed): boolean => !['zip', 'json', 'text', 'unknown'].includes(container)

function checkByFileType(sniffed: Sniffed): MediaVerdict {
  const reason: Reason = isMedia(sniffed) ? 'no_transcoder' : 'not_media'
  return { content_type: sniffed.content_type, details: verdict(playability(sniffed), reason) }
}
