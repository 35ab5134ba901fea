import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack, Text } from '@mantine/core'
import { useFailureText } from '../../api/failure-text.ts'
import { Marked } from '../../components/cells.tsx'
import { DataTable } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { visible } from '../../ui/visible.ts'
import type { SendOutcome } from './send-commands.ts'

/** Outcome per device, with reasons of failures. */
export default function SendOutcomes({
  outcomes,
  onClose,
}: {
  outcomes: readonly SendOutcome[]
  onClose: () => void
}) {
  const { t } = useLingui()
  const failureText = useFailureText()
  const sent = outcomes.filter(({ failure }) => failure === undefined).length
  return (
    <Dialog onClose={onClose} title={t`Not all commands were sent`} size="lg">
      <Stack gap="md">
        <Text component="output" display="block">
          <Trans>
            {sent} of {outcomes.length} sent.
          </Trans>
        </Text>
        <DataTable
          caption={t`Devices`}
          rows={outcomes}
          keyOf={({ device_reference }) => device_reference}
          columns={[
            { id: 'device', label: t`Device`, cell: ({ device_reference }) => visible(device_reference) },
            {
              id: 'outcome',
              label: t`Outcome`,
              cell: ({ failure }) =>
                failure === undefined ? (
                  <Marked icon="check" tone="good">
                    {t({ context: 'command', message: 'Sent' })}
                  </Marked>
                ) : (
                  failureText(failure)
                ),
            },
          ]}
        />
        <Group justify="flex-end">
          <Button onClick={onClose} data-autofocus>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
