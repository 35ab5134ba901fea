import { type PayloadSummary, type PayloadType, SERVICE_TYPES } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { lazy } from 'react'
import type { ListDefinition } from '../lists/list-definition.ts'
import { setReviewQueue } from './review-queue.ts'
import { PAYLOAD_DATES, payloadFilterFields } from './payload-choices.ts'
import { payloadColumns, payloadCsvAlways } from './payload-columns.ts'
import { type PayloadFilters, payloadFilters } from './payload-filters.ts'
import { detailOf, listOf, type ScreenService, SERVICES } from './services.ts'
import { readPayloadPage, readPayloadTotal } from './payload-pages.ts'

const Preview = lazy(() => import('./payload-preview.tsx'))

type PayloadList = ListDefinition<PayloadSummary, PayloadFilters>

/** Views that every reviewer finds ready. */
const VIEWS: PayloadList['views'] = [
  { name: 'week', label: msg`Last 7 days`, search: { from: '-7d' } },
  { name: 'attention', label: msg`Needs attention`, search: { states: ['Failed', 'Quarantined'] } },
  { name: 'late', label: msg`Late`, search: { late: true } },
]

/** The list of one service. */
export function payloadList(service: ScreenService): PayloadList {
  const { title, icon, noMatch, noneYet, comes, columns } = SERVICES[service]
  const types: readonly PayloadType[] = SERVICE_TYPES[service]
  return {
    name: service,
    call: 'listPayloads',
    title,
    icon,
    noMatch,
    empty: { title: noneYet, description: comes },
    columns: payloadColumns(columns),
    views: VIEWS,
    permission: 'payloads:list',
    filters: payloadFilterFields(types),
    dates: PAYLOAD_DATES,
    csvAlways: payloadCsvAlways,
    keyOf: (row) => row.payload_reference,
    queryOf: (search, now) => payloadFilters(service, search, now),
    readPage: readPayloadPage,
    readTotal: readPayloadTotal,
    address: (search) => listOf(service, search),
    detail: ({ payload_reference }) => detailOf(service, payload_reference),
    Preview,
    beforeOpen: ({ keys, ...shown }) => setReviewQueue({ ...shown, references: keys, service }),
  }
}
