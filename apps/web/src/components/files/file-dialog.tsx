import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, FileButton, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { decodeText } from '../../ui/files.ts'
import { type FileLine, type FileShape, readColumns } from './read-columns.ts'

/** A call that takes lines and answers each. */
type Call<Column extends string, Result> = (
  rows: FileLine<Column>['row'][],
) => Promise<{ rows: readonly Result[] }>

export interface FileOutcome<Column extends string, Result> {
  lines: readonly FileLine<Column>[]
  result: readonly Result[]
  isDone: boolean
}

interface FileDialogProps<Column extends string, Result> {
  title: string
  /** Parsed content of the file. */
  explained: ReactNode
  shape: FileShape<Column>
  /** Lines per call. */
  atOnce: number
  review: Call<Column, Result>
  apply: Call<Column, Result>
  /** Whether a line has or had an effect. */
  does: (result: Result) => boolean
  doIt: (count: number) => ReactNode
  onDone: (count: number) => void
  onClose: () => void
  /** What one may do with the applied lines; the dialog stays open for it. */
  next?: (outcome: Omit<FileOutcome<Column, Result>, 'isDone'>) => ReactNode
  children: (outcome: FileOutcome<Column, Result>) => ReactNode
}

/** Previews the lines of a chosen file, then applies them. */
function useFile<Column extends string, Result>(props: FileDialogProps<Column, Result>) {
  const { shape, atOnce, does, onClose } = props
  const [isEmpty, setEmpty] = useState(false)
  const review = useMutation({
    mutationFn: async (file: File) => {
      const lines = readColumns(decodeText(await file.arrayBuffer()), shape)
      setEmpty(lines.length === 0)
      return { name: file.name, lines, result: await inParts(props.review, lines, atOnce) }
    },
    // Drops the outcome of an earlier file.
    onMutate: () => apply.reset(),
  })
  const reviewed = review.data
  const willDo = reviewed?.result.filter(does).length ?? 0
  const apply = useMutation({
    mutationFn: (lines: readonly FileLine<Column>[]) => inParts(props.apply, lines, atOnce),
    onSuccess: (result, lines) => {
      const done = result.filter(does).length
      props.onDone(done)
      if (done === willDo && !props.next?.({ lines, result })) onClose()
    },
  })
  return { review, apply, reviewed, willDo, isEmpty }
}

/** Applies a CSV file: previews the outcome and faults of each line, then applies them. */
export function FileDialog<Column extends string, Result>(props: FileDialogProps<Column, Result>) {
  const { t } = useLingui()
  const { shape, onClose } = props
  const { review, apply, reviewed, willDo, isEmpty } = useFile(props)
  const result = apply.data ?? reviewed?.result ?? []
  const identifying = shape.identifying.join(', ')
  return (
    <Dialog onClose={onClose} size="xl" title={props.title}>
      <Stack gap="md">
        <Text size="sm">{props.explained}</Text>
        <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {shape.columns.join(', ')}
        </Text>
        <Group>
          <FileButton accept=".csv,text/csv,text/plain" onChange={(file) => file && review.mutate(file)}>
            {(button) => (
              <Button
                {...button}
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
        {isEmpty && (
          <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
            {t`The file is empty or has none of these columns: ${identifying}`}
          </Alert>
        )}
        {reviewed &&
          result.length > 0 &&
          props.children({ lines: reviewed.lines, result, isDone: apply.data !== undefined })}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {apply.data ? <Trans>Close</Trans> : <Trans>Cancel</Trans>}
          </Button>
          {apply.data && reviewed && props.next?.({ lines: reviewed.lines, result: apply.data })}
          {reviewed && willDo > 0 && !apply.data && (
            <Button loading={apply.isPending} onClick={() => apply.mutate(reviewed.lines)}>
              {props.doIt(willDo)}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

/** Sequential, so that a line sees the effects of earlier lines. */
async function inParts<Column extends string, Result>(
  call: Call<Column, Result>,
  lines: readonly FileLine<Column>[],
  atOnce: number,
): Promise<Result[]> {
  const result: Result[] = []
  for (let i = 0; i < lines.length; i += atOnce)
    result.push(...(await call(lines.slice(i, i + atOnce).map(({ row }) => row))).rows)
  return result
}
