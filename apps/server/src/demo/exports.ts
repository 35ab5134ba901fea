import { findClient } from '../clients/store.ts'
import type { AppContext } from '../app-context.ts'
import { newId } from '../http/new-id.ts'
import { ORIGINAL } from '../payloads/data-objects.ts'
import { insertExport, noteFetched } from '../payloads/exports/export-store.ts'
import { findDataSubjects } from '../payloads/store.ts'
import { noteDemoAct } from './acts.ts'
import { keepReasonsIfNone } from './exports-store.ts'
import { findToReview } from './reviews-store.ts'

/** For which an account takes data away; it asks for none until somebody switches that on. */
const REASONS = ['Customer complaint', 'Request of the regulator', 'Court order']
/** Of what the export was made: recordings of a group before the newest, which visitors try first. */
const OF = { group: 'South', payload_type: 'Call' } as const
const NEWEST = 4
const MOST = 8
/** Recordings of a part. */
const PART = 2
const BY = 'alice'
const [, REASON = ''] = REASONS

/** An export that was made some hours ago and fetched whole, with the reason for it; and reasons that the account keeps. */
export async function seedDemoExports(ctx: Pick<AppContext, 'db' | 'now'>, client: string): Promise<void> {
  const account = await findClient(ctx.db, client)
  if (!account) return
  const made = ctx.now() - 3 * 3600
  await ctx.db.write(account.client_id, async (tx) => {
    await keepReasonsIfNone(tx, REASONS)
    const chosen = (await findToReview(tx, OF, NEWEST + MOST)).slice(NEWEST)
    const references = chosen.map(({ payload_reference }) => payload_reference)
    const subjects = await findDataSubjects(tx, references)
    const sizeOf = (reference: string) =>
      subjects.get(reference)?.objects.find(({ kind }) => kind === ORIGINAL)?.size ?? 0
    const parts = []
    for (let i = 0; i < references.length; i += PART) {
      const payload_references = references.slice(i, i + PART)
      const size = payload_references.reduce((sum, reference) => sum + sizeOf(reference), 0)
      parts.push({ payload_references, size })
    }
    const refused = references.filter((reference) => sizeOf(reference) === 0).length
    const export_id = newId()
    await insertExport(tx, { export_id, made_by: BY, reason: REASON, refused, is_cut: false, parts }, made)
    const query = { payload_types: [OF.payload_type], groups: [OF.group] }
    const exported = { by: BY, action: 'payloads:export' }
    await noteDemoAct(ctx, tx, { ...exported, at: made, parameters: { query, body: { reason: REASON } } })
    for (const [i, { payload_references }] of parts.entries()) {
      const [part, at] = [i + 1, made + 60 * (i + 1)]
      await noteFetched(tx, { export_id, part }, at)
      await noteDemoAct(ctx, tx, { ...exported, at, parameters: { params: { export_id, part } } })
      for (const { payload_id, payload_reference } of chosen) {
        if (!payload_references.includes(payload_reference) || sizeOf(payload_reference) === 0) continue
        const parameters = { payload_reference, kind: ORIGINAL, reason: REASON }
        await noteDemoAct(ctx, tx, { by: BY, at, action: 'payloads:download', parameters, payload_id })
      }
    }
  })
}
