import type { Api, CallInput, Page } from '@custodia/contract'
import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import type { CallName } from '../../api/call-keys.ts'
import { noticeDone, noticeFailure } from '../../api/notices.ts'
import { noteExport } from '../../api/reasons.ts'
import { download } from '../../ui/files.ts'
import { csvOfPages, csvOfRows, CSV_LIMIT } from './csv-file.ts'
import type { CsvColumn, Paging } from './list-definition.ts'

const CSV = { type: 'text/csv;charset=utf-8', ending: 'csv' } as const

/** Opens the print dialog after the audit log has recorded it. */
export async function printPage(
  page: Pick<
    CallInput<Api['noteExport']>['body'],
    'certificate_reference' | 'matter_id' | 'data_request_id'
  > & {
    list: CallName
  },
): Promise<void> {
  if (await noteExport({ ...page, format: 'print' })) window.print()
}

/** Downloads loaded rows of `call`'s answer after the audit log has recorded it. */
export async function exportRows<Row>(
  call: CallName,
  rows: readonly Row[],
  columns: readonly CsvColumn<Row>[],
  name: string,
): Promise<void> {
  if (!(await noteExport({ list: call, format: 'csv', rows: rows.length }))) return
  download(csvOfRows(rows, columns, i18n), name, CSV)
}

/**
 * Downloads all rows that match, page by page in the background, with progress and cancel. Starts after the audit log
 * has recorded it.
 * @param call the list's
 * @param total expected rows, for the progress; undefined while unknown
 */
export async function exportPages<Row>(
  call: CallName,
  readPage: (paging: Paging, signal: AbortSignal) => Promise<Page<Row>>,
  columns: readonly CsvColumn<Row>[],
  name: string,
  total: number | undefined,
): Promise<void> {
  const rows = total === undefined ? {} : { rows: Math.min(total, CSV_LIMIT) }
  if (!(await noteExport({ list: call, format: 'csv', ...rows }))) return
  const cancel = new AbortController()
  const id = `csv ${name} ${Date.now()}`
  const expected = total === undefined ? undefined : Math.min(total, CSV_LIMIT)
  const notice = (rows: number) => ({
    id,
    title: i18n._(msg`Preparing the CSV file`),
    message: <ExportProgress rows={rows} expected={expected} onCancel={() => cancel.abort()} />,
    autoClose: false as const,
    withCloseButton: false,
  })
  notifications.show(notice(0))
  try {
    const file = await csvOfPages(readPage, columns, i18n, cancel.signal, (rows) =>
      notifications.update(notice(rows)),
    )
    download(file.parts, name, CSV)
    const { rows } = file
    noticeDone(
      file.isCut
        ? i18n._(
            msg`The CSV file contains the first ${i18n.number(rows)} rows. Narrow the filters for the rest.`,
          )
        : i18n._(msg`The CSV file is ready: ${plural(rows, { one: '# row', other: '# rows' })}.`),
    )
  } catch (error) {
    if (!cancel.signal.aborted) noticeFailure(error)
  } finally {
    notifications.hide(id)
  }
}

function ExportProgress(props: { rows: number; expected: number | undefined; onCancel: () => void }) {
  const shown = i18n.number(props.rows)
  const share = props.expected ? Math.min(100, (props.rows / props.expected) * 100) : 0
  return (
    <Stack gap={6}>
      <Progress value={share} size="sm" aria-label={i18n._(msg`Progress`)} />
      <Group justify="space-between" gap="xs">
        <Text size="sm">
          {props.expected === undefined
            ? i18n._(msg`${shown} rows`)
            : i18n._(msg`${shown} of ${i18n.number(props.expected)} rows`)}
        </Text>
        <Button size="compact-sm" variant="default" onClick={props.onCancel}>
          {i18n._(msg`Cancel`)}
        </Button>
      </Group>
    </Stack>
  )
}
