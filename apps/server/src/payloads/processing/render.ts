import type { AppContext } from '../../app-context.ts'
import { SNIFF_SIZE } from '../../ports/media/index.ts'
import { openObject } from '../data-objects.ts'
import { deriveMedia } from './derive-media.ts'
import type { MediaVerdict } from './media-verdict.ts'
import { ObjectMaker } from './object-maker.ts'
import { RenderBudget } from './render-budget.ts'
import { commitRendition, findUnrendered } from './render-store.ts'

/**
 * Makes rendition and waveform of one recording and returns its media facts. Safe to repeat; only the commit counts.
 * Throws when a service is unavailable, or MovedTo for the wrong `lane`. An unconvertible recording gets its final
 * verdict.
 */
export async function renderOne(
  ctx: AppContext,
  client_id: number,
  payload_id: number,
  lane: string,
  signal: AbortSignal,
): Promise<void> {
  const waiting = await findUnrendered(ctx, client_id, payload_id)
  if (!waiting) return
  const { client, payload_reference, original } = waiting
  const opened = await openObject(ctx, client, payload_reference, original)
  const maker = new ObjectMaker(ctx, waiting)
  let verdict: MediaVerdict
  try {
    const source = {
      size: opened.plaintextSize,
      read: (start: number, end: number) => opened.read(start, end),
    }
    const head: Buffer[] = []
    for await (const chunk of opened.read(0, Math.min(SNIFF_SIZE, source.size))) head.push(chunk)
    verdict = await deriveMedia(ctx, source, Buffer.concat(head), maker, new RenderBudget(lane), signal)
  } catch (error) {
    await maker.discard()
    throw error
  } finally {
    opened.forget()
  }
  // A commit without a response may have happened: the sweep removes unused objects.
  if (!(await commitRendition(ctx, waiting, verdict, maker.made))) await maker.discard()
}
