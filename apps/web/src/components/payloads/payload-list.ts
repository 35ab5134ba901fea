import { type PayloadSummary, type PayloadType, SERVICE_TYPES, type Service } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { lazy } from 'react'
import type { ListColumn, ListDefinition } from '../lists/list-definition.ts'
import { setReviewQueue } from './review-queue.ts'
import { PAYLOAD_DATES, payloadFilterFields } from './payload-choices.ts'
import { payloadCsvAlways } from './payload-columns.ts'
import { type PayloadFilters, payloadFilters } from './payload-filters.ts'
import { readPayloadPage, readPayloadTotal } from './payload-pages.ts'

const Preview = lazy(() => import('./payload-preview.tsx'))

export type PayloadList = ListDefinition<PayloadSummary, PayloadFilters>

/** Views that every reviewer finds ready. */
const VIEWS: PayloadList['views'] = [
  { name: 'week', label: msg`Last 7 days`, search: { from: '-7d' } },
  { name: 'attention', label: msg`Needs attention`, search: { states: ['Failed', 'Quarantined'] } },
  { name: 'late', label: msg`Late`, search: { late: true } },
]

/** The list of one service: what all payload lists share, and what is the service's own. */
export function payloadList(
  service: Service,
  own: Pick<PayloadList, 'title' | 'icon' | 'noMatch' | 'empty' | 'address' | 'detail'> & {
    columns: readonly ListColumn<PayloadSummary>[]
  },
): PayloadList {
  const types: readonly PayloadType[] = SERVICE_TYPES[service]
  return {
    ...own,
    views: VIEWS,
    name: service,
    call: 'listPayloads',
    permission: 'payloads:list',
    filters: payloadFilterFields(types),
    dates: PAYLOAD_DATES,
    csvAlways: payloadCsvAlways,
    keyOf: (row) => row.payload_reference,
    queryOf: (search, now) => payloadFilters(service, search, now),
    readPage: readPayloadPage,
    readTotal: readPayloadTotal,
    Preview,
    beforeOpen: setReviewQueue,
  }
}
