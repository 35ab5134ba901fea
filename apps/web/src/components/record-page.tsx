import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Trans } from '@lingui/react/macro'
import { Skeleton, Stack } from '@mantine/core'
import { type ComponentType, lazy, type LazyExoticComponent, type ReactNode, Suspense, useMemo } from 'react'
import { isNotFound } from '../api/failure-text.ts'
import { useMay } from '../api/use-profile.ts'
import { LinkButton } from '../ui/links.tsx'
import { BackOfPage, PageHeader, PageTabs } from '../ui/page-header.tsx'
import { ErrorState } from '../ui/states.tsx'
import type { LinkTarget, ListDefinition } from './lists/list-definition.ts'
import { getLeftSearch } from './lists/list-memory.ts'
import { StatusPage } from './status-page.tsx'

/**
 * Shown for a record that does not exist or is not visible, with a link to its list. The notice of the failed call says
 * what happened; the page says why.
 */
export function RecordNotFound(props: { title: string; back: LinkTarget; backLabel: ReactNode }) {
  return (
    <StatusPage
      status="404"
      title={props.title}
      action={<LinkButton {...props.back}>{props.backLabel}</LinkButton>}
    >
      <Trans>It does not exist, or your roles and groups do not allow it.</Trans>
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
  children: (record: T) => ReactNode
}) {
  const { data, error, refetch } = props.query
  if (isNotFound(error))
    return <RecordNotFound title={props.title} back={props.back} backLabel={props.backLabel} />
  // To the rows that the user came from.
  const search = getLeftSearch(props.back.to)
  const back = { to: { ...props.back, ...(search && { search: search as never }) }, label: props.backLabel }
  if (data !== undefined) return <BackOfPage value={back}>{props.children(data)}</BackOfPage>
  if (error !== null)
    return (
      <>
        <PageHeader title={props.title} back={back} />
        <ErrorState onRetry={() => void refetch()} />
      </>
    )
  return (
    <Stack aria-busy="true">
      <Skeleton h={30} w={300} />
      <Skeleton h={20} w={420} maw="100%" />
      <Skeleton h={420} />
    </Stack>
  )
}

/** A tab of a record's page, for permitted users. */
interface RecordTab {
  /** Value of `?tab=`. */
  tab: string
  label: MessageDescriptor
  action: string
  /** Its own address, where it has one. */
  at?: LinkTarget
  /** Lazy component: its code loads with the tab. */
  page: ReactNode
}

/**
 * Page of one record in tabs; without permitted tabs only the overview.
 * @param at the page without a tab
 * @param head shown above a loading tab
 */
export function RecordTabs(props: {
  label: MessageDescriptor
  at: LinkTarget
  shown: string | undefined
  head: ReactNode
  overview: ReactNode
  tabs: readonly RecordTab[]
}) {
  const { label, at, head, overview } = props
  const may = useMay()
  const tabs = props.tabs.filter(({ action }) => may(action))
  const shown = tabs.find(({ tab }) => tab === props.shown)
  const links = [
    { ...at, label: msg`Overview`, isShown: shown === undefined },
    ...tabs.map((each) => ({
      ...(each.at ?? { ...at, search: { ...(at.search as object), tab: each.tab } as never }),
      label: each.label,
      isShown: each === shown,
    })),
  ]
  return (
    <PageTabs label={label} tabs={tabs.length === 0 ? [] : links}>
      <Suspense
        fallback={
          <>
            {head}
            <Skeleton h={420} aria-busy="true" />
          </>
        }
      >
        {shown?.page ?? overview}
      </Suspense>
    </PageTabs>
  )
}

type ListTab = LazyExoticComponent<ComponentType<{ reference: string; head: ReactNode }>>

/** A tab with a list; the list engine loads with it. */
export const listTab = <Row, Query>(
  load: () => Promise<(reference: string) => ListDefinition<Row, Query>>,
): ListTab =>
  lazy(async () => {
    const [{ ListPage }, getList] = await Promise.all([import('./lists/list-page.tsx'), load()])
    return {
      default: function ListOfRecord({ reference, head }) {
        const list = useMemo(() => getList(reference), [reference])
        return <ListPage list={list} head={head} />
      },
    }
  })
