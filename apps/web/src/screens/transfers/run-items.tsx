import type { CallOptions } from '@custodia/client'
import {
  TRANSFER_ITEM_STATES,
  type TransferItem,
  type TransferItemState,
  type TransferRunDetail,
} from '@custodia/contract'
import type { I18n } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { Button, Card, Code, Group, NativeSelect, Stack, Text, Title } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { getKey, repeatedRead } from '../../api/call-keys.ts'
import { transfersApi } from '../../api/transfers-api.ts'
import { csvTime } from '../../components/lists/csv.ts'
import { exportPages } from '../../components/lists/export-csv.tsx'
import type { CsvColumn } from '../../components/lists/list-definition.ts'
import { TRANSFER_STATE_WORDS } from '../../components/transfers/transfer-words.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import { LoadedRows } from '../../ui/query-result.tsx'
import { Reference } from '../../ui/reference.tsx'
import { EmptyState } from '../../ui/states.tsx'
import { Time } from '../../ui/time.tsx'
import { authorName, visible } from '../../ui/visible.ts'
import { RecordingLink } from '../payloads/recording-link.tsx'
import { recordingTitle } from '../payloads/recording-name.ts'
import { TransferState, FailureReason } from './transfer-state.tsx'
import classes from './run-items.module.css'

/** Items per page: each has attempts and checksums. */
const PAGE = 25
/** Poll interval of a running transfer, in milliseconds. */
export const LOOK_EVERY = 3000

/** Items of a run by state; failed items first where any exist. */
export function RunItems({ run }: { run: TransferRunDetail }) {
  const { transfer_id, payload_count, failed_count, completed_at, error_message } = run
  const { t, i18n } = useLingui()
  const isNarrow = useMediaQuery('(max-width: 47.99em)', undefined, { getInitialValueInEffect: false })
  const [chosen, setChosen] = useState<TransferItemState | 'all'>()
  const shown = chosen ?? (failed_count > 0 ? 'Failed' : 'all')
  const { ask, query } = useItems(run, shown)
  if (payload_count === 0) {
    // Items exist once the run has started, and not where that failed.
    if (completed_at === null || error_message !== null) return null
    return (
      <EmptyState
        icon="external"
        title={t`Nothing to deliver`}
        description={t`No matching recordings were processed in this period.`}
      />
    )
  }
  return (
    <Card>
      <Group justify="space-between" mb="xs" align="flex-end">
        <Title order={2} size="h4">
          {t({ context: 'transfer', message: 'Items' })}
        </Title>
        <Group align="flex-end" gap="xs">
          <StateSelect value={shown} onChange={setChosen} />
          <Button
            variant="default"
            leftSection={<Icon name="download" size={15} />}
            onClick={() =>
              void exportPages(
                'listTransferItems',
                (paging, signal) => ask(paging, { signal }),
                csvColumns(i18n),
                `transfer-${transfer_id}`,
                undefined,
              )
            }
          >
            CSV
          </Button>
        </Group>
      </Group>
      <LoadedRows query={query}>
        {(rows) => (isNarrow ? <ItemLines rows={rows} /> : <ItemTable rows={rows} />)}
      </LoadedRows>
    </Card>
  )
}

function useItems({ transfer_id, completed_at }: TransferRunDetail, shown: TransferItemState | 'all') {
  const filter = shown === 'all' ? {} : { transfer_states: [shown] }
  const ask = (paging: { limit: number; last_key?: string | undefined }, options: CallOptions) =>
    transfersApi.listTransferItems({ params: { transfer_id }, query: { ...filter, ...paging } }, options)
  const query = useInfiniteQuery({
    queryKey: getKey('listTransferItems', transfer_id, shown),
    queryFn: ({ pageParam: last_key, ...context }) =>
      ask({ limit: PAGE, ...(last_key && { last_key }) }, repeatedRead(context)),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ last_key }) => last_key,
    refetchInterval: completed_at === null ? LOOK_EVERY : false,
  })
  const { refetch } = query
  // The last states are those at the end of the run. A key with its time would fold the pages that were opened.
  useEffect(() => void refetch(), [refetch, completed_at])
  return { ask, query }
}

function StateSelect(props: {
  value: TransferItemState | 'all'
  onChange: (state: TransferItemState | 'all') => void
}) {
  const { t, i18n } = useLingui()
  return (
    <NativeSelect
      label={t`State`}
      value={props.value}
      onChange={({ currentTarget: { value } }) =>
        props.onChange(TRANSFER_ITEM_STATES.find((each) => each === value) ?? 'all')
      }
      data={[
        { value: 'all', label: t`All` },
        ...TRANSFER_ITEM_STATES.map((value) => ({ value, label: i18n._(TRANSFER_STATE_WORDS[value]) })),
      ]}
    />
  )
}

