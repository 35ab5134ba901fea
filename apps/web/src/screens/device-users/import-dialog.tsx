import {
  type Api,
  type Answer,
  IMPORT_COLUMNS,
  IMPORT_ROWS_LIMIT,
  type ImportAnswer,
  PROBLEMS,
} from '@custodia/contract'
import { Plural, Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, FileButton, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { fleetApi } from '../../api/fleet-api.ts'
import { faultText } from '../../api/failure-text.ts'
import { noticeDone } from '../../api/notices.ts'
import { shownLocale } from '../../i18n/i18n.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { useDialog } from '../../ui/form/use-dialog.ts'
import { Icon } from '../../ui/icon.tsx'
import { decodeText } from '../../components/lists/parse-csv.ts'
import { type FileRow, readRows } from './read-rows.ts'

/** Refused lines that are shown; more are counted. */
const SHOWN = 100

type Told = ImportAnswer['rows'][number]
interface Reviewed {
  name: string
  rows: readonly FileRow[]
  told: readonly Told[]
}
type Call = (input: {
  query: object
  body: { rows: FileRow['row'][] }
}) => Promise<Answer<Api['importDeviceUsers']>>

/** In parts, one after another, so that a line finds what those before it did. */
async function inParts(call: Call, rows: readonly FileRow[]): Promise<Told[]> {
  const told: Told[] = []
  for (let i = 0; i < rows.length; i += IMPORT_ROWS_LIMIT) {
    const part = rows.slice(i, i + IMPORT_ROWS_LIMIT).map(({ row }) => row)
    told.push(...(await call({ query: {}, body: { rows: part } })).rows)
  }
  return told
}

/** Adds and changes device users from a CSV file: first what it would do, with the faults of each line, then it is done. */
export default function ImportDialog({ onClose }: { onClose: () => void }) {
  const close = useDialog(onClose)
  const { t } = useLingui()
  const [unreadable, setUnreadable] = useState<readonly string[]>()
  const review = useMutation({
    mutationFn: async (file: File): Promise<Reviewed> => {
      const { rows, unknown } = readRows(decodeText(await file.arrayBuffer()))
      setUnreadable(rows.length === 0 ? unknown : undefined)
      const told = rows.length > 0 ? await inParts(fleetApi.reviewDeviceUserImport, rows) : []
      return { name: file.name, rows, told }
    },
  })
  const apply = useMutation({
    mutationFn: ({ rows }: Reviewed) => inParts(fleetApi.importDeviceUsers, rows),
    onSuccess: (told) => {
      const count = told.filter(({ outcome }) => outcome === 'created' || outcome === 'updated').length
      noticeDone(t`${count} device users imported`)
      onClose()
    },
  })
  const reviewed = review.data
  const willDo =
    reviewed?.told.filter(({ outcome }) => outcome === 'created' || outcome === 'updated').length ?? 0
  return (
    <Modal.Root opened onClose={close} size="xl">
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Header component="div">
          <Modal.Title>{t`Import device users`}</Modal.Title>
          <Modal.CloseButton aria-label={t`Close`} />
        </Modal.Header>
        <Modal.Body>
          <Stack gap="md">
            <Text size="sm">
              <Trans>
                A CSV file whose first line names the columns. A column that is missing leaves what is known
                as it is. Services are separated by semicolons.
              </Trans>
            </Text>
            <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {IMPORT_COLUMNS.join(', ')}
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
            {unreadable && (
              <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
                <Trans>This file has no lines with a column device_user_reference.</Trans>
              </Alert>
            )}
            {reviewed && reviewed.told.length > 0 && <Outcome reviewed={reviewed} />}
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={close}>
                <Trans>Cancel</Trans>
              </Button>
              {reviewed && willDo > 0 && (
                <Button loading={apply.isPending} onClick={() => apply.mutate(reviewed)}>
                  <Plural value={willDo} one="Import # line" other="Import # lines" />
                </Button>
              )}
            </Group>
          </Stack>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** What the file would do, and why lines of it are refused. */
function Outcome({ reviewed: { rows, told } }: { reviewed: Reviewed }) {
  const { t, i18n } = useLingui()
  const count = (outcome: Told['outcome']) => told.filter((each) => each.outcome === outcome).length
  const refused = told.flatMap((each, i) => (each.outcome === 'refused' ? [{ ...each, of: rows[i] }] : []))
  return (
    <>
      <Text fw={600} aria-live="polite">
        <Plural value={count('created')} one="# new" other="# new" />
        {' · '}
        <Plural value={count('updated')} one="# changed" other="# changed" />
        {' · '}
        <Plural value={count('unchanged')} one="# as it is" other="# as they are" />
        {' · '}
        <Plural value={refused.length} one="# refused" other="# refused" />
      </Text>
      {refused.length > 0 && (
        <DataTable
          caption={t`Refused lines`}
          rows={refused.slice(0, SHOWN)}
          keyOf={({ of }) => String(of?.line)}
          columns={[
            { id: 'line', label: t`Line`, cell: ({ of }) => of?.line },
            { id: 'who', label: t`Reference`, cell: ({ of }) => of?.row.device_user_reference },
            {
              id: 'why',
              label: t`Why`,
              cell: ({ faults, problem }) =>
                problem
                  ? PROBLEMS[problem][shownLocale()]
                  : faults.map((each) => `${each.path}: ${faultText(each, i18n)}`).join('\n'),
            },
          ]}
        />
      )}
      {refused.length > SHOWN && (
        <Text size="sm" c="dimmed">
          <Plural value={refused.length - SHOWN} one="# more refused line" other="# more refused lines" />
        </Text>
      )}
    </>
  )
}
