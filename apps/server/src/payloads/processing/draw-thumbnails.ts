import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import type { AppContext } from '../../app-context.ts'
import { jobKind } from '../../jobs/kind.ts'
import { MediaError, type MediaTools, probe, sniff, SNIFF_SIZE } from '../../ports/media/index.ts'
import { isDamage } from '../data-damage.ts'
import { openObject } from '../data-objects.ts'
import { makeThumbnail } from './make-thumbnail.ts'
import { ObjectMaker } from './object-maker.ts'
import { findUndrawn, writeDrawn } from './of-before-store.ts'
import type { Unrendered } from './render-store.ts'

/** Photos and films looked for at a time. */
const BATCH = 100

/**
 * Makes the small pictures of photos and films that were processed before there were such, or where there was no ffmpeg. Each is committed
 * by itself, so a run that is broken off goes on where it stopped; what cannot be drawn is marked, and not tried again.
 */
export const drawThumbnails = jobKind({
  name: 'payloads.draw_thumbnails',
  input: z.object({}),
  every: 3600,
  async run(ctx, _input, signal) {
    if (!ctx.media) return
    for (const { client_id } of await listClients(ctx.db)) {
      for (let after: number | undefined = 0; after !== undefined;) {
        const batch: Unrendered[] = await findUndrawn(ctx, client_id, after, BATCH)
        for (const payload of batch) {
          signal.throwIfAborted()
          await drawOne(ctx, ctx.media, payload, signal)
        }
        after = batch.at(-1)?.payload_id
      }
    }
  },
})

async function drawOne(
  ctx: AppContext,
  tools: MediaTools,
  payload: Unrendered,
  signal: AbortSignal,
): Promise<void> {
  const maker = new ObjectMaker(ctx, payload)
  try {
    const opened = await openObject(ctx, payload.client, payload.payload_reference, payload.original)
    try {
      const source = {
        size: opened.plaintextSize,
        read: (start: number, end: number) => opened.read(start, end),
      }
      const head: Buffer[] = []
      for await (const chunk of source.read(0, Math.min(SNIFF_SIZE, source.size))) head.push(chunk)
      const probed = await probe(tools, source, sniff(Buffer.concat(head)), { signal })
      if (probed.video) await makeThumbnail(tools, source, probed, maker, { signal })
    } finally {
      opened.forget()
    }
  } catch (error) {
    await maker.discard()
    // What is damaged is told where somebody opens it, and by `custodia verify`.
    if (!(error instanceof MediaError) && !isDamage(error)) throw error
  }
  await writeDrawn(ctx, payload, maker.made)
}
