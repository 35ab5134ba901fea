import { Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'

/** What a query brought; before that a skeleton of about its height, and when it failed the cause and Retry. */
export function Loaded<Data>(props: {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  /** Rows of the skeleton. */
  rows?: number
  children: (data: Data) => ReactNode
}) {
  const { data, error, refetch } = props.query
  if (data !== undefined) return props.children(data)
  if (error !== null) return <ErrorState error={error} onRetry={refetch} />
  return (
    <Stack gap={6} p="md" aria-busy="true">
      {Array.from({ length: props.rows ?? 6 }, (_, row) => (
        <Skeleton key={row} h={34} />
      ))}
    </Stack>
  )
}
