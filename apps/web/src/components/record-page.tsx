import { ApiProblem } from '@custodia/client'
import { useLingui } from '@lingui/react/macro'
import { Button, Skeleton, Stack } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ErrorState } from '../ui/error-state.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import type { LinkTarget } from './lists/list-definition.ts'
import { StatusPage } from './status-page.tsx'

/** The page of one record: its bones while it is read, what else there is when it cannot be had, then `children` of it. */
export function RecordPage<T>(props: {
  query: { data: T | undefined; error: unknown; refetch: () => unknown }
  /** What it is called while nothing is known of it. */
  title: string
  back: LinkTarget
  backLabel: string
  notFound: ReactNode
  children: (record: T) => ReactNode
}) {
  const { t } = useLingui()
  const { data, error, refetch } = props.query
  const isGone = error instanceof ApiProblem && error.status === 404
  if (isGone)
    return (
      <StatusPage
        status="404"
        title={t`Data not found`}
        action={<Button renderRoot={(rest) => <Link {...rest} {...props.back} />}>{props.backLabel}</Button>}
      >
        {props.notFound}
      </StatusPage>
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
