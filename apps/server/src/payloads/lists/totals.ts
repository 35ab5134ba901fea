import type { Total } from '@custodia/contract'
import { actorOf, type Handler } from '../../http/context.ts'
import { resolveFilter } from './store/filter.ts'
import { readListTotal } from './store/total.ts'

/** Totals of several lists in one call, each of the caller's visible payloads. */
export const countPayloads: Handler<'countPayloads'> = ({ caller, readFromReplica }, { query }) =>
  readFromReplica(async (q) => {
    const totals: Total[] = []
    for (const each of query.filters) {
      const filter = await resolveFilter(q, caller.access, 'payloads:list', {
        ...each,
        reader: actorOf(caller),
      })
      totals.push(filter ? await readListTotal(q, filter, query.most) : { total: 0 })
    }
    return { totals }
  })
