import type { PayloadContents } from '@custodia/contract'
import { dataStatus } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { listArchive } from '../../ports/archives/list-archive.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import { openObject, ORIGINAL, type StoredObject } from '../data-objects.ts'
import { findDataSubjects } from '../store.ts'
import { payloadInReach } from './read.ts'

/** Lists an archive on request: file names are content, so the caller needs the permission to read the archive. */
export function readPayloadContents(ctx: AppContext): Handler<'readPayloadContents'> {
  // A compressed tar is unpacked to list it: one at a time per process, so that one caller cannot occupy all threads.
  let last: Promise<unknown> = Promise.resolve()
  return async (context, { params: { payload_reference } }) => {
    const { client, client_id, access } = context.caller
    const payload = await context.read(async (q) => {
      await payloadInReach(q, context, 'payloads:read', payload_reference)
      return (await findDataSubjects(q, [payload_reference])).get(payload_reference)
    })
    const status = dataStatus({ action: 'payloads:download', access, payload })
    const original = payload?.objects.find(({ kind }) => kind === ORIGINAL)
    if (status !== 'Ok' || !original) throw new Problem('not_found', { detail: status })
    const mine = last.then(() => listed(ctx, client, payload_reference, original))
    last = mine.catch(() => undefined)
    try {
      return await mine
    } catch (error) {
      if (isDamage(error)) await reportDamage(ctx, { client_id, payload_reference, kind: ORIGINAL }, error)
      throw error
    }
  }
}

async function listed(
  ctx: AppContext,
  client: string,
  payload_reference: string,
  original: StoredObject,
): Promise<PayloadContents> {
  const opened = await openObject(ctx, client, payload_reference, original)
  try {
    return await listArchive({
      size: opened.plaintextSize,
      read: (start, end) => opened.read(start, end),
    })
  } finally {
    opened.forget()
  }
}
