import type { MessageDescriptor } from '@lingui/core'
import { msg } from '@lingui/core/macro'
import { Skeleton } from '@mantine/core'
import { type ComponentType, type LazyExoticComponent, lazy, type ReactNode, Suspense, useMemo } from 'react'
import { useMay } from '../api/use-profile.ts'
import { PageTabs } from '../ui/page-tabs.tsx'
import type { LinkTarget, ListDefinition } from './lists/list-definition.ts'

/** A part of a record’s page beside its overview, for those who may. */
export interface RecordTab {
  /** As addresses spell it: `?tab=`. */
  tab: string
  label: MessageDescriptor
  action: string
  /** Where it has an address of its own. */
  at?: LinkTarget
  /** Of a lazy component: its code comes when the tab is opened. */
  page: ReactNode
}

/**
 * The page of one record in tabs. Who may open none sees the overview alone.
 *
 * @param at the page without a tab
 * @param head stands above a tab that is still loading
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

/** A tab that is a list about its record; the list engine comes with it. */
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
