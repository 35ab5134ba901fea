import type { DataExport } from '@custodia/contract'
import { noteAccess } from '../../access/note-access.ts'
import { findAskedReasons } from '../../access/access-days-store.ts'
import { assertReason } from '../../access/reasons.ts'
import type { AppContext } from '../../app-context.ts'
import { actorOf, type Handler, type Handlers, type PortalContext } from '../../http/context.ts'
import { newId } from '../../http/new-id.ts'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { archiveOf } from '../data/archive.ts'
import type { ListQuery } from '../lists/store/filter.ts'
import { deleteExport, findPart, insertExport, listExports, noteFetched } from './export-store.ts'
import { EXPORT_ACTION, planExport } from './plan.ts'

const MEGABYTE = 1024 * 1024

/** The endpoints of exports. */
export const exportRoutes = (
  ctx: AppContext,
): Handlers<'createExport' | 'deleteExport' | 'listExports' | 'readExportPart'> => ({
  createExport,
  listExports: ({ caller, now, read }) =>
    read(async (q) => ({ data: await listExports(q, actorOf(caller), now) })),
  readExportPart: readPart(ctx),
  deleteExport: async (context, { params: { export_id } }) => {
    const made_by = actorOf(context.caller)
    if (!(await context.write((tx) => deleteExport(tx, made_by, export_id)))) throw new Problem('not_found')
    return { export_id }
  },
})

const createExport: Handler<'createExport'> = (context, { query, body }) => makeExport(context, query, body)

/** Makes an export of a list for the caller; `also` runs in its transaction. Problem: reason_required. */
export async function makeExport(
  context: PortalContext,
  query: ListQuery,
  { reason, part_megabytes }: { reason?: string | undefined; part_megabytes: number },
  also?: (tx: Tx, made: DataExport) => Promise<void>,
): Promise<DataExport> {
  const { caller, now } = context
  assertReason(await context.read(findAskedReasons), reason)
  const plan = await planExport(context, query, part_megabytes * MEGABYTE)
  const made_by = actorOf(caller)
  const export_id = newId()
  return context.write(async (tx) => {
    await insertExport(tx, { ...plan, export_id, made_by, reason: reason ?? null }, now)
    if (!caller.is_client_app)
      await noteAccess(tx, {
        act: EXPORT_ACTION,
        at: now,
        actor: made_by,
        user_reference: caller.user_reference,
      })
    const [made] = await listExports(tx, made_by, now, export_id)
    if (!made) throw new Error('the export was not stored')
    await also?.(tx, made)
    return made
  })
}

/** Makes an address for a part. Each payload is checked again; the reason is the export's. */
function readPart(ctx: AppContext): Handler<'readExportPart'> {
  return async (context, { params }) => {
    const { caller, now } = context
    const found = await context.read((q) => findPart(q, actorOf(caller), now, params))
    if (!found) throw new Problem('not_found', { detail: 'no such part of an export of the caller' })
    const { payload_references, reason, parts } = found
    const { export_id, part } = params
    const bag = { name: `export-${export_id}-${part}`, part, parts }
    return archiveOf(ctx, context, {
      payload_references,
      reason: reason ?? undefined,
      bag,
      needs: EXPORT_ACTION,
      also: (tx) => noteFetched(tx, params, now),
    })
  }
}
