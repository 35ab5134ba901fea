import { ApiProblem } from '@custodia/client'
import { Trans } from '@lingui/react/macro'
import { Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from './states.tsx'

/** Query result: skeleton while loading, Retry on failure (without Retry for 404). */
export function Loaded<Data>(props: {
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
        <Trans>This record does not exist, or you may not see it.</Trans>
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
