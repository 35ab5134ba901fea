import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Skeleton } from '@mantine/core'
import { type ComponentType, type LazyExoticComponent, lazy, type ReactNode, Suspense, useMemo } from 'react'
import { useMay } from '../api/use-profile.ts'
import { PageTabs } from '../ui/page-header.tsx'
import type { LinkTarget, ListDefinition } from './lists/list-definition.ts'

/** A tab of a record's page, for permitted users. */
export interface RecordTab {
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
    const [{ ListPage }, listOf] = await Promise.all([import('./lists/list-page.tsx'), load()])
    return {
      default: function ListOfRecord({ reference, head }) {
        const list = useMemo(() => listOf(reference), [reference])
        return <ListPage list={list} head={head} />
      },
    }
  })
