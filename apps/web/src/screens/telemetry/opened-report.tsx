import type { TelemetryReport, TelemetryRow } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callQuery } from '../../api/call-keys.ts'
import { telemetryApi } from '../../api/fleet-api.ts'
import { useMay } from '../../api/use-profile.ts'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { visible } from '../../ui/visible.ts'
import { Fact, Facts } from '../../components/facts.tsx'
import { Applications } from './applications.tsx'
import classes from './telemetry.module.css'

const reportQuery = (device_reference: string, telemetry_id: string) =>
  callQuery(telemetryApi, 'readTelemetry', { params: { device_reference, telemetry_id } })

/** Sealed content of a report, on demand, because each read is audited. */
export function OpenedReport({ row }: { row: Pick<TelemetryRow, 'device_reference' | 'telemetry_id'> }) {
  const may = useMay()
  const [isOpen, setOpen] = useState(false)
  if (!may('devices.telemetry:read')) return null
  if (isOpen) return <Opened {...row} />
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

function Opened({ device_reference, telemetry_id }: Pick<TelemetryRow, 'device_reference' | 'telemetry_id'>) {
  const query = useQuery(reportQuery(device_reference, telemetry_id))
  return (
    <Loaded query={query} rows={4}>
      {(opened) => <Sealed opened={opened} device_reference={device_reference} />}
    </Loaded>
  )
}

function Sealed({ opened, device_reference }: { opened: TelemetryReport; device_reference: string }) {
  const { t } = useLingui()
  const { report, applications_in, telemetry_id } = opened
  if (!report)
    return (
      <Text c="dimmed">
        <Trans>The sealed data can no longer be opened.</Trans>
      </Text>
    )
  return (
    <Stack gap="md">
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
    <Loaded query={query} rows={3}>
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
    </Loaded>
  )
}
