import { Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from '../ui/error-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import type { LinkTarget } from './lists/list-definition.ts'
import { isNotFound } from '../api/is-not-found.ts'
import { RecordNotFound } from './record-not-found.tsx'

/** The page of one record: its bones while it is read, what else there is when it cannot be had, then `children` of it. */
export function RecordPage<T>(props: {
  query: { data: T | undefined; error: unknown; refetch: () => unknown }
  /** What it is called while nothing is known of it. */
  title: string
  back: LinkTarget
  backLabel: string
  /** Says which one is not there, where its reference says something to people. */
  notFound?: ReactNode
  children: (record: T) => ReactNode
}) {
  const { data, error, refetch } = props.query
  if (isNotFound(error))
    return (
      <RecordNotFound back={props.back} backLabel={props.backLabel}>
        {props.notFound}
      </RecordNotFound>
    )
  if (data !== undefined) return props.children(data)
  if (error !== null)
    return (
      <>
        <PageHeader title={props.title} />
        <ErrorState onRetry={() => void refetch()} />
      </>
    )
  return (
    <Stack gap="md" aria-busy="true">
      <Skeleton h={30} w={300} />
      <Skeleton h={20} w={420} maw="100%" />
      <Skeleton h={420} />
    </Stack>
  )
}
