import { Trans, useLingui } from '@lingui/react/macro'
import { Button, Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { DataTable } from '../../../ui/data-table.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Reference } from '../../../ui/reference.tsx'

export interface ActOutcome {
  payload_reference: string
  /** Absent: success. */
  refusal?: string
}

/** Recordings that an action failed for, and why. */
export function ActOutcomes(props: {
  title: string
  outcomes: readonly ActOutcome[]
  onClose: () => void
  children?: ReactNode
}) {
  const { t } = useLingui()
  const refused = props.outcomes.filter(({ refusal }) => refusal !== undefined)
  const done = props.outcomes.length - refused.length
  return (
    <Dialog onClose={props.onClose} title={props.title} size="lg">
      <Stack gap="md">
        <Text component="output" display="block">
          <Trans>
            {done} of {props.outcomes.length} done.
          </Trans>
        </Text>
        <DataTable
          caption={t`Incomplete`}
          rows={refused}
          keyOf={({ payload_reference }) => payload_reference}
          columns={[
            {
              id: 'reference',
              label: t`Reference`,
              cell: ({ payload_reference }) => <Reference value={payload_reference} />,
            },
            { id: 'why', label: t`Reason`, cell: ({ refusal }) => refusal },
          ]}
        />
        <Group justify="flex-end">
          <Button onClick={props.onClose} data-autofocus>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  )
}
