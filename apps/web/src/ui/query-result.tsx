import { ApiProblem } from '@custodia/client'
import { Trans } from '@lingui/react/macro'
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from './states.tsx'

/** Query result: skeleton while loading, Retry on failure (without Retry for 404). */
export function QueryResult<Data>(props: {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  /** Skeleton: number of lines, height in pixels, or custom content. */
  rows?: number
  height?: number
  pending?: ReactNode
  children: (data: Data) => ReactNode
}) {
  const { rows = 6, height, pending } = props
  const { data, error, refetch } = props.query
  if (data !== undefined) return props.children(data)
  if (error instanceof ApiProblem && error.status === 404)
    return (
      <Text role="alert" c="dimmed" my="md">
        <Trans>It does not exist, or your roles and groups do not allow it.</Trans>
      </Text>
    )
  if (error !== null) return <ErrorState onRetry={() => void refetch()} />
  if (pending !== undefined) return pending
  if (height !== undefined) return <Skeleton h={height} aria-busy="true" />
  return (
    <Stack gap={6} p="md" aria-busy="true">
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} h={34} />
      ))}
    </Stack>
  )
}

/** Rows of an infinite query so far, and a button for more. */
export function LoadedRows<Row>(props: {
  query: Parameters<typeof QueryResult<{ pages: readonly { data: readonly Row[] }[] }>>[0]['query'] & {
    hasNextPage: boolean
    isFetchingNextPage: boolean
    fetchNextPage: () => unknown
  }
  children: (rows: readonly Row[]) => ReactNode
}) {
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = props.query
  return (
    <QueryResult query={props.query} height={160}>
      {({ pages }) => {
        const rows = pages.flatMap(({ data }) => data)
        if (rows.length === 0)
          return (
            <Text size="sm">
              <Trans>None.</Trans>
            </Text>
          )
        return (
          <Stack gap="sm">
            {props.children(rows)}
            {hasNextPage && (
              <Group>
                <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                  <Trans>Show more</Trans>
                </Button>
              </Group>
            )}
          </Stack>
        )
      }}
    </QueryResult>
  )
}
