import type { ProviderTelemetryRow } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import type { PreviewProps } from '../../components/record-preview.tsx'
import { ReportFacts } from './report-facts.tsx'

/** Preview of a report for the provider: device facts only. */
export default function ProviderTelemetryPreview({ row }: PreviewProps<ProviderTelemetryRow>) {
  if (!row)
    return (
      <Text c="dimmed">
        <Trans>This entry is not loaded in the list.</Trans>
      </Text>
    )
  return (
    <Stack gap="md">
      <ReportFacts facts={row.facts} />
    </Stack>
  )
}
