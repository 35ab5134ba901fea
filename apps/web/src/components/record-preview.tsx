import { Trans } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useMay } from '../api/use-profile.ts'
import { Loaded } from '../ui/loaded.tsx'

/** What a list hands to the preview of a row: its key, and the row where it is loaded. */
export interface PreviewProps<Row> {
  rowKey: string
  row: Row | undefined
}

/**
 * A record beside its list: at once from its row, complete as soon as it is read.
 *
 * @param children draws it; `whole` is the record as it was read, absent until then
 */
export function RecordPreview<Row, Whole extends Row, Key extends QueryKey>(props: {
  row: Row | undefined
  query: UseQueryOptions<Whole, Error, Whole, Key>
  /** The permission that reading it needs. */
  action: string
  /** The row says all there is: the record is read only where the row is not loaded. */
  isRowWhole?: boolean
  children: (record: Row, whole: Whole | undefined) => ReactNode
}) {
  const { row } = props
  const mayRead = useMay()(props.action)
  const isAsked = mayRead && !(props.isRowWhole && row !== undefined)
  const { data, error, refetch } = useQuery({ ...props.query, enabled: isAsked })
  const record = props.isRowWhole ? (row ?? data) : (data ?? row)
  if (record === undefined && !mayRead)
    return (
      <Text c="dimmed">
        <Trans>This entry is not loaded in the list.</Trans>
      </Text>
    )
  return (
    <Loaded query={{ data: record, error, refetch }} height={320}>
      {(shown) => (
        <Stack gap="md">
          {props.children(shown, data)}
          {error !== null && <Trans>More details could not be loaded.</Trans>}
        </Stack>
      )}
    </Loaded>
  )
}
