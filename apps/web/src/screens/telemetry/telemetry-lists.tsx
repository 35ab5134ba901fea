import {
  DEVICE_SERVICES,
  type DeviceFacts,
  LOW_BATTERY,
  LOW_STORAGE,
  type ProviderTelemetryRow,
  type TelemetryRow,
  text,
  TimestampUuid,
} from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { lazy } from 'react'
import { telemetryApi } from '../../api/fleet-api.ts'
import { internalTelemetryApi } from '../../api/internal-api.ts'
import { Marked } from '../../components/cells.tsx'
import { ClientCell, useClientOptions } from '../../components/clients/clients.tsx'
import { deviceTab } from '../../components/devices/device-at.ts'
import { ownerColumns } from '../../components/devices/owners.tsx'
import { getColumns } from '../../components/lists/columns.tsx'
import { defineList } from '../../components/lists/define-list.tsx'
import { ListPage } from '../../components/lists/list-page.tsx'
import { one } from '../../components/lists/list-search.ts'
import { DEVICE_FILTER, DEVICE_USER_FILTER, GROUP_FILTER } from '../../components/record-filters.ts'
import { serviceNames } from '../../components/words/service-words.ts'
import { clockAhead } from '../device-logs/log-columns.tsx'
import { formatSize } from '../payloads/formats.ts'
import { TELEMETRY_FILTERS, TELEMETRY_VIEWS } from './telemetry-words.ts'

/** Fields of every telemetry row. */
interface ReportedRow {
  telemetry_time: number
  received_at: number
  facts: DeviceFacts
}

function Battery({ row: { facts } }: { row: ReportedRow }) {
  const { i18n, t } = useLingui()
  const { battery_percentage, is_charging } = facts
  if (battery_percentage === undefined) return null
  const share = i18n.number(battery_percentage / 100, { style: 'percent' })
  if (battery_percentage >= LOW_BATTERY) return is_charging ? t`${share}, charging` : share
  return (
    <Marked icon="warning" tone="warn">
      {is_charging ? t`${share}, charging` : share}
    </Marked>
  )
}

function Storage({ row: { facts } }: { row: ReportedRow }) {
  const { i18n } = useLingui()
  const { storage_available } = facts
  if (storage_available === undefined) return null
  const size = formatSize(storage_available, i18n)
  if (storage_available >= LOW_STORAGE) return size
  return (
    <Marked icon="warning" tone="warn">
      {size}
    </Marked>
  )
}

function Services({ row: { facts } }: { row: ReportedRow }) {
  const { i18n } = useLingui()
  const on = DEVICE_SERVICES.filter((service) => facts.services?.[service])
  return serviceNames(on, i18n)
}

const getNetworks = ({ facts }: ReportedRow): string =>
  (facts.sims ?? [])
    .flatMap(({ network_operator_name, operator_name, network_type }) => {
      const operator = network_operator_name || operator_name
      return operator ? [network_type ? `${operator} (${network_type})` : operator] : []
    })
    .join(', ')

/** Columns of every telemetry list. */
function telemetryColumns<Row extends ReportedRow>() {
  const column = getColumns<Row>()
  return {
    ahead: clockAhead<Row>((row) => row.telemetry_time),
    time: column.moment('telemetry_time', msg`Time`, (row) => row.telemetry_time, {
      width: 160,
      stacked: 'line',
      time: 'telemetry_time',
    }),
    model: column.text('model', msg`Model`, (row) => row.facts.model, {
      width: 124,
      grow: 1,
      stacked: 'lead',
    }),
    os_version: column.text('os_version', msg`OS version`, (row) => row.facts.os_version, { width: 84 }),
    app_version: column.text('app_version', msg`App version`, (row) => row.facts.app_version, { width: 92 }),
    battery: column.drawn('battery', msg`Battery`, Battery, (row) => row.facts.battery_percentage, {
      width: 96,
      stacked: 'end',
    }),
    storage: column.drawn('storage', msg`Storage left`, Storage, (row) => row.facts.storage_available, {
      width: 112,
    }),
    queue: column.count('queue', msg`Upload queue`, (row) => row.facts.queue_payloads, { width: 92 }),
    services: column.drawn(
      'services',
      msg`Services recorded`,
      Services,
      (row) => DEVICE_SERVICES.filter((service) => row.facts.services?.[service]).join('; '),
      { width: 150, grow: 1 },
    ),
    network: column.text('network', msg`Network`, getNetworks, { width: 130, grow: 0.6 }),
    received: column.moment('received_at', msg`Received`, (row) => row.received_at, { isOptional: true }),
  }
}

const columns = telemetryColumns<TelemetryRow>()
const column = getColumns<TelemetryRow>()
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
  getKey: (row: TelemetryRow) => `${row.telemetry_id} ${row.device_reference} ${row.telemetry_time}`,
  rowTitle: (row: TelemetryRow) => row.facts.model,
  Preview: lazy(async () => ({ default: (await import('./telemetry-preview.tsx')).TelemetryPreview })),
} as const

const owner = ownerColumns<TelemetryRow>()

/** Telemetry of all visible devices. */
export const telemetry = defineList({
  ...shared,
  name: 'telemetry',
  call: 'listTelemetry',
  api: telemetryApi,
  to: '/dashboard/devices',
  part: { tab: 'telemetry' },
  views: [{ name: 'latest', label: msg`Latest per phone`, search: { latest: true } }, ...TELEMETRY_VIEWS],
  columns: [
    time,
    ahead,
    { ...owner.user, stacked: 'line' },
    model,
    battery,
    storage,
    queue,
    services,
    network,
    os_version,
    app_version,
    owner.device,
    column.text('group', msg`Group`, (row) => row.group, { width: 100, grow: 0.4 }),
    received,
  ],
  filters: [
    { name: 'latest', kind: 'flag', label: msg`Latest per phone` },
    ...TELEMETRY_FILTERS,
    GROUP_FILTER,
    DEVICE_FILTER,
    DEVICE_USER_FILTER,
  ],
  empty: {
    title: msg`No telemetry yet`,
    description: msg`Reports appear here after phones upload them.`,
  },
})

/** Telemetry of one device, as a tab of its page. */
export function telemetryOfDevice(device_reference: string) {
  return defineList({
    ...shared,
    name: `telemetry of device ${device_reference}`,
    kind: 'telemetry-of-device',
    call: 'listTelemetryOfDevice',
    api: telemetryApi,
    path: { device_reference },
    ...deviceTab(device_reference, 'reports'),
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
const providedBy = getColumns<ProviderTelemetryRow>()

/** Newest report of each device of all clients, for provider staff. */
export const telemetryOfClients = defineList({
  name: 'telemetry-of-clients',
  call: 'listTelemetryOfClients',
  api: internalTelemetryApi,
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
    providedBy.drawn('client', msg`Client`, ClientCell, { width: 130, stacked: 'line' }),
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
  getKey: (row) => `${row.client} ${row.device_reference} ${row.telemetry_time} ${row.received_at}`,
  rowTitle: (row) => row.facts.model,
  Preview: lazy(async () => ({
    default: (await import('./telemetry-preview.tsx')).ProviderTelemetryPreview,
  })),
})

/** `/dashboard/devices?tab=telemetry`: telemetry of all visible devices. */
export const TelemetryTab = () => <ListPage list={telemetry} />

/** `/internal/statistics?tab=telemetry`: newest report of each device of all clients. */
export const ProviderTelemetryTab = () => <ListPage list={telemetryOfClients} />
