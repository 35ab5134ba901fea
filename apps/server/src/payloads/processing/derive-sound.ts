import { costOf, type MediaSource, openSound, playability, type Sniffed } from '../../ports/media/index.ts'
import { PLAYBACK } from '../data-objects.ts'
import { factsOf, type MediaVerdict, verdict } from './media-verdict.ts'
import { makePeaks } from './make-peaks.ts'
import type { ObjectMaker } from './object-maker.ts'
import type { RenderBudget } from './render-budget.ts'

/**
 * Makes waveform and rendition of sound without ffmpeg, in one pass; `is_heard` means that nothing is left to do.
 * Undefined when no built-in reader knows the format. Throws MediaError, or what the budget throws.
 */
export async function deriveSound(
  source: MediaSource,
  sniffed: Sniffed,
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
      ...factsOf(probe),
      ...verdict(validated, is_known ? 'no_transcoder' : 'unsupported_format'),
    }
    return { is_heard, verdict: { content_type, details } }
  }
  budget.spend(costOf(source.size, probe, false))
  const heard = sound.listen(!validated.playable)
  if (!validated.playable) await maker.make(PLAYBACK, 'audio/mpeg', heard.chunks())
  const drawn = await heard.drawn()
  await makePeaks(maker, drawn)
  // Recorders write a wrong duration or none; this one was measured.
  const details = { ...factsOf(probe), duration: drawn.duration, is_playable: validated.playable }
  return { is_heard, verdict: { content_type, details } }
}
