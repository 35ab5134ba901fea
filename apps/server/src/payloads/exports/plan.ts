import { EXPORT_LIMIT, EXPORT_PART_LIMIT, type PayloadSummary } from '@custodia/contract'
import { dataStatus } from '@custodia/domain'
import { actorOf, type PortalContext } from '../../http/context.ts'
import { ORIGINAL } from '../data-objects.ts'
import { type ListQuery, resolveFilter } from '../lists/store/filter.ts'
import { readListPage } from '../lists/store/page.ts'
import type { ListKey } from '../lists/store/place.ts'
import { findDataSubjects } from '../store.ts'
import type { PlannedPart } from './export-store.ts'

/** Rows per read. */
const PAGE = 200

/** The action that permits exports of payloads that the caller may also download. */
export const EXPORT_ACTION = 'payloads:export'

/** The parts of an export, as the creator may see the data now. */
export interface Plan {
  parts: PlannedPart[]
  refused: number
  is_cut: boolean
}

/**
 * Cuts the list of a filter into parts of at most `most` bytes and a number of recordings. Unavailable
 * recordings are included, and their part gives the reason.
 */
export async function planExport(context: PortalContext, query: ListQuery, most: number): Promise<Plan> {
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
