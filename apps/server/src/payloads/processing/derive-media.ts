import type { PayloadMedia, Peaks } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import { MovedTo } from '../../jobs/fair.ts'
import {
  getCost,
  CPU_SECONDS,
  hasBuiltInReader,
  MediaError,
  type MediaLimits,
  type MediaOptions,
  type MediaSource,
  type MediaTools,
  openSound,
  peaks,
  playability,
  type Playability,
  type Probe,
  probe,
  renderAudio,
  RENDERED_RATE,
  renderImage,
  renderThumbnail,
  renderVideo,
  sniff,
  type SniffedType,
} from '../../ports/media/index.ts'
import { type ObjectDetails, PEAKS, PLAYBACK, THUMBNAIL } from '../data-objects.ts'
import type { ObjectMaker } from './object-maker.ts'

/** Lanes of renditions, so that short ones never wait for long ones. */
export const SHORT_LANE = 'renditions'
export const LONG_LANE = 'long_renditions'

/**
 * Estimated CPU seconds that one payload may take, because the system ends ffmpeg after as many. Enough for a
 * day of sound (half of it) or an hour of full HD film at 30 frames a second.
 */
export const BUDGET = CPU_SECONDS
/** Estimated CPU seconds of a short task: a call of 25 minutes. */
export const SHORT = 30
/** Limits of a short task, for recordings with misleading metadata: those are not short. */
const SHORT_LIMITS: Partial<MediaLimits> = { cpu_seconds: 2 * SHORT, run_seconds: 6 * SHORT }

/** The budget of one attempt at a rendition, by lane. */
export class RenderBudget {
  readonly #is_long: boolean
  #is_spent = false

  constructor(lane: string) {
    this.#is_long = lane === LONG_LANE
  }

  get limits(): Partial<MediaLimits> {
    return this.#is_long ? {} : SHORT_LIMITS
  }

  /**
   * Called before decoding. Throws MediaError (`limit`) for a cost over any payload's budget, and MovedTo for
   * a cost over a short task's; never moves a task of the long lane.
   */
  spend(cost: number): void {
    if (cost > BUDGET) throw new MediaError('limit', 'the conversion would take too long')
    if (!this.#is_long && cost > SHORT) throw new MovedTo({ lane: LONG_LANE, cost })
    this.#is_spent = true
  }

  /**
   * Throws MovedTo when a short task reached a limit: it runs once again as a long one, charged the most
   * because its estimate was wrong.
   */
  reconsider({ code }: MediaError): void {
    if (code === 'limit' && this.#is_spent && !this.#is_long)
      throw new MovedTo({ lane: LONG_LANE, cost: BUDGET })
  }
}

/** The type of the data, and whether the portal can play it. */
export interface MediaVerdict {
  content_type: string
  details: ObjectDetails
}

type Reason = NonNullable<PayloadMedia['unplayable_reason']>

/** Whether the original plays, or why not. */
const verdict = ({ playable }: Playability, otherwise: Reason): ObjectDetails =>
  playable ? { is_playable: true } : { is_playable: false, unplayable_reason: otherwise }

/** The media facts that the portal shows. */
function getFacts({ duration, audio, video }: Probe): ObjectDetails {
  const codec = [video?.codec, audio?.codec].filter(Boolean).join(' + ')
  return {
    ...(duration === undefined ? {} : { duration }),
    ...(video ? { width: video.width, height: video.height } : {}),
    ...(codec ? { codec } : {}),
    // A picture is no film.
    ...(video?.frames && video.frames > 1 && duration ? { frame_rate: video.frames / duration } : {}),
  }
}

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
  sniffed: SniffedType,
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

const isMedia = ({ container }: SniffedType): boolean =>
  !['zip', 'json', 'text', 'unknown'].includes(container)

function checkByFileType(sniffed: SniffedType): MediaVerdict {
  const reason: Reason = isMedia(sniffed) ? 'no_transcoder' : 'not_media'
  return { content_type: sniffed.content_type, details: verdict(playability(sniffed), reason) }
}

/**
 * Makes waveform and rendition of sound without ffmpeg, in one pass; `is_heard` means that nothing is left to do.
 * Undefined when no built-in reader knows the format. Throws MediaError, or what the budget throws.
 */
async function deriveSound(
  source: MediaSource,
  sniffed: SniffedType,
  maker: ObjectMaker,
  budget: RenderBudget,
  signal: AbortSignal,
): Promise<{ is_heard: boolean; verdict: MediaVerdict } | undefined> {
  await using sound = await openSound(source, sniffed, { limits: budget.limits, signal })
  if (!sound) return undefined
  const { probe, is_heard } = sound
  const { content_type } = probe
  const validated = playability(probe)
  if (!is_heard) {
    const is_known = validated.playable || validated.needs !== undefined
    const details = {
      ...getFacts(probe),
      ...verdict(validated, is_known ? 'no_transcoder' : 'unsupported_format'),
    }
    return { is_heard, verdict: { content_type, details } }
  }
  budget.spend(getCost(source.size, probe, false))
  const heard = sound.listen(!validated.playable)
  if (!validated.playable) await maker.make(PLAYBACK, 'audio/mpeg', heard.chunks())
  const drawn = await heard.drawn()
  await makePeaks(maker, drawn)
  // Recorders write a wrong duration or none; this one was measured.
  const details = { ...getFacts(probe), duration: drawn.duration, is_playable: validated.playable }
  return { is_heard, verdict: { content_type, details } }
}

/** Makes waveform and rendition with ffmpeg. Throws MediaError, or what the budget throws. */
async function deriveWithTools(
  tools: MediaTools,
  source: MediaSource,
  sniffed: SniffedType,
  maker: ObjectMaker,
  budget: RenderBudget,
  signal: AbortSignal,
): Promise<MediaVerdict> {
  const probed = await probe(tools, source, sniffed, { signal })
  const details: ObjectDetails = { ...getFacts(probed) }
  const validated = playability(probed)
  budget.spend(getCost(source.size, probed, !validated.playable && validated.needs !== 'audio'))
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

/**
 * Stores the thumbnail of a photo or film. When it cannot be drawn, the payload is still shown and played.
 */
async function makeThumbnail(
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

/** Stores a waveform. */
async function makePeaks(maker: ObjectMaker, drawn: Peaks): Promise<void> {
  await maker.make(PEAKS, 'application/json', one(Buffer.from(JSON.stringify(drawn))))
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
