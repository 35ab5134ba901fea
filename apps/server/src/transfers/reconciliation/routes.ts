import type { ReconciliationSummary } from '@custodia/contract'
import type { AppContext } from '../../app-context.ts'
import type { Handlers } from '../../http/context.ts'
import { pageOf } from '../../http/page.ts'
import { Problem } from '../../http/problem.ts'
import { timeRange } from '../../http/time-range.ts'
import { signedFile } from './reconcile.ts'
import { countReconciliations, findReconciliation, listReconciliations } from './reconciliation-store.ts'

type Rows = 'listTransferReconciliations' | 'readTransferReconciliation'

/** Routes of daily reconciliations. */
export const reconciliationRoutes = ({ cursors }: Pick<AppContext, 'cursors'>): Handlers<Rows> => ({
  listTransferReconciliations: (context, { query }) =>
    context.read(async (q) => {
      const { transfer_config_reference } = query
      const filter = { transfer_config_reference, ...timeRange(query) }
      if (query.type === 'total') return { total: await countReconciliations(q, filter) }
      return pageOf<ReconciliationSummary, readonly [string, string]>(
        cursors,
        { name: 'transfer_reconciliations', client_id: context.caller.client_id, query },
        (after, limit) => listReconciliations(q, filter, after, limit),
        (row) => [row.payload_date, row.transfer_config_reference],
      )
    }),
  readTransferReconciliation: async ({ read }, { params }) => {
    const found = await read((q) => findReconciliation(q, params.reconciliation_reference))
    if (!found) throw new Problem('not_found', { detail: 'no such reconciliation' })
    return signedFile(found)
  },
})
