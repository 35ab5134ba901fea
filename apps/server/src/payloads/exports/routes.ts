import { type DataExport, EXPORT_LIMIT, EXPORT_PART_LIMIT, type ExportContent } from '@custodia/contract'
import { dataStatus } from '@custodia/domain'
import { findAskedReasons } from '../../access/access-days-store.ts'
import { assertReason, noteAccess } from '../../access/note-access.ts'
import type { AppContext } from '../../app-context.ts'
import { listClients } from '../../clients/store.ts'
import { findMatterUsers } from '../../held-records/store.ts'
import { getActor, type Handler, type Handlers, type PortalContext } from '../../http/context.ts'
import { newId } from '../../http/new-id.ts'
import { Problem } from '../../http/problem.ts'
import { periodicJob } from '../../jobs/kind.ts'
import type { Tx } from '../../ports/database/lease.ts'
import { EXPORT_ACTION } from '../data/address.ts'
import { getArchive } from '../data/archive.ts'
import { type ExportedFiles, exportedObjects } from '../data/data.ts'
import { type PageReferences, chosenPages, type ReadSearchPage } from '../lists/matching.ts'
import type { ListQuery } from '../lists/store/filter.ts'
import { type DataSubject, findDataSubjects } from '../store.ts'
import {
  deleteExport,
  findPart,
  forgetEndedExports,
  insertExport,
  listExports,
  noteFetched,
  type PlannedPart,
} from './export-store.ts'

/** The action that shows the people of a legal matter. */
const MATTER_ACTION = 'account.legal_matters:read'

/** The parts of an export, as the creator may see the data now. */
interface Plan {
  parts: PlannedPart[]
  refused: number
  is_cut: boolean
}

type ExportInput = Parameters<Handler<'createExport'>>[1]['body']

/**
 * Cuts the chosen recordings into parts of at most `most` bytes and a number of recordings. Unavailable recordings are
 * included, and their part gives the reason.
 */
async function planExport(
  context: PortalContext,
  pages: AsyncIterable<PageReferences>,
  files: ExportedFiles,
  most: number,
): Promise<Plan> {
  const plan: Plan = { parts: [], refused: 0, is_cut: false }
  let count = 0
  for await (const { references, hasMore } of pages) {
    const taken = references.slice(0, EXPORT_LIMIT - count)
    const subjects = await context.read((q) => findDataSubjects(q, taken))
    for (const reference of taken) {
      const size = getSize(context, subjects.get(reference), files)
      if (size === undefined) plan.refused++
      place(plan.parts, reference, size ?? 0, most)
    }
    count += taken.length
    plan.is_cut = taken.length < references.length || (count === EXPORT_LIMIT && hasMore)
    if (count === EXPORT_LIMIT) break
  }
  return plan
}

/** Bytes of the files of a payload; undefined when the caller may have none of them. */
function getSize(
  { caller: { access } }: PortalContext,
  payload: DataSubject | undefined,
  files: ExportedFiles,
): number | undefined {
  const status = dataStatus({ action: 'payloads:download', also: EXPORT_ACTION, access, payload })
  const objects = status === 'Ok' && payload ? exportedObjects(payload, files) : []
  return objects.length === 0 ? undefined : objects.reduce((sum, { size }) => sum + size, 0)
}

const getFiles = (contents: readonly ExportContent[]): ExportedFiles => ({
  originals: contents.includes('originals'),
  playable: contents.includes('playable'),
})

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
  readSearchPage: ReadSearchPage,
): Handlers<'createExport' | 'deleteExport' | 'listExports' | 'readExportPart'> => ({
  createExport: (context, { query, body }) => {
    const { matter_id } = body
    const pages =
      matter_id === undefined
        ? chosenPages(context, query, body, readSearchPage)
        : matterPages(context, query, matter_id, readSearchPage)
    return makeExport(context, pages, body)
  },
  listExports: ({ caller, now, read }) =>
    read(async (q) => ({ data: await listExports(q, getActor(caller), now) })),
  readExportPart: readPart(ctx),
  deleteExport: async (context, { params: { export_id } }) => {
    const made_by = getActor(context.caller)
    if (!(await context.write((tx) => deleteExport(tx, made_by, export_id)))) throw new Problem('not_found')
    return { export_id }
  },
})

