import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import type { AppContext } from '../../app-context.ts'
import { jobKind } from '../../jobs/kind.ts'
import { isDamage } from '../data-damage.ts'
import { attachmentKind, openObject, ORIGINAL } from '../data-objects.ts'
import { findDataSubjects } from '../store.ts'
import { noteTexts } from '../word-store.ts'
import { makeText } from './derive-message.ts'
import { ProcessingFailure } from '../failures.ts'
import { insertObjects } from './objects-store.ts'
import { sizeOf } from './message-parts.ts'
import { ObjectMaker } from './object-maker.ts'
import { readMessage } from './read-message.ts'
import { findTextless, type TextlessMessage } from './of-before-store.ts'

/** Messages looked for at a time. */
const BATCH = 100

/**
 * Makes the texts that conversations show of messages that were processed before there were such objects. Each is committed by itself, so
 * a run that is broken off goes on where it stopped. A message that cannot be read is named in the log and stays as it is.
 */
export const drawTexts = jobKind({
  name: 'payloads.draw_texts',
  input: z.object({}),
  every: 3600,
  async run(ctx, _input, signal) {
    for (const { client_id, client } of await listClients(ctx.db)) {
      for (let after: number | undefined = 0; after !== undefined;) {
        const batch: TextlessMessage[] = await findTextless(ctx, client_id, after, BATCH)
        for (const message of batch) {
          signal.throwIfAborted()
          await drawOne(ctx, { ...message, client_id, client }, signal)
        }
        after = batch.at(-1)?.payload_id
      }
    }
  },
})

async function drawOne(
  ctx: AppContext,
  message: TextlessMessage & { client_id: number; client: string },
  signal: AbortSignal,
): Promise<void> {
  const { client_id, client, payload_id, payload_reference } = message
  const subjects = await ctx.db.read(client_id, (q) => findDataSubjects(q, [payload_reference]))
  const objects = subjects.get(payload_reference)?.objects ?? []
  const original = objects.find(({ kind }) => kind === ORIGINAL)
  if (!original) return
  const maker = new ObjectMaker(ctx, message)
  try {
    const opened = await openObject(ctx, client, payload_reference, original)
    const source = {
      size: opened.plaintextSize,
      read: (start: number, end: number) => opened.read(start, end),
    }
    await readMessage(source, { signal }, (read) => {
      const found = read.attachments.map((place, part) => {
        const object = objects.find(({ kind }) => kind === attachmentKind(part))
        return {
          content_type: object?.content_type ?? place.content_type,
          size: sizeOf(read.document, place),
        }
      })
      return makeText(read, found, maker)
    }).finally(() => opened.forget())
  } catch (error) {
    await maker.discard()
    if (!isDamage(error) && !(error instanceof ProcessingFailure)) throw error
    ctx.log.warn({ payload_id }, 'a message of before cannot be read, so its conversation shows no text')
    return
  }
  const made = maker.made.map((object) => ({ ...object, payload_id }))
  // A commit whose answer got lost may have happened: what it may name is left to the sweep.
  await ctx.db.write(client_id, async (tx) => {
    await insertObjects(tx, made, ctx.now())
    await noteTexts(tx, [payload_id], ctx.now())
  })
}
