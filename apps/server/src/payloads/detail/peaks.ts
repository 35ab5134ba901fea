import { Peaks } from '@custodia/contract'
import { hasData } from '@custodia/domain'
import type { AppContext } from '../../app-context.ts'
import type { Handler } from '../../http/context.ts'
import { Problem } from '../../http/problem.ts'
import { isDamage, reportDamage } from '../data-damage.ts'
import { openObject, PEAKS, readWhole } from '../data-objects.ts'
import { findDataSubjects } from '../store.ts'
import { mayShowContent, payloadInReach } from './read.ts'

/** The waveform of a recording with sound, drawn from the sealed object that processing made. */
export function readPayloadPeaks(ctx: AppContext): Handler<'readPayloadPeaks'> {
  return async (context, { params: { payload_reference } }) => {
    const { client, client_id } = context.caller
    const subject = await context.read(async (q) => {
      const row = await payloadInReach(q, context, 'payloads:read', payload_reference)
      // A waveform shows when people speak, which is content.
      if (!mayShowContent(context.caller, row))
        throw new Problem('not_found', { detail: 'content, in support mode' })
      return (await findDataSubjects(q, [payload_reference])).get(payload_reference)
    })
    const object = subject?.objects.find(({ kind }) => kind === PEAKS)
    if (!subject || !object || !hasData(subject)) throw new Problem('not_found', { detail: 'no waveform' })
    try {
      const bytes = await readWhole(await openObject(ctx, client, payload_reference, object))
      return Peaks.parse(JSON.parse(bytes.toString()))
    } catch (error) {
      if (isDamage(error)) await reportDamage(ctx, { client_id, payload_reference, kind: PEAKS }, error)
      throw error
    }
  }
}
