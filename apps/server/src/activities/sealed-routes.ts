import { SEALED_LIMIT, type SealedProof } from '@custodia/contract'
import { proveConsistency, proveInclusion, toHex } from '@custodia/sealed-log'
import type { AppContext } from '../app-context.ts'
import type { Handlers, PortalContext } from '../http/context.ts'
import { Problem } from '../http/problem.ts'
import { findCheckpoint, readCheckpoints } from '../sealed-log/checkpoint-store.ts'
import { findPosition, getNodes, readSealed, withFields } from '../sealed-log/entry-store.ts'
import { readContradictions, readHolders } from '../sealed-log/holder-store.ts'
import { keyTexts, noteKeys, sha256 } from '../sealed-log/notes.ts'

/** Checkpoints that `readSealedLog` lists. */
const LISTED = 20

/** The sealed log: its checkpoints, entries and proofs. */
export const sealedLogRoutes = (
  ctx: Pick<AppContext, 'keys'>,
): Handlers<
  'readSealedLog' | 'listSealedEntries' | 'proveConsistency' | 'proveActivity' | 'proveDeviceActivity'
> => ({
  readSealedLog: async (context) => {
    const { found, holders, contradictions } = await context.read(async (q) => ({
      found: await readCheckpoints(q, LISTED),
      holders: await readHolders(q),
      contradictions: await readContradictions(q),
    }))
    const checkpoints = found.map(({ size, signed_at, checkpoint }) => ({ size, signed_at, checkpoint }))
    const [newest] = checkpoints
    return {
      size: newest?.size ?? 0,
      sealed_at: newest?.signed_at ?? null,
      keys: keyTexts(await noteKeys(ctx.keys, context.caller.client)),
      checkpoints,
      holders: holders.map((each) => ({ ...each, receipt: each.receipt?.toString('base64') ?? null })),
      contradictions,
    }
  },
  listSealedEntries: (context, { query: { from_position: from = 0 } }) =>
    context.read(async (q) => {
      const [newest] = await readCheckpoints(q, 1)
      const to = Math.min(from + SEALED_LIMIT, newest?.size ?? 0)
      const entries = await readSealed(q, { client_id: q.client_id, from, to })
      return { data: await withFields(q, context.caller.access, entries) }
    }),
  proveConsistency: (context, { query }) =>
    context.read(async (q) => {
      const former = await findCheckpoint(q, query.former)
      const latter =
        query.size === undefined ? (await readCheckpoints(q, 1))[0] : await findCheckpoint(q, query.size)
      if (!former || !latter || former.size > latter.size) throw new Problem('not_found')
      const proof = await proveConsistency(sha256, getNodes(q, q.client_id), former.size, latter.size)
      return {
        format: 'custodia-sealed-log-consistency/1' as const,
        former: former.checkpoint,
        checkpoint: latter.checkpoint,
        proof: proof.map(toHex),
      }
    }),
  proveActivity: (context, { params }) => prove(context, 'portal_activities', params.log_id),
  proveDeviceActivity: (context, { params }) => prove(context, 'device_activities', params.log_id),
})

/** The proof of an entry that the caller may read. Problem: not_found, also until it is sealed. */
const prove = (context: PortalContext, source: string, log_id: string): Promise<SealedProof> =>
  context.read(async (q) => {
    const position = await findPosition(q, source, log_id)
    const [newest] = await readCheckpoints(q, 1)
    if (position === undefined || !newest || position >= newest.size) throw new Problem('not_found')
    const range = { client_id: q.client_id, from: position, to: position + 1 }
    const [entry] = await withFields(q, context.caller.access, await readSealed(q, range))
    if (entry?.fields === undefined) throw new Problem('not_found')
    const proof = await proveInclusion(sha256, getNodes(q, q.client_id), position, newest.size)
    return {
      format: 'custodia-sealed-log-proof/1' as const,
      checkpoint: newest.checkpoint,
      ...entry,
      proof: proof.map(toHex),
    }
  })
