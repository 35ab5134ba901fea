import { FILTER_LIMIT } from '@custodia/contract'
import { Trans, useLingui } from '@lingui/react/macro'
import { Alert, Button, FileButton, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { decodeText } from '../../ui/files.ts'
import { Icon } from '../../ui/icon.tsx'
import { type CsvValue, saveCsv } from '../lists/csv.ts'
import { useListMemory } from '../lists/list-memory.ts'
import {
  type ChosenColumns,
  type FileLine,
  type FileShape,
  getHeader,
  getHeaders,
  readColumns,
} from './read-columns.ts'

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
  /** Name of the files that one may download, and of the remembered columns. */
  name: string
  title: string
  /** Parsed content of the file. */
  explained: ReactNode
  shape: FileShape<Column>
  fields: readonly { field: Column; label: string; example: string }[]
  /** Lines per call. */
  atOnce: number
  review: Call<Column, Result>
  apply: Call<Column, Result>
  /** Whether a line has or had an effect. */
  does: (result: Result) => boolean
  doIt: (count: number) => ReactNode
  /** Outcome of a line in words, for the file of results. */
  getWord: (result: Result) => string
  onDone: (count: number) => void
  onClose: () => void
  /** What one may do with the applied lines; the dialog stays open for it. */
  next?: (outcome: Omit<FileOutcome<Column, Result>, 'isDone'>) => ReactNode
  children: (outcome: FileOutcome<Column, Result>) => ReactNode
}

interface ChosenFile {
  name: string
  text: string
}

/** Previews the lines of a chosen file, then applies them. */
function useFile<Column extends string, Result>(props: FileDialogProps<Column, Result>) {
  const { shape, atOnce, does, onClose } = props
  const [file, setFile] = useState<ChosenFile>()
  const [sent, setSent] = useState<number>()
  const [columns, setColumns] = useListMemory<ChosenColumns<Column>>(props.name, 'file columns', (stored) =>
    typeof stored === 'object' && stored !== null ? stored : {},
  )
  const inParts = async (call: Call<Column, Result>, lines: readonly FileLine<Column>[]) => {
    const result: Result[] = []
    // Sequential, so that a line sees the effects of earlier lines.
    for (let i = 0; i < lines.length; i += atOnce) {
      if (lines.length > atOnce) setSent(i)
      result.push(...(await call(lines.slice(i, i + atOnce).map(({ row }) => row))).rows)
    }
    setSent(undefined)
    return result
  }
  const review = useMutation({
    mutationFn: async ({ text, chosen }: { text: string; chosen: ChosenColumns<Column> }) => {
      const lines = readColumns(text, shape, chosen)
      const isTooLong = lines.length > FILTER_LIMIT
      return { lines, isTooLong, result: isTooLong ? [] : await inParts(props.review, lines) }
    },
    // Drops the outcome of an earlier file.
    onMutate: () => apply.reset(),
    onSettled: () => setSent(undefined),
  })
  const reviewed = review.data
  const willDo = reviewed?.result.filter(does).length ?? 0
  const apply = useMutation({
    mutationFn: (lines: readonly FileLine<Column>[]) => inParts(props.apply, lines),
    onSuccess: (result, lines) => {
      const done = result.filter(does).length
      props.onDone(done)
      if (done === willDo && !props.next?.({ lines, result })) onClose()
    },
    onSettled: () => setSent(undefined),
  })
  return {
    file,
    columns,
    choose: async (chosen: File) => {
      const text = decodeText(await chosen.arrayBuffer())
      setFile({ name: chosen.name, text })
      review.mutate({ text, chosen: columns })
    },
    chooseColumns: (chosen: ChosenColumns<Column>) => {
      setColumns(chosen)
      if (file) review.mutate({ text: file.text, chosen })
    },
    review,
    apply,
    reviewed,
    willDo,
    sent,
  }
}

