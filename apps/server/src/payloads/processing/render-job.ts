import * as z from 'zod/mini'
import type { AppContext } from '../../app-context.ts'
import { jobKind } from '../../jobs/kind.ts'
import { SNIFF_SIZE } from '../../ports/media/index.ts'
import { openObject } from '../data-objects.ts'
import { deriveMedia, LONG_LANE, type MediaVerdict, RenderBudget, SHORT_LANE } from './derive-media.ts'
import { commitRendition, findUnrendered, failRendering } from './documents-store.ts'
import { ObjectMaker } from './object-maker.ts'

/**
 * Prepares one `Processed` payload for playback, in a queue of its own, so that evidence never waits for a
 * conversion.
 */
export const renderPayload = jobKind({
  name: 'payloads.render',
  input: z.object({ client_id: z.int(), payload_id: z.int() }),
  key: ({ payload_id }) => String(payload_id),
  fair: {
    lanes: { [SHORT_LANE]: { batch: 1, workers: 1 }, [LONG_LANE]: { batch: 1, workers: 1 } },
    client: ({ client_id }) => client_id,
    // The cost is known after the inspection; a long task then moves to the long lane.
    place: () => ({ lane: SHORT_LANE, cost: 1 }),
  },
  run: (ctx, { client_id, payload_id }, signal, lane = SHORT_LANE) =>
    renderOne(ctx, client_id, payload_id, lane, signal),
  dead: (ctx, { client_id, payload_id }) => failRendering(ctx, client_id, payload_id),
})

/**
 * Makes rendition and waveform of one recording and returns its media facts. Safe to repeat; only the commit counts.
 * Throws when a service is unavailable, or MovedTo for the wrong `lane`. An unconvertible recording gets its final
 * verdict.
 */
async function renderOne(
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
