import { Button, Skeleton, Stack } from '@mantine/core'
import type { ReactNode } from 'react'
import { ErrorState } from '../ui/states.tsx'
import { PageHeader } from '../ui/page-header.tsx'
import type { LinkTarget } from './lists/list-definition.ts'
import { isNotFound } from '../api/is-not-found.ts'
import { Trans, useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { StatusPage } from './status-page.tsx'

/** Shown for a record that does not exist or is not visible, with a link to its list. */
export function RecordNotFound(props: { back: LinkTarget; backLabel: ReactNode; children?: ReactNode }) {
  const { t } = useLingui()
  return (
    <StatusPage
      status="404"
      title={t`Data not found`}
      action={<Button renderRoot={(rest) => <Link {...rest} {...props.back} />}>{props.backLabel}</Button>}
    >
      {props.children ?? <Trans>This record does not exist, or you may not see it.</Trans>}
    </StatusPage>
  )
}

/** Page of one record: skeleton, error, or `children`. */
export function RecordPage<T>(props: {
  query: { data: T | undefined; error: unknown; refetch: () => unknown }
  /** Title while the record is unknown. */
  title: string
  back: LinkTarget
  backLabel: string
  /** Names the missing record, where its reference is readable. */
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