/** Applies a CSV file: previews the outcome and faults of each line, then applies them. */
export function FileDialog<Column extends string, Result>(props: FileDialogProps<Column, Result>) {
  const { t, i18n } = useLingui()
  const { shape, fields, onClose } = props
  const { file, review, apply, reviewed, willDo, sent, ...chosen } = useFile(props)
  const result = apply.data ?? reviewed?.result ?? []
  const isDone = apply.data !== undefined
  const getLabel = (column: Column) => fields.find(({ field }) => field === column)?.label ?? column
  const identifying = shape.identifying.map(getLabel).join(', ')
  const isEmpty = reviewed?.lines.length === 0
  const save = (name: string, rows: readonly (readonly CsvValue[])[]) =>
    saveCsv(`${props.name}-${name}`, rows, i18n.locale)
  const saveResult = () =>
    save('result', [
      [t`Line`, ...shape.columns, t`Outcome`],
      ...(reviewed?.lines ?? []).map(({ line, row }, i) => [
        line,
        ...shape.columns.map((column) => row[column]),
        result[i] && props.getWord(result[i]),
      ]),
    ])
  return (
    <Dialog onClose={onClose} size="xl" title={props.title}>
      <Stack>
        <Text size="sm">{props.explained}</Text>
        <Group>
          <FileButton accept=".csv,text/csv,text/plain" onChange={(each) => each && void chosen.choose(each)}>
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
          {file ? (
            <Text size="sm">{file.name}</Text>
          ) : (
            <Button
              variant="default"
              leftSection={<Icon name="download" size={16} />}
              onClick={() => save('template', [shape.columns, fields.map(({ example }) => example)])}
            >
              <Trans>Download a template</Trans>
            </Button>
          )}
          {sent !== undefined && reviewed === undefined && <Progress sent={sent} />}
        </Group>
        {file && (
          <FileColumns
            key={file.name}
            headers={getHeaders(file.text)}
            fields={fields}
            chosen={chosen.columns}
            synonyms={shape.synonyms}
            onChoose={chosen.chooseColumns}
            isOpen={isEmpty}
          />
        )}
        {isEmpty && (
          <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
            {t`The file is empty or has none of these columns: ${identifying}`}
          </Alert>
        )}
        {reviewed?.isTooLong && (
          <Alert color="red" role="alert" icon={<Icon name="alert-circle" />}>
            <Trans>A file may have up to {i18n.number(FILTER_LIMIT)} lines.</Trans>
          </Alert>
        )}
        {reviewed && result.length > 0 && props.children({ lines: reviewed.lines, result, isDone })}
        <Group justify="flex-end" gap="xs">
          {isDone && (
            <Button
              variant="default"
              leftSection={<Icon name="download" size={16} />}
              onClick={saveResult}
              mr="auto"
            >
              <Trans>Download the result</Trans>
            </Button>
          )}
          {sent !== undefined && reviewed !== undefined && <Progress sent={sent} />}
          <Button variant="default" onClick={onClose}>
            {isDone ? <Trans>Close</Trans> : <Trans>Cancel</Trans>}
          </Button>
          {apply.data && reviewed && props.next?.({ lines: reviewed.lines, result: apply.data })}
          {reviewed && willDo > 0 && !isDone && (
            <Button loading={apply.isPending} onClick={() => apply.mutate(reviewed.lines)}>
              {props.doIt(willDo)}
            </Button>
          )}
        </Group>
      </Stack>
    </Dialog>
  )
}

/** Lines of a long file that the server has answered. */
function Progress({ sent }: { sent: number }) {
  const { i18n } = useLingui()
  return (
    <Text component="output" size="sm" c="dimmed">
      <Trans>{i18n.number(sent)} lines so far</Trans>
    </Text>
  )
}

/** Which column of the file has which field; the user's choice is remembered. */
function FileColumns<Column extends string>(props: {
  headers: readonly string[]
  fields: readonly { field: Column; label: string }[]
  chosen: ChosenColumns<Column>
  synonyms: FileShape<Column>['synonyms']
  onChoose: (chosen: ChosenColumns<Column>) => void
  isOpen: boolean
}) {
  const { t } = useLingui()
  const { headers, fields, chosen, synonyms } = props
  const found = fields.filter(({ field }) => getHeader(headers, field, chosen, synonyms) !== undefined).length
  const count = fields.length
  return (
    <details open={props.isOpen}>
      <Text component="summary" size="sm" fw={600} style={{ cursor: 'pointer' }}>
        <Trans>
          Columns: {found} of {count} found in the file
        </Trans>
      </Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs" spacing="sm" verticalSpacing="xs">
        {fields.map(({ field, label }) => (
          <Select
            key={field}
            label={label}
            data={[...new Set(headers)]}
            value={getHeader(headers, field, chosen, synonyms) ?? null}
            onChange={(header) => props.onChoose({ ...chosen, [field]: header ?? '' })}
            placeholder={t`Not in the file`}
            clearable
            searchable
            clearButtonProps={{ 'aria-label': t`Clear` }}
          />
        ))}
      </SimpleGrid>
    </details>
  )
}
