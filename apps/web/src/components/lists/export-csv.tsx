import type { Page } from '@custodia/contract'
import { i18n } from '@lingui/core'
import { msg, plural } from '@lingui/core/macro'
import { Button, Group, Progress, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { noticeDone, noticeFailure } from '../../api/notices.ts'
import { csvOfPages, csvOfRows, CSV_LIMIT } from './csv-file.ts'
import type { CsvColumn, Paging } from './list-definition.ts'

/** Hands `parts` to the browser as the download `name`.csv. */
function download(parts: readonly string[], name: string): void {
  const address = URL.createObjectURL(new Blob([...parts], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.csv`
  link.click()
  // The download has its own hold on the data once it has begun.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** Downloads rows that are already here. */
export function exportRows<Row>(
  rows: readonly Row[],
  columns: readonly CsvColumn<Row>[],
  name: string,
): void {
  download(csvOfRows(rows, columns, i18n), name)
}

/**
 * Downloads everything that a list's filters match, page by page in the background: the reader goes on working, even
 * on other pages, sees the progress at the bottom and can cancel.
 *
 * @param total rows to expect, for the progress; undefined while unknown
 */
export async function exportPages<Row>(
  readPage: (paging: Paging, signal: AbortSignal) => Promise<Page<Row>>,
  columns: readonly CsvColumn<Row>[],
  name: string,
  total: number | undefined,
): Promise<void> {
  const cancel = new AbortController()
  const id = `csv ${name} ${Date.now()}`
  const expected = total === undefined ? undefined : Math.min(total, CSV_LIMIT)
  const notice = (rows: number) => ({
    id,
    title: i18n._(msg`Preparing the CSV file`),
    message: <Working rows={rows} expected={expected} onCancel={() => cancel.abort()} />,
    autoClose: false as const,
    withCloseButton: false,
  })
  notifications.show(notice(0))
  try {
    const file = await csvOfPages(readPage, columns, i18n, cancel.signal, (rows) =>
      notifications.update(notice(rows)),
    )
    download(file.parts, name)
    const { rows } = file
    noticeDone(
      file.isCut
        ? i18n._(
            msg`The CSV file is ready. It holds the first ${i18n.number(rows)} rows; narrow the filters for the rest.`,
          )
        : i18n._(msg`The CSV file is ready: ${plural(rows, { one: '# row', other: '# rows' })}.`),
    )
  } catch (error) {
    if (!cancel.signal.aborted) noticeFailure(error)
  } finally {
    notifications.hide(id)
  }
}

function Working(props: { rows: number; expected: number | undefined; onCancel: () => void }) {
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
