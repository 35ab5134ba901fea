import type { Peaks, PayloadMedia } from '@custodia/contract'
import type { House } from '../house.ts'
import {
  MediaError,
  type MediaSource,
  type MediaTools,
  peaks,
  playability,
  probe,
  type Probe,
  renderAudio,
  renderImage,
  renderVideo,
  sniff,
  type Sniffed,
} from '../ports/media/index.ts'
import { type ObjectDetails, PEAKS, PLAYBACK } from './data-objects.ts'
import type { ObjectMaker } from './object-maker.ts'

/** What the data is, and whether the portal can play it. */
export interface Judgement {
  content_type: string
  details: ObjectDetails
}

type Reason = NonNullable<PayloadMedia['unplayable_reason']>

/**
 * Judges a recording by its first bytes. Where more can be found out or made, `being_prepared` says that a job of its own is to
 * follow: evidence never waits for what is only there to be played.
 */
export function judgeMedia({ media }: Pick<House, 'media'>, head: Buffer): Judgement {
  const sniffed = sniff(head)
  const judged = judgeBySniff(sniffed)
  if (!media || !isMedia(sniffed)) return judged
  return {
    content_type: judged.content_type,
    details: { is_playable: judged.details.is_playable === true, being_prepared: true },
  }
}

/** Makes what browsers need: a waveform, and a rendition where they cannot play the original. Judges the recording by what it holds. */
export async function deriveMedia(
  house: Pick<House, 'media'>,
  source: MediaSource,
  head: Buffer,
  maker: ObjectMaker,
  signal: AbortSignal,
): Promise<Judgement> {
  const sniffed = sniff(head)
  if (!house.media || !isMedia(sniffed)) return judgeBySniff(sniffed)
  try {
    return await deriveWithTools(house.media, source, sniffed, maker, signal)
  } catch (error) {
    // Media that cannot be read is still evidence: kept, checked, downloadable. Only playing it is out of reach.
    if (!(error instanceof MediaError)) throw error
    await maker.discard()
    return {
      content_type: sniffed.content_type,
      details: { is_playable: false, unplayable_reason: REASONS[error.code] },
    }
  }
}

const REASONS: Readonly<Record<MediaError['code'], Reason>> = {
  unsupported: 'unsupported_format',
  corrupt: 'damaged_media',
  limit: 'too_large_to_convert',
  no_tool: 'no_transcoder',
}

const isMedia = ({ container }: Sniffed): boolean => !['zip', 'json', 'text', 'unknown'].includes(container)

function judgeBySniff(sniffed: Sniffed): Judgement {
  const judged = playability(sniffed)
  const reason: Reason = isMedia(sniffed) ? 'no_transcoder' : 'not_media'
  return {
    content_type: sniffed.content_type,
    details: judged.playable ? { is_playable: true } : { is_playable: false, unplayable_reason: reason },
  }
}

async function deriveWithTools(
  tools: MediaTools,
  source: MediaSource,
  sniffed: Sniffed,
  maker: ObjectMaker,
  signal: AbortSignal,
): Promise<Judgement> {
  const probed = await probe(tools, source, sniffed, { signal })
  const details: ObjectDetails = { ...factsOf(probed) }
  const judged = playability(probed)
  if (judged.playable) details.is_playable = true
  else if (judged.needs === undefined)
    Object.assign(details, { is_playable: false, unplayable_reason: 'unsupported_format' })
  else {
    const render = { audio: renderAudio, video: renderVideo, image: renderImage }[judged.needs]
    const rendition = render(tools, source, probed, { signal })
    await maker.make(PLAYBACK, rendition.content_type, rendition.chunks)
    details.is_playable = false
  }
  if (probed.audio) await makePeaks(tools, source, probed, maker, signal)
  return { content_type: probed.content_type, details }
}

function factsOf({ duration, audio, video }: Probe): ObjectDetails {
  const codec = [video?.codec, audio?.codec].filter(Boolean).join(' + ')
  return {
    ...(duration === undefined ? {} : { duration }),
    ...(video ? { width: video.width, height: video.height } : {}),
    ...(codec ? { codec } : {}),
  }
}

async function makePeaks(
  tools: MediaTools,
  source: MediaSource,
  probed: Probe,
  maker: ObjectMaker,
  signal: AbortSignal,
): Promise<void> {
  const { duration, peaks: pairs, silences } = await peaks(tools, source, probed, { signal })
  const drawn: Peaks = { duration, peaks: pairs, silences }
  await maker.make(PEAKS, 'application/json', one(Buffer.from(JSON.stringify(drawn))))
}

async function* one(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
}
