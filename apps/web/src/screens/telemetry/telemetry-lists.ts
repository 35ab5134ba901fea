import {
  internalTelemetryEndpoints,
  type ProviderTelemetryRow,
  TimestampUuid,
  telemetryEndpoints,
  type TelemetryRow,
  text,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { lazy } from 'react'
import { internalTelemetryApi } from '../../api/internal-api.ts'
import { telemetryApi } from '../../api/fleet-api.ts'
import { useClientOptions } from '../../components/clients/clients.ts'
import { deviceAt } from '../../components/devices/device-at.ts'
import { columnsOf } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { one } from '../../components/lists/list-search.ts'
import { useGroupOptions } from '../payloads/payload-choices.ts'
import { telemetryColumns } from './telemetry-columns.tsx'
import { TELEMETRY_FILTERS, TELEMETRY_VIEWS } from './telemetry-words.ts'

const columns = telemetryColumns<TelemetryRow>()
const column = columnsOf<TelemetryRow>()
const { time, ahead, model, os_version, app_version, battery, storage, queue, services, network, received } =
  columns

const shared = {
  key: TimestampUuid,
  own: { preview: one(text(1, 400)) },
  title: msg`Telemetry`,
  icon: 'device',
  dates: [{ value: 'telemetry_time', label: msg`Time` }],
  noMatch: msg`No reports match`,
  // A device assigns its own report ids: two devices may use the same.
  keyOf: (row: TelemetryRow) => `${row.telemetry_id} ${row.device_reference} ${row.telemetry_time}`,
  rowTitle: (row: TelemetryRow) => row.facts.model,
  Preview: lazy(() => import('./telemetry-preview.tsx')),
} as const

/** Telemetry of all visible devices. */
export const telemetry = defineList({
  ...shared,
  name: 'telemetry',
  call: 'listTelemetry',
  row: telemetryEndpoints.listTelemetry,
  ask: telemetryApi.listTelemetry,
  to: '/dashboard/devices',
  part: { tab: 'telemetry' },
  views: [{ name: 'latest', label: msg`Latest per phone`, search: { latest: true } }, ...TELEMETRY_VIEWS],
  columns: [
    time,
    ahead,
    column.text('user', msg`Device user`, (row) => row.device_user_reference, {
      width: 130,
      grow: 0.6,
      stacked: 'line',
    }),
    model,
    battery,
    storage,
    queue,
    services,
    network,
    os_version,
    app_version,
    column.reference('device', msg`Device`, (row) => row.device_reference, { width: 110 }),
    column.text('group', msg`Group`, (row) => row.group, { width: 100, grow: 0.4 }),
    received,
  ],
  filters: [
    { name: 'latest', kind: 'flag', label: msg`Latest per phone` },
    ...TELEMETRY_FILTERS,
    { name: 'groups', kind: 'choice', label: msg`Group`, useOptions: useGroupOptions },
    { name: 'device_reference', kind: 'text', label: msg`Device` },
    { name: 'device_user_reference', kind: 'text', label: msg`Device user` },
  ],
  empty: {
    title: msg`No telemetry yet`,
    description: msg`Reports appear here after phones upload them.`,
  },
})

/** Telemetry of one device, as a tab of its page. */
export function telemetryOfDevice(device_reference: string) {
  const { to, params, search } = deviceAt(device_reference)
  return defineList({
    ...shared,
    name: `telemetry of device ${device_reference}`,
    kind: 'telemetry-of-device',
    call: 'listTelemetryOfDevice',
    row: telemetryEndpoints.listTelemetryOfDevice,
    ask: (input, options) =>
      telemetryApi.listTelemetryOfDevice({ ...input, params: { device_reference } }, options),
    to,
    params,
    part: { ...(search as Record<string, string> | undefined), tab: 'reports' },
    views: TELEMETRY_VIEWS,
    columns: [
      time,
      ahead,
      battery,
      storage,
      queue,
      services,
      network,
      os_version,
      app_version,
      model,
      received,
    ],
    filters: TELEMETRY_FILTERS,
    empty: {
      title: msg`No telemetry yet`,
      description: msg`Reports appear here after this device uploads them.`,
    },
  })
}

const provided = telemetryColumns<ProviderTelemetryRow>()
const providedBy = columnsOf<ProviderTelemetryRow>()

/** Newest report of each device of all clients, for provider staff. */
export const telemetryOfClients = defineList({
  name: 'telemetry-of-clients',
  call: 'listTelemetryOfClients',
  row: internalTelemetryEndpoints.listTelemetryOfClients,
  ask: ({ query }, options) => {
    const { clients, ...rest } = query
    const [client, ...others] = clients ?? []
    return client !== undefined && others.length === 0
      ? internalTelemetryApi.listTelemetryOfClient({ params: { client }, query: rest }, options)
      : internalTelemetryApi.listTelemetryOfClients({ query }, options)
  },
  to: '/internal/statistics',
  part: { tab: 'telemetry' },
  key: text(1, 400),
  own: { preview: one(text(1, 400)) },
  title: msg`Telemetry`,
  icon: 'device',
  views: TELEMETRY_VIEWS,
  columns: [
    provided.time,
    providedBy.text('client', msg`Client`, (row) => row.client, { width: 110, stacked: 'line' }),
    provided.model,
    provided.os_version,
    provided.app_version,
    provided.battery,
    provided.storage,
    provided.queue,
    provided.services,
    provided.network,
    providedBy.reference('device', msg`Device`, (row) => row.device_reference ?? '', { width: 110 }),
    provided.received,
  ],
  filters: [
    { kind: 'choice', name: 'clients', label: msg`Client`, useOptions: useClientOptions },
    ...TELEMETRY_FILTERS,
  ],
  noMatch: msg`No reports match`,
  empty: {
    title: msg`No telemetry yet`,
    description: msg`The latest report of each client’s phones appears here, without their holders.`,
  },
  keyOf: (row) => `${row.client} ${row.device_reference} ${row.telemetry_time} ${row.received_at}`,
  rowTitle: (row) => row.facts.model,
  Preview: lazy(() => import('./provider-telemetry-preview.tsx')),
})
