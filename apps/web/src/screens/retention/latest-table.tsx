import type { Page } from '@custodia/contract'
import { useLingui } from '@lingui/react/macro'
import { Stack, Text } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ComponentProps, ReactNode } from 'react'
import { DataTable } from '../../ui/data-table.tsx'
import { LinkAnchor } from '../../ui/links.tsx'
import { QueryResult } from '../../ui/query-result.tsx'

/** Rows that a table of the newest shows. */
export const SHOWN = 50

/** The newest rows of a list, and a note when there are older ones. */
export function LatestTable<Row>({
  query,
  none,
  ...table
}: Omit<ComponentProps<typeof DataTable<Row>>, 'rows'> & {
  query: UseQueryResult<Page<Row>>
  /** Text for a list without rows. */
  none: ReactNode
}) {
  const { t } = useLingui()
  return (
    <QueryResult query={query} height={100}>
      {({ data, last_key }) =>
        data.length === 0 ? (
          <Text size="sm">{none}</Text>
        ) : (
          <Stack gap="xs">
            <DataTable {...table} rows={data} />
            {last_key !== undefined && (
              <Text size="sm" c="dimmed">
                {t`Latest ${SHOWN}. Older ones are available through the API.`}
              </Text>
            )}
          </Stack>
        )
      }
    </QueryResult>
  )
}

/** Link to a certificate or a destruction list. */
export function RecordLink(props: {
  to: { certificate: string } | { destruction: string }
  children: ReactNode
}) {
  return (
    <LinkAnchor underline="always" to="/dashboard/governance/destructions" search={props.to}>
      {props.children}
    </LinkAnchor>
  )
}
