import type { Telemetry, TelemetryReport, TelemetryRow } from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { telemetryApi } from '../../api/fleet-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { QueryResult } from '../../ui/query-result.tsx'
import { visible } from '../../ui/visible.ts'
import { formatSize } from '../payloads/formats.ts'
import classes from './telemetry.module.css'

const reportQuery = (device_reference: string, telemetry_id: string) =>
  callQuery(telemetryApi, 'readTelemetry', { params: { device_reference, telemetry_id } })

/** Sealed content of a report, on demand, because each read is audited. */
export function OpenedReport({ row }: { row: Pick<TelemetryRow, 'device_reference' | 'telemetry_id'> }) {
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  if (!may('devices.telemetry:read')) return null
  if (isOpen) return <LoadedReport {...row} />
  return (
    <div>
      <Button
        variant="default"
        leftSection={<Icon name="lock" size={16} />}
        onClick={() => setOpen(true)}
        className={classes.open}
      >
        <Trans>Open numbers and applications</Trans>
      </Button>
    </div>
  )
}

function LoadedReport({
  device_reference,
  telemetry_id,
}: Pick<TelemetryRow, 'device_reference' | 'telemetry_id'>) {
  const query = useQuery(reportQuery(device_reference, telemetry_id))
  return (
    <QueryResult query={query} rows={4}>
      {(opened) => <ReportData opened={opened} device_reference={device_reference} />}
    </QueryResult>
  )
}

function ReportData({ opened, device_reference }: { opened: TelemetryReport; device_reference: string }) {
  const { t } = useLingui()
  const { report, applications_in, telemetry_id } = opened
  if (!report)
    return (
      <Text c="dimmed">
        <Trans>The sealed data can no longer be opened.</Trans>
      </Text>
    )
  return (
    <Stack>
      <Facts title={t`Sealed by the phone`}>
        {report.imeis?.map(({ slot_index, imei }) => (
          <Fact key={slot_index} label={t`IMEI in slot ${slot_index + 1}`}>
            {imei}
          </Fact>
        ))}
        {report.sim_numbers?.map(({ slot_index, phone_number, iccid, imsi }) => (
          <Fact key={slot_index} label={t`Numbers of SIM ${slot_index + 1}`}>
            {[phone_number, iccid && t`ICCID ${iccid}`, imsi && t`IMSI ${imsi}`]
              .flatMap((each) => (each ? [visible(each)] : []))
              .join(' · ')}
          </Fact>
        ))}
        <Fact label={t`Name of the Wi-Fi`}>{report.wifi_name && visible(report.wifi_name)}</Fact>
        <Fact label={t`Phone time zone`}>{visible(report.timezone)}</Fact>
      </Facts>
      {report.installed_applications ? (
        <Applications report={report} />
      ) : (
        applications_in && (
          <ApplicationsOf
            device_reference={device_reference}
            telemetry_id={applications_in.telemetry_id}
            statistics={report.app_network_statistics}
          />
        )
      )}
      <details>
        <summary className={classes.summary}>
          <Trans>Original report</Trans>
        </summary>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a scrolling region must be reachable by keyboard */}
        <pre className={classes.raw} tabIndex={0} aria-label={t`Report ${telemetry_id}`}>
          {JSON.stringify(report, null, 2)}
        </pre>
      </details>
    </Stack>
  )
}

/** Applications of an earlier report, unchanged since. */
function ApplicationsOf(props: {
  device_reference: string
  telemetry_id: string
  statistics: NonNullable<TelemetryReport['report']>['app_network_statistics']
}) {
  const { device_reference, telemetry_id, statistics } = props
  const query = useQuery(reportQuery(device_reference, telemetry_id))
  return (
    <QueryResult query={query} rows={3}>
      {({ report }) =>
        report && (
          <Applications
            report={{
              ...report,
              app_network_statistics: statistics ?? report.app_network_statistics,
            }}
          />
        )
      }
    </QueryResult>
  )
}

interface Line {
  package_name: string
  simple_name?: string | undefined
  is_system_app?: boolean | undefined
  size?: number | undefined
  mobile: number
  wifi: number
}

/** Installed applications with their traffic, user-installed first, then by name. */
function Applications({ report }: { report: Telemetry }) {
  const { t, i18n } = useLingui()
  const lines = getLines(report)
  const count = lines.length
  const size = (bytes: number | undefined) => (bytes ? formatSize(bytes, i18n) : '–')
  return (
    <details>
      <summary className={classes.summary}>
        <Plural value={count} one="# application" other="# applications" />
      </summary>
      <DataTable
        caption={t`Installed applications`}
        rows={lines}
        getKey={({ package_name }) => package_name}
        columns={[
          {
            label: t`Application`,
            cell: ({ simple_name, package_name }) => (
              <span title={visible(package_name)}>{visible(simple_name || package_name)}</span>
            ),
          },
          { label: t`System`, cell: ({ is_system_app }) => (is_system_app ? t`Yes` : t`No`) },
          { label: t`Size`, align: 'end', cell: (line) => size(line.size) },
          { label: t`Mobile data`, align: 'end', cell: ({ mobile }) => size(mobile) },
          { label: t`Wi-Fi`, align: 'end', cell: ({ wifi }) => size(wifi) },
        ]}
      />
    </details>
  )
}

/** Union of installed applications and those with traffic only. */
function getLines({ installed_applications = [], app_network_statistics = [] }: Telemetry): Line[] {
  const lines = new Map<string, Line>(
    installed_applications.map((each) => [each.package_name, { ...each, mobile: 0, wifi: 0 }]),
  )
  for (const { package_name, ...traffic } of app_network_statistics) {
    const line = lines.get(package_name) ?? { package_name, mobile: 0, wifi: 0 }
    line.mobile += (traffic.mobile_received ?? 0) + (traffic.mobile_sent ?? 0)
    line.wifi += (traffic.wifi_received ?? 0) + (traffic.wifi_sent ?? 0)
    lines.set(package_name, line)
  }
  const getName = ({ simple_name, package_name }: Line) => simple_name || package_name
  return [...lines.values()].toSorted(
    (a, b) =>
      Number(a.is_system_app ?? false) - Number(b.is_system_app ?? false) ||
      getName(a).localeCompare(getName(b)),
  )
}
