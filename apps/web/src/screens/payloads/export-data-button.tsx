import {
  LIST_EXTRAS,
  type Mark,
  PayloadReference,
  type PayloadSummary,
  type PayloadType,
  SERVICE_TYPES,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useRouter } from '@tanstack/react-router'
import { createElement, lazy } from 'react'
import * as z from 'zod/mini'
import { api } from '../../api/api.ts'
import { useMay } from '../../api/use-profile.ts'
import { WEEK } from '../../components/lists/date-range.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import type { BuiltInView } from '../../components/lists/list-definition.ts'
import { several } from '../../components/lists/list-search.ts'
import { withTexts } from '../../i18n/i18n.ts'
import { ExportButton } from './actions/export-button.tsx'
import { markKey } from './actions/mark-keys.ts'
import { PAYLOAD_DATES, payloadFilterFields } from './payload-choices.ts'
import { payloadColumns, payloadCsvAlways } from './payload-columns.ts'
import { isListening } from './player/listener.ts'
import { followPlayback, requestPlayback } from './player/pending-playback.ts'
import { setReviewQueue } from './review-queue.ts'
import { getDetail, type ScreenService, SERVICES } from './services.ts'

/** API query for the filters of an address. */
type QueryOf = (search: object) => object

/** Exports a list's data, as filtered. */
function ExportListButton({ getQuery }: { getQuery: QueryOf }) {
  const router = useRouter()
  return <ExportButton getChosen={() => ({ query: getQuery(router.latestLocation.search) })} />
}

/** Predefined views for every reviewer. */
export const VIEWS: readonly BuiltInView[] = [
  { name: 'week', label: msg`Last 7 days`, search: { from: WEEK } },
  { name: 'attention', label: msg`Needs attention`, search: { states: ['Failed', 'Quarantined'] } },
  { name: 'unreviewed', label: msg`Not reviewed`, search: { mark: 'none' } },
  { name: 'flagged', label: msg`Flagged by me`, search: { mark: 'flagged', marked_by_me: true } },
  { name: 'late', label: msg`Late`, search: { is_late: true } },
]

const markWith = (mark: Mark) => markKey(({ markRows }, references) => markRows(references, mark))

/** Keys of a list that mark its rows, and undo it. */
export const MARK_KEYS = {
  rowKeys: { r: markWith('reviewed'), f: markWith('flagged'), e: markWith('escalated') },
  pageKeys: { z: markKey(({ undoMarks }) => undoMarks()) },
} as const

/** Rows with a recording, for a reader who may play it. */
function useCanHear() {
  const mayPlay = useMay()('payloads:play')
  return ({ payload_state }: PayloadSummary) =>
    mayPlay && (payload_state === 'Processed' || payload_state === 'Transferred')
}

/** List of one service: `/dashboard/services/calls?payload_types=Call,BlockedCall&date_filter=processed_at&from=-7d`. */
export function payloadList(service: ScreenService) {
  const { title, icon, noMatch, noneYet, comes, columns, list, getShortName, hasSound, ...look } =
    SERVICES[service]
  const types: readonly PayloadType[] = SERVICE_TYPES[service]
  const defined = defineList({
    name: service,
    call: 'listPayloads',
    api,
    to: list,
    key: PayloadReference,
    own: { payload_types: several(z.enum(types)) },
    refine: () => ({ include: [...LIST_EXTRAS], service }),
    title,
    icon,
    noMatch,
    empty: { title: noneYet, description: comes },
    columns: payloadColumns(columns),
    views: VIEWS,
    filters: payloadFilterFields(service, types),
    dates: PAYLOAD_DATES,
    csvAlways: payloadCsvAlways,
    getKey: (row) => row.payload_reference,
    rowTitle: getShortName,
    ...(hasSound && {
      hear: requestPlayback,
      useCanHear,
      isSideBySide: true,
      onFollow: (from, to) => followPlayback(from, to, isListening(from)),
    }),
    ...MARK_KEYS,
    ...('hasPicture' in look && { Tile: lazy(() => import('./payload-tile.tsx')) }),
    BulkActions: lazy(() => withTexts('lazy', import('./actions/bulk-acts.tsx'))),
    actsOnMatching: true,
    // A row without a page opens its preview.
    ...('detail' in SERVICES[service] && {
      detail: ({ payload_reference }: PayloadSummary) => getDetail(service, payload_reference),
    }),
    Preview: lazy(() => import('./payload-preview.tsx')),
    beforeOpen: ({ keys, ...shown }) => setReviewQueue({ ...shown, references: keys, service }),
  })
  const getQuery = (search: object) => defined.getQuery(defined.parse(search), Date.now())
  return { ...defined, primaryAction: createElement(ExportListButton, { getQuery }) }
}
