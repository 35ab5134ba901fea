import { PAYLOAD_STATES, PAYLOAD_TYPES, PayloadReference, type PayloadSummary } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { lazy } from 'react'
import { api } from '../../api/api.ts'
import { deviceTab } from '../../components/devices/device-at.ts'
import { defineList } from '../../components/lists/define-list.tsx'
import type { ListDefinition } from '../../components/lists/list-definition.ts'
import type { ListSearch } from '../../components/lists/list-search.ts'
import { GROUP_FILTER } from '../../components/record-filters.ts'
import { PAYLOAD_STATE_WORDS, PAYLOAD_TYPE_WORDS } from '../../components/words/payload-words.ts'
import { wordFilter } from '../../components/words/spec-word.tsx'
import { ALTERED_FILTER, PAYLOAD_DATES } from './payload-choices.ts'
import { payloadColumns, payloadCsvAlways } from './payload-columns.ts'
import { getDetail, screenService, SERVICES } from './services.ts'

const shared = {
  key: PayloadReference,
  part: { tab: 'recordings' },
  title: msg`Recordings`,
  icon: 'wave',
  columns: payloadColumns([
    'time',
    // Columns of every row.
    ['type', { stacked: 'lead' }],
    'direction',
    ['parties', { stacked: 'line' }],
    'duration',
    'state',
    'group',
    'flags',
    ['user', { isOptional: true }],
    'device',
    ['reference', { isOptional: true }],
    'processed',
    'updated',
  ]),
  filters: [
    { kind: 'search', name: 'search', label: msg`Search`, placeholder: msg`Number, name or reference` },
    GROUP_FILTER,
    wordFilter('payload_types', msg`Type`, PAYLOAD_TYPE_WORDS, { values: PAYLOAD_TYPES }),
    wordFilter('states', msg`State`, PAYLOAD_STATE_WORDS, { values: PAYLOAD_STATES }),
    { kind: 'text', name: 'number', label: msg`Number`, placeholder: msg`Number, as recorded` },
    { kind: 'flag', name: 'is_late', label: msg`Late only` },
    ALTERED_FILTER,
  ],
  dates: PAYLOAD_DATES,
  csvAlways: payloadCsvAlways,
  noMatch: msg`No recordings match`,
  getKey: (row: PayloadSummary) => row.payload_reference,
  Preview: lazy(() => import('./payload-preview.tsx')),
} as const

/** Link to a payload's page; to its preview where its type has no page. */
const led = <Query>(list: ListDefinition<PayloadSummary, Query>): ListDefinition<PayloadSummary, Query> => ({
  ...list,
  rowTitle: (row, i18n) => {
    const service = screenService(row.payload_type)
    return service ? SERVICES[service].getShortName(row, i18n) : i18n._(PAYLOAD_TYPE_WORDS[row.payload_type])
  },
  detail: (row: PayloadSummary, search: ListSearch) => {
    const service = screenService(row.payload_type)
    return service
      ? getDetail(service, row.payload_reference)
      : list.address({ ...search, preview: row.payload_reference })
  },
})

/** Recordings of a person's devices, as a tab of their page. */
export const payloadsOfUser = (device_user_reference: string) =>
  led(
    defineList({
      ...shared,
      name: `payloads of person ${device_user_reference}`,
      kind: 'payloads-of-person',
      call: 'listPayloadsOfUser',
      api: api,
      path: { device_user_reference },
      to: '/dashboard/devices/users/$device_user_reference',
      params: { device_user_reference },
      empty: {
        title: msg`No recordings yet`,
        description: msg`Recordings appear here after this person’s phones upload them.`,
      },
    }),
  )

/** Recordings of a device, as a tab of its page. */
export function payloadsOfDevice(device_reference: string) {
  return led(
    defineList({
      ...shared,
      name: `payloads of device ${device_reference}`,
      kind: 'payloads-of-device',
      call: 'listPayloadsOfDevice',
      api: api,
      path: { device_reference },
      ...deviceTab(device_reference, 'recordings'),
      empty: {
        title: msg`No recordings yet`,
        description: msg`Recordings appear here after this device uploads them.`,
      },
    }),
  )
}