function ItemTable({ rows }: { rows: readonly TransferItem[] }) {
  const { t } = useLingui()
  return (
    <DataTable
      caption={t({ context: 'transfer', message: 'Items' })}
      rows={rows}
      getKey={(row) => row.item}
      columns={[
        { label: t({ context: 'transfer', message: 'Item' }), cell: (row) => <ItemName item={row} /> },
        { label: t`State`, cell: (row) => <TransferState state={row.transfer_state} /> },
        {
          label: t`Stored at`,
          cell: (row) =>
            row.dest_path !== null && (
              <span style={{ overflowWrap: 'anywhere' }}>{visible(row.dest_path)}</span>
            ),
        },
        {
          label: t({ context: 'transfer', message: 'Delivered' }),
          cell: (row) => row.transferred_at !== null && <Time at={row.transferred_at} style="second" />,
        },
      ]}
      details={(row) => <ItemDetails item={row} />}
    />
  )
}

/** The recording of an item as a link, with its reference; a report, or a hidden recording, by its file's name. */
function ItemName({ item: { item, seen } }: { item: TransferItem }) {
  const { i18n } = useLingui()
  return (
    <Stack gap={2}>
      {seen !== null && (
        <RecordingLink recording={{ payload_reference: item, seen }} name={recordingTitle(seen, i18n)} />
      )}
      {seen === null ? (
        <Code p={0} style={{ overflowWrap: 'anywhere' }}>
          {visible(item)}
        </Code>
      ) : (
        <Reference value={item} />
      )}
    </Stack>
  )
}

/** On phones: name and state; the rest on demand. */
function ItemLines({ rows }: { rows: readonly TransferItem[] }) {
  const { t, i18n } = useLingui()
  return (
    <ul className={classes.lines} aria-label={t({ context: 'transfer', message: 'Items' })}>
      {rows.map((row) => (
        <li key={row.item}>
          <details>
            <summary className={classes.line}>
              <span className={classes.name}>
                {row.seen === null ? <Code>{visible(row.item)}</Code> : recordingTitle(row.seen, i18n)}
              </span>
              <TransferState state={row.transfer_state} />
              {row.error_message !== null && (
                <Text size="xs" className={classes.why}>
                  <FailureReason message={row.error_message} />
                </Text>
              )}
            </summary>
            <Stack gap={4} py="xs">
              {row.seen !== null && <ItemName item={row} />}
              {row.dest_path !== null && (
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {t`Stored at`}: {visible(row.dest_path)}
                </Text>
              )}
              <ItemDetails item={row} />
            </Stack>
          </details>
        </li>
      ))}
    </ul>
  )
}

/** Attempts with author and result, storage location, and checksums. */
function ItemDetails({ item }: { item: TransferItem }) {
  const { t, i18n } = useLingui()
  const facts = [
    [t`Source`, item.source_path],
    [t`SHA-256 of the file`, item.encrypted_checksum],
    [t`SHA-256 of the content`, item.decrypted_checksum],
  ] as const
  return (
    <Stack gap={4}>
      {item.attempts.map(({ attempted_at, error_message, transfer_state, ...attempt }, i) => (
        <Text size="sm" key={`${attempted_at} ${i}`}>
          <Time at={attempted_at} style="second" /> · {authorName(attempt, 'attempted_by')} ·{' '}
          {error_message === null ? (
            i18n._(TRANSFER_STATE_WORDS[transfer_state])
          ) : (
            <FailureReason message={error_message} />
          )}
        </Text>
      ))}
      {facts.map(
        ([label, value]) =>
          value !== null && (
            <Text key={label} size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
              {label}: {visible(value)}
            </Text>
          ),
      )}
    </Stack>
  )
}

const csvColumns = (i18n: I18n): CsvColumn<TransferItem>[] => [
  { label: msg({ context: 'transfer', message: 'Item' }), value: (row) => row.item },
  { label: msg`Recording`, value: (row) => row.seen && recordingTitle(row.seen, i18n) },
  { label: msg`Reference`, value: (row) => row.payload_reference },
  { label: msg`Type`, value: (row) => row.payload_type },
  { label: msg`State`, value: (row) => i18n._(TRANSFER_STATE_WORDS[row.transfer_state]) },
  { label: msg`Source`, value: (row) => row.source_path },
  { label: msg`Stored at`, value: (row) => row.dest_path },
  {
    label: msg({ context: 'transfer', message: 'Delivered' }),
    value: (row) => csvTime(row.transferred_at),
    unit: 'UTC',
  },
  {
    label: msg`Attempts`,
    value: ({ attempts }) =>
      attempts
        .map(({ attempted_at, attempted_by, transfer_state, error_message }) =>
          [csvTime(attempted_at), attempted_by, transfer_state, error_message].filter(Boolean).join(' '),
        )
        .join('; '),
  },
  { label: msg`SHA-256 of the file`, value: (row) => row.encrypted_checksum },
  { label: msg`SHA-256 of the content`, value: (row) => row.decrypted_checksum },
]
