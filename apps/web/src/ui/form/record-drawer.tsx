import { ApiProblem } from '@custodia/client'
import { useLingui } from '@lingui/react/macro'
import { Drawer, Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { EmptyState } from '../empty-state.tsx'
import { ErrorState } from '../error-state.tsx'
import { useReturnFocus } from './use-return-focus.ts'

/**
 * A drawer over a record that has to be read first: its form as soon as it is there, bones until then, the cause when
 * it cannot be had.
 *
 * @param children draws the form; give it a key that changes with the record's version
 */
export function RecordDrawer<T>(props: {
  record: Pick<UseQueryResult<T>, 'data' | 'error' | 'refetch'>
  title: string
  onClose: () => void
  size?: number
  children: (record: T) => ReactNode
}) {
  useReturnFocus()
  const { t } = useLingui()
  const { data, error, refetch } = props.record
  if (data !== undefined) return props.children(data)
  const isGone = error instanceof ApiProblem && error.status === 404
  return (
    <Drawer.Root opened onClose={props.onClose} position="right" size={props.size ?? 480}>
      <Drawer.Overlay />
      <Drawer.Content>
        <Drawer.Header component="div">
          <Drawer.Title>{props.title}</Drawer.Title>
          <Drawer.CloseButton aria-label={t`Close`} />
        </Drawer.Header>
        <Drawer.Body>
          {isGone ? (
            <EmptyState
              title={t`Data not found`}
              description={t`It was deleted, or your roles do not reach it.`}
            />
          ) : error !== null ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : (
            <Stack aria-busy="true" gap="md">
              <Skeleton h={52} />
              <Skeleton h={52} />
              <Skeleton h={120} />
            </Stack>
          )}
        </Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  )
}
