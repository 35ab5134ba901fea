import { DEVICE_SERVICES, type DeviceFacts, LOW_BATTERY, LOW_STORAGE } from '@custodia/contract'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Marked } from '../../components/cells.tsx'
import { clockAhead } from '../device-logs/log-columns.tsx'
import { columnsOf } from '../../components/lists/columns.tsx'
import { formatSize } from '../payloads/formats.ts'
import { SERVICE_WORDS } from '../../components/words/device-words.ts'

/** Fields of every telemetry row. */
interface Reported {
  telemetry_time: number
  received_at: number
  facts: DeviceFacts
}

function Battery({ row: { facts } }: { row: Reported }) {
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

function Storage({ row: { facts } }: { row: Reported }) {
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

function Services({ row: { facts } }: { row: Reported }) {
  const { i18n } = useLingui()
  const on = DEVICE_SERVICES.filter((service) => facts.services?.[service])
  return on.map((service) => i18n._(SERVICE_WORDS[service])).join(', ')
}

const networksOf = ({ facts }: Reported): string =>
  (facts.sims ?? [])
    .flatMap(({ network_operator_name, operator_name, network_type }) => {
      const operator = network_operator_name || operator_name
      return operator ? [network_type ? `${operator} (${network_type})` : operator] : []
    })
    .join(', ')

/** Columns of every telemetry list. */
export function telemetryColumns<Row extends Reported>() {
  const column = columnsOf<Row>()
  return {
    ahead: clockAhead<Row>((row) => row.telemetry_time),
    time: column.moment('telemetry_time', msg`Time`, (row) => row.telemetry_time, {
      width: 160,
      stacked: 'line',
    }),
    model: column.text('model', msg`Model`, (row) => row.facts.model, {
      width: 140,
      grow: 1,
      stacked: 'lead',
    }),
    os_version: column.text('os_version', msg`OS version`, (row) => row.facts.os_version, { width: 100 }),
    app_version: column.text('app_version', msg`App version`, (row) => row.facts.app_version, { width: 100 }),
    battery: column.drawn('battery', msg`Battery`, Battery, (row) => row.facts.battery_percentage, {
      width: 120,
      stacked: 'end',
    }),
    storage: column.drawn('storage', msg`Storage left`, Storage, (row) => row.facts.storage_available, {
      width: 110,
    }),
    queue: column.count('queue', msg`Upload queue`, (row) => row.facts.queue_payloads, { width: 110 }),
    services: column.drawn(
      'services',
      msg`Services recorded`,
      Services,
      (row) => DEVICE_SERVICES.filter((service) => row.facts.services?.[service]).join('; '),
      { width: 170, grow: 1 },
    ),
    network: column.text('network', msg`Network`, networksOf, { width: 130, grow: 0.6 }),
    received: column.moment('received_at', msg`Received`, (row) => row.received_at, {
      width: 154,
      isOptional: true,
    }),
  }
}
