import type { ProviderTelemetryRow } from '@custodia/contract'
import { Trans } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import type { PreviewProps } from '../record-preview.tsx'
import { ReportFacts } from './report-facts.tsx'

/** A report beside the list of the provider: facts of the device alone. */
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
