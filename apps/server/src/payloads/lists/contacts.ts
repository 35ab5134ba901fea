import {
  type Contacts,
  CONTACTS_COUNTED,
  CONTACTS_NAMED,
  type Service,
  SERVICES,
  type Total,
} from '@custodia/contract'
import { sameNumber } from '@custodia/domain'
import { getActor, type Handler } from '../../http/context.ts'
import { SERVICE_CODES } from '../../payload-records/codes.ts'
import type { Queryable } from '../../ports/database/lease.ts'
import { type ContactCount, countContacts, findNames } from './store/contacts.ts'
import { type ListFilter, resolveFilter } from './store/filter.ts'
import { readListTotal } from './store/total.ts'

/**
 * How often a number occurs, and with which people: counted over the filtered list, so it reveals nothing more than the
 * list.
 */
export const readContacts: Handler<'readContacts'> = ({ caller: { access }, readFromReplica }, { query }) =>
  readFromReplica(async (q) => {
    const filter = sameNumber(query.number)
    const list = await resolveFilter(q, access, 'payloads:list', {
      ...filter,
      date_filter: 'payload_time',
      order: 'newest',
    })
    const counted = list ? await countServices(q, list) : []
    const people = getPeople(counted)
    const named = people.slice(0, CONTACTS_NAMED)
    const names = await findNames(
      q,
      named.map(({ device_user_id }) => device_user_id),
    )
    return {
      filter,
      services: getTotals(counted),
      people_total: {
        total: people.length,
        ...(counted.some(({ is_capped }) => is_capped) && { is_capped: true }),
      },
      people: named.flatMap(({ device_user_id, counts }) => {
        const person = names.get(device_user_id)
        if (person === undefined) return []
        const { device_user_reference, first_name, surname } = person
        const name = [first_name, surname].filter(Boolean).join(' ') || null
        return [{ device_user_reference, name, services: getTotals(counts) }]
      }),
    }
  })

/** The count of a service and a person; `is_capped`: there may be more. */
interface CappedCount extends ContactCount {
  is_capped: boolean
}

/**
 * Counts all services together, which is complete for nearly every number. Above `most` it counts the newest `most`,
 * and each service that is missing from these on its own.
 */
export async function countServices(
  q: Queryable,
  list: ListFilter,
  most = CONTACTS_COUNTED,
): Promise<CappedCount[]> {
  const { counts, is_capped } = await countContacts(q, list, most)
  const counted: CappedCount[] = counts.map((count) => ({ ...count, is_capped }))
  if (!is_capped) return counted
  const found = new Set<number>(counts.map(({ service }) => SERVICE_CODES[service]))
  for (const service of new Set(list.scope.map((part) => part.service))) {
    if (found.has(service)) continue
    const scope = list.scope.filter((part) => part.service === service)
    const ofService = await countContacts(q, { ...list, scope }, most)
    counted.push(...ofService.counts.map((count) => ({ ...count, is_capped: ofService.is_capped })))
  }
  return counted
}

function getTotals(counted: readonly CappedCount[]): Contacts['services'] {
  const totals = new Map<Service, Contacts['services'][number]>()
  for (const { service, count, is_capped } of counted) {
    const total = (totals.get(service)?.total ?? 0) + count
    totals.set(service, { service, total, ...(is_capped && { is_capped }) })
  }
  return SERVICES.flatMap((service) => totals.get(service) ?? [])
}

/** People with their counts, highest first. */
function getPeople(counted: readonly CappedCount[]): { device_user_id: number; counts: CappedCount[] }[] {
  const people = new Map<number, CappedCount[]>()
  for (const each of counted)
    if (each.device_user_id !== null)
      people.set(each.device_user_id, [...(people.get(each.device_user_id) ?? []), each])
  const sum = (counts: readonly CappedCount[]) => counts.reduce((all, { count }) => all + count, 0)
  return [...people]
    .map(([device_user_id, counts]) => ({ device_user_id, counts }))
    .toSorted((a, b) => sum(b.counts) - sum(a.counts) || a.device_user_id - b.device_user_id)
}

/** Totals of several lists in one call, each of the caller's visible payloads. */
export const countPayloads: Handler<'countPayloads'> = ({ caller, readFromReplica }, { query }) =>
  readFromReplica(async (q) => {
    const totals: Total[] = []
    for (const each of query.filters) {
      const filter = await resolveFilter(q, caller.access, 'payloads:list', {
        ...each,
        reader: getActor(caller),
      })
      totals.push(filter ? await readListTotal(q, filter, query.most) : { total: 0 })
    }
    return { totals }
  })
