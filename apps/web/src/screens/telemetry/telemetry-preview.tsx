import type { ProviderTelemetryRow, TelemetryRow } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Stack } from '@mantine/core'
import { OwnerFacts } from '../../components/devices/owners.tsx'
import { Fact, Facts } from '../../components/facts.tsx'
import { NotLoaded, type PreviewProps } from '../../components/record-preview.tsx'
import { Time } from '../../ui/time.tsx'
import { OpenedReport } from './opened-report.tsx'
import { ReportFacts } from './report-facts.tsx'

/** Preview of a report: its facts, and the sealed content on demand. */
export function TelemetryPreview({ row }: PreviewProps<TelemetryRow>) {
  const { t } = useLingui()
  if (!row) return <NotLoaded />
  return (
    <Stack>
      <Facts title={t`Who and when`}>
        <Fact label={t`Time`}>
          <Time at={row.telemetry_time} />
        </Fact>
        <Fact label={t`Received`}>
          <Time at={row.received_at} />
        </Fact>
        <OwnerFacts row={row} />
      </Facts>
      <ReportFacts facts={row.facts} />
      <OpenedReport key={row.telemetry_id} row={row} />
    </Stack>
  )
}

/** Preview of a report for the provider: device facts only. */
export function ProviderTelemetryPreview({ row }: PreviewProps<ProviderTelemetryRow>) {
  if (!row) return <NotLoaded />
  return (
    <Stack>
      <ReportFacts facts={row.facts} />
    </Stack>
  )
}
