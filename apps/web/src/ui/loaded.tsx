import { ApiProblem } from '@custodia/client'
import { Trans } from '@lingui/react/macro'
import { Skeleton, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from './error-state.tsx'

/** What a query brought; before that a skeleton of about its height, when it failed Retry, and where there is nothing that it asks for no Retry. */
export function Loaded<Data>(props: {
  query: { data: Data | undefined; error: unknown; refetch: () => unknown }
  /** The skeleton: so many lines, one block of so many pixels, or what the place wants instead. */
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
