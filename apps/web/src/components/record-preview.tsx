import { Trans } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMay } from '../api/use-profile.ts'
import { QueryResult } from '../ui/query-result.tsx'

/** Input of a row's preview: its key, and the row where loaded. */
export interface PreviewProps<Row> {
  rowKey: string
  row: Row | undefined
}

/** In place of a preview whose row is not loaded. */
export const NotLoaded = () => (
  <Text c="dimmed">
    <Trans>This entry is not loaded in the list.</Trans>
  </Text>
)

/**
 * Preview of a record: at once from its row, complete after the read.
 * @param children renders it; `whole` is the full record, absent before the read
 */
export function RecordPreview<Row, Whole extends Row, Key extends QueryKey>(props: {
  row: Row | undefined
  query: UseQueryOptions<Whole, Error, Whole, Key>
  /** Permission to read it. */
  action: string
  /** The row is complete: the record is read only where the row is not loaded. */
  isRowWhole?: boolean
  children: (record: Row, whole: Whole | undefined) => ReactNode
}) {
  const { row } = props
  const mayRead = useMay()(props.action)
  const isAsked = mayRead && !(props.isRowWhole && row !== undefined)
  const { data, error, refetch } = useQuery({ ...props.query, enabled: isAsked })
  const record = props.isRowWhole ? (row ?? data) : (data ?? row)
  if (record === undefined && !mayRead) return <NotLoaded />
  return (
    <QueryResult query={{ data: record, error, refetch }} height={320}>
      {(shown) => (
        <Stack>
          {props.children(shown, data)}
          {error !== null && <Trans>More details could not be loaded.</Trans>}
        </Stack>
      )}
    </QueryResult>
  )
}