/** The recordings of the people in a legal matter, one person after the other. Problems: not_permitted, not_found. */
async function* matterPages(
  context: PortalContext,
  query: ListQuery,
  matter_id: string,
  readSearchPage: ReadSearchPage,
): AsyncGenerator<PageReferences> {
  if (!context.caller.access.may(MATTER_ACTION)) throw new Problem('not_permitted', { detail: MATTER_ACTION })
  const found = await context.read((q) => findMatterUsers(q, matter_id))
  if (!found) throw new Problem('not_found', { detail: 'no such matter' })
  const { device_user_reference: only } = query
  const people = found.filter((each) => only === undefined || each === only)
  for (const [index, device_user_reference] of people.entries())
    for await (const page of chosenPages(context, { ...query, device_user_reference }, {}, readSearchPage))
      yield { ...page, hasMore: page.hasMore || index < people.length - 1 }
}

/** Makes an export of a list for the caller; `also` runs in its transaction. Problem: reason_required. */
export const exportList = (
  context: PortalContext,
  query: ListQuery,
  { evidence, ...asked }: Pick<ExportInput, 'reason' | 'part_megabytes' | 'locale'> & { evidence: boolean },
  also: (tx: Tx, made: DataExport) => Promise<void>,
): Promise<DataExport> => {
  const noSearch = () => Promise.reject(new Error('a list has no words'))
  // A person outside of the archive may have no player for what devices record.
  const more = evidence ? (['playable', 'evidence'] as const) : []
  const contents: ExportContent[] = ['originals', 'csv', 'report', ...more]
  const pages = chosenPages(context, query, {}, noSearch)
  return makeExport(context, pages, { ...asked, contents }, also)
}

/** Makes an export of chosen recordings for the caller. Problem: reason_required. */
async function makeExport(
  context: PortalContext,
  pages: AsyncIterable<PageReferences>,
  {
    reason,
    part_megabytes,
    contents,
    locale,
  }: Omit<ExportInput, 'payload_references' | 'matter_id' | 'words'>,
  also?: (tx: Tx, made: DataExport) => Promise<void>,
): Promise<DataExport> {
  const { caller, now } = context
  assertReason(await context.read(findAskedReasons), reason)
  const plan = await planExport(context, pages, getFiles(contents), part_megabytes * MEGABYTE)
  const made_by = getActor(caller)
  const export_id = newId()
  const recordings = plan.parts.reduce((sum, part) => sum + part.payload_references.length, 0)
  context.noteFacts({ export_id, recordings })
  return context.write(async (tx) => {
    await insertExport(tx, { ...plan, export_id, made_by, reason: reason ?? null, contents, locale }, now)
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
    const found = await context.read((q) => findPart(q, getActor(caller), now, params))
    if (!found) throw new Problem('not_found', { detail: 'no such part of an export of the caller' })
    const { payload_references, reason, contents, locale, parts } = found
    context.noteFacts({ recordings: payload_references.length })
    const { export_id, part } = params
    const bag = { name: `export-${export_id}-${part}`, export_id, part, parts, contents, locale }
    return getArchive(ctx, context, {
      payload_references,
      reason: reason ?? undefined,
      bag,
      files: getFiles(contents),
      needs: EXPORT_ACTION,
      also: (tx) => noteFetched(tx, params, now),
    })
  }
}

/** Deletes expired exports and their reasons; the audit log keeps their creators. */
export const purgeExports = periodicJob({
  name: 'exports.purge',
  every: 3600,
  async run(ctx) {
    const now = ctx.now()
    for (const { client_id } of await listClients(ctx.db))
      await ctx.db.write(client_id, (tx) => forgetEndedExports(tx, now))
  },
})
