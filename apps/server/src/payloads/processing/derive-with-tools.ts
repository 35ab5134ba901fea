import {
  costOf,
  type MediaSource,
  type MediaTools,
  peaks,
  playability,
  type Probe,
  type MediaOptions,
  probe,
  RENDERED_RATE,
  renderAudio,
  renderImage,
  renderVideo,
  type Sniffed,
} from '../../ports/media/index.ts'
import { type ObjectDetails, PLAYBACK } from '../data-objects.ts'
import { factsOf, type MediaVerdict } from './media-verdict.ts'
import { makePeaks } from './make-peaks.ts'
import { makeThumbnail } from './make-thumbnail.ts'
import type { ObjectMaker } from './object-maker.ts'
import type { RenderBudget } from './render-budget.ts'

/** Makes waveform and rendition with ffmpeg. Throws MediaError, or what the budget throws. */
export async function deriveWithTools(
  tools: MediaTools,
  source: MediaSource,
  sniffed: Sniffed,
  maker: ObjectMaker,
  budget: RenderBudget,
  signal: AbortSignal,
): Promise<MediaVerdict> {
  const probed = await probe(tools, source, sniffed, { signal })
  const details: ObjectDetails = { ...factsOf(probed) }
  const validated = playability(probed)
  budget.spend(costOf(source.size, probed, !validated.playable && validated.needs !== 'audio'))
  const options = { limits: budget.limits, signal }
  if (validated.playable) details.is_playable = true
  else if (validated.needs === undefined)
    Object.assign(details, { is_playable: false, unplayable_reason: 'unsupported_format' })
  else {
    await makeRendition(tools, source, probed, validated.needs, maker, options)
    details.is_playable = false
    if (details.frame_rate) details.frame_rate = Math.min(RENDERED_RATE, details.frame_rate)
  }
  if (probed.audio) await makePeaks(maker, await peaks(tools, source, probed, options))
  if (probed.video) await makeThumbnail(tools, source, probed, maker, { signal })
  return { content_type: probed.content_type, details }
}

/** Stores the rendition that browsers play instead of the original. */
async function makeRendition(
  tools: MediaTools,
  source: MediaSource,
  probed: Probe,
  needs: 'audio' | 'video' | 'image',
  maker: ObjectMaker,
  options: MediaOptions,
): Promise<void> {
  await using draft = maker.draft()
  const { content_type, chunks } =
    needs === 'video'
      ? await renderVideo(tools, source, probed, draft.keep, options)
      : { audio: renderAudio, image: renderImage }[needs](tools, source, probed, options)
  await maker.make(PLAYBACK, content_type, chunks)
}
