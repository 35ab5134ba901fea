import { type DataExport, EXPORT_LIMIT, EXPORT_PART_LIMIT, type PayloadSummary } from '@custodia/contract'
import { assertReason, noteAccess } from '../../access/note-access.ts'
import { findAskedReasons } from '../../access/access-days-store.ts'
import type { AppContext } from '../../app-context.ts'
import { actorOf, type Handler, type Handlers, type PortalContext } from '../../http/context.ts'
import { newId } from '../../http/new-id.ts'
import { Problem } from '../../http/problem.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { archiveOf } from '../data/archive.ts'
import { type ListQuery, resolveFilter } from '../lists/store/filter.ts'
import {
  deleteExport,
  findPart,
  forgetEndedExports,
  insertExport,
  listExports,
  noteFetched,
  type PlannedPart,
} from './export-store.ts'
import { dataStatus } from '@custodia/domain'
import { ORIGINAL } from '../data-objects.ts'
import { readListPage } from '../lists/store/page.ts'
import type { ListKey } from '../lists/store/place.ts'
import { findDataSubjects } from '../store.ts'
import * as z from 'zod/mini'
import { listClients } from '../../clients/store.ts'
import { jobKind } from '../../jobs/kind.ts'

/** Rows per read. */
const PAGE = 200

/** The action that permits exports of payloads that the caller may also download. */
const EXPORT_ACTION = 'payloads:export'

/** The parts of an export, as the creator may see the data now. */
interface Plan {
  parts: PlannedPart[]
  refused: number
  is_cut: boolean
}

/**
 * Cuts the list of a filter into parts of at most `most` bytes and a number of recordings. Unavailable
 * recordings are included, and their part gives the reason.
 */
async function planExport(context: PortalContext, query: ListQuery, most: number): Promise<Plan> {
  const { access } = context.caller
  const reader = actorOf(context.caller)
  const plan: Plan = { parts: [], refused: 0, is_cut: false }
  let count = 0
  let from: ListKey | undefined
  do {
    const page = await context.read(async (q) => {
      const filter = await resolveFilter(q, access, 'payloads:list', { ...query, reader })
      if (!filter) return undefined
      const { rows, next } = await readListPage(q, filter, Math.min(PAGE, EXPORT_LIMIT - count), from)
      const references = rows.map((row) => (JSON.parse(row) as PayloadSummary).payload_reference)
      return { references, next, subjects: await findDataSubjects(q, references) }
    })
    if (!page) return plan
    for (const reference of page.references) {
      const subject = page.subjects.get(reference)
      const original = subject?.objects.find(({ kind }) => kind === ORIGINAL)
      const status = dataStatus({
        action: 'payloads:download',
        also: EXPORT_ACTION,
        access,
        payload: subject,
      })
      const size = status === 'Ok' ? original?.size : undefined
      if (size === undefined) plan.refused++
      place(plan.parts, reference, size ?? 0, most)
    }
    count += page.references.length
    from = page.next
  } while (from !== undefined && count < EXPORT_LIMIT)
  plan.is_cut = from !== undefined
  return plan
}

function place(parts: PlannedPart[], reference: string, size: number, most: number): void {
  const last = parts.at(-1)
  if (last && last.payload_references.length < EXPORT_PART_LIMIT && last.size + size <= most) {
    last.payload_references.push(reference)
    last.size += size
  } else parts.push({ payload_references: [reference], size })
}

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

/** Deletes expired exports and their reasons; the audit log keeps their creators. */
export const purgeExports = jobKind({
  name: 'exports.purge',
  input: z.object({}),
  every: 3600,
  async run(ctx) {
    const now = ctx.now()
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => forgetEndedExports(tx, now))
  },
})
