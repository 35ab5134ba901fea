import { HOLDER_COLUMNS, HOLDER_ROWS_LIMIT, type HoldersAnswer } from '@custodia/contract'
import { plural } from '@lingui/core/macro'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { fleetApi } from '../../api/fleet-api.ts'
import { noticeDone } from '../../api/notices.ts'
import { decodeText } from '../../components/lists/parse-csv.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { HolderOutcomes } from './holder-outcomes.tsx'
import { type HolderLine, readHolderRows } from './read-holder-rows.ts'

type Told = HoldersAnswer['rows'][number]
interface Reviewed {
  name: string
  lines: readonly HolderLine[]
  told: readonly Told[]
}
type Call = typeof fleetApi.reviewDeviceHolders

/** In parts, one after another. */
async function inParts(call: Call, lines: readonly HolderLine[]): Promise<Told[]> {
  const told: Told[] = []
  for (let i = 0; i < lines.length; i += HOLDER_ROWS_LIMIT) {
    const rows = lines.slice(i, i + HOLDER_ROWS_LIMIT).map(({ row }) => row)
    told.push(...(await call({ query: {}, body: { decision: 'confirm', rows } })).rows)
  }
  return told
}

/** Confirms devices that a file names: first what it would mean, line by line with its faults, then it is done. */
export default function HoldersFile({ onClose }: { onClose: () => void }) {
  const { t } = useLingui()
  const [isUnreadable, setUnreadable] = useState(false)
  const review = useMutation({
    mutationFn: async (file: File): Promise<Reviewed> => {
      const lines = readHolderRows(decodeText(await file.arrayBuffer()))
      setUnreadable(lines.length === 0)
      return { name: file.name, lines, told: await inParts(fleetApi.reviewDeviceHolders, lines) }
    },
  })
  const apply = useMutation({
    mutationFn: ({ lines }: Reviewed) => inParts(fleetApi.decideDeviceHolders, lines),
    onSuccess: (told) => {
      const done = told.filter(({ outcome }) => outcome === 'decided').length
      noticeDone(t`${plural(done, { one: '# device confirmed', other: '# devices confirmed' })}`)
      if (done === told.length) onClose()
    },
  })
  const reviewed = review.data
  const willDo = reviewed?.told.filter(({ outcome }) => outcome === 'decided').length ?? 0
  const told = apply.data ?? reviewed?.told ?? []
  return (
    <Dialog onClose={onClose} size="lg" title={t`Confirm devices from a file`}>
      <Stack gap="md">
        <Text size="sm">
          <Trans>
            A CSV file whose first line names the columns. Each line names a device that waits, by its serial
            number or its reference, and whose it is; without a person it is whom the device asks for.
          </Trans>
        </Text>
        <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {HOLDER_COLUMNS.join(', ')}
        </Text>
        <Group>
          <FileButton accept=".csv,text/csv,text/plain" onChange={(file) => file && review.mutate(file)}>
            {(props) => (
              <Button
                {...props}
                variant={reviewed ? 'default' : 'filled'}
                loading={review.isPending}
                leftSection={<Icon name="upload" size={16} />}
                data-autofocus
              >
                <Trans>Choose a file</Trans>
              </Button>
            )}
          </FileButton>
          {reviewed && <Text size="sm">{reviewed.name}</Text>}
        </Group>
        {isUnreadable && (
          <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
            <Trans>This file has no lines with a column serial_number or device_reference.</Trans>
          </Alert>
        )}
        {reviewed && told.length > 0 && (
          <HolderOutcomes
            outcomes={reviewed.lines.map(({ line, row }, i) => ({ line, row, told: told[i]! }))}
            isDone={apply.data !== undefined}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {apply.data ? <Trans>Close</Trans> : <Trans>Cancel</Trans>}
          </Button>
          {reviewed && willDo > 0 && !apply.data && (
            <Button loading={apply.isPending} onClick={() => apply.mutate(reviewed)}>
              <Plural value={willDo} one="Confirm # device" other="Confirm # devices" />
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}
