import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react'
import { Box, Group, Text, Title } from '@mantine/core'
import { Link, type LinkProps } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext, useEffect, useMemo, useRef } from 'react'
import { Icon } from './icon.tsx'
import { LinkAnchor } from './links.tsx'
import { useTitle } from './use-title.ts'
import classes from './page-tabs.module.css'

type Tab = Pick<LinkProps, 'to' | 'params' | 'search'> & { label: MessageDescriptor; isShown: boolean }
interface Tabs {
  label: MessageDescriptor
  tabs: readonly Tab[]
}

const TabsOfPage = createContext<Tabs | undefined>(undefined)

/** Several pages of one menu entry, each with its own address, as tabs below the title. */
export function PageTabs({ label, tabs, children }: Tabs & { children: ReactNode }) {
  const shown = useMemo(() => ({ label, tabs }), [label, tabs])
  return <TabsOfPage value={shown}>{children}</TabsOfPage>
}

interface Back {
  to: Pick<LinkProps, 'to' | 'search'>
  label: ReactNode
}

/** Link back of a record's page, above its title. */
export const BackOfPage = createContext<Back | undefined>(undefined)

/** Tabs of the page; hidden for a single one. */
function PageTabLinks() {
  const { _ } = useLingui()
  const { label, tabs } = useContext(TabsOfPage) ?? { tabs: [] }
  const nav = useRef<HTMLElement>(null)
  const shown = tabs.find(({ isShown }) => isShown)?.label.id
  // On a narrow screen the tabs scroll.
  useEffect(() => {
    const active = nav.current?.querySelector<HTMLElement>('[data-active]')
    if (shown && nav.current && active) nav.current.scrollLeft = active.offsetLeft - nav.current.offsetLeft
  }, [shown])
  if (label === undefined || tabs.length === 0) return null
  return (
    <nav ref={nav} className={classes.tabs} aria-label={_(label)}>
      {tabs.map((tab) => (
        <Link
          key={tab.label.id}
          to={tab.to}
          params={tab.params}
          search={tab.search}
          className={classes.tab}
          aria-current={tab.isShown ? 'page' : undefined}
          data-active={tab.isShown || undefined}
          activeOptions={{ exact: true, includeSearch: true }}
        >
          {_(tab.label)}
        </Link>
      ))}
    </nav>
  )
}

/** Page header: link back, the `<h1>`, which gets the focus after navigation and sets the document title, state, subtitle, actions and tabs. */
export function PageHeader(props: {
  title: string
  /** Link back; a record's page names it once, in `RecordPage`. */
  back?: Back
  /** After the title, e.g. a count or a state. */
  aside?: ReactNode
  description?: ReactNode
  /** The primary action, and the others in a `PageMenu`. */
  actions?: ReactNode
}) {
  useTitle(props.title)
  const ofPage = useContext(BackOfPage)
  const back = props.back ?? ofPage
  const { _ } = useLingui()
  const tabs = useContext(TabsOfPage)?.tabs ?? []
  const hasTabs = tabs.length > 0
  // A title alone shares its row with the tabs, where there is room.
  const isNamed = tabs.some(({ label, isShown }) => isShown && _(label) === props.title)
  const isShort = hasTabs && back === undefined && props.description === undefined
  return (
    <>
      <Group
        justify="space-between"
        align="flex-start"
        gap="md"
        mb={isShort ? undefined : 'md'}
        className={`${classes.head} ${isShort ? classes.short : ''} ${isShort && isNamed ? classes.named : ''}`}
      >
        <Box flex={isShort ? undefined : '1 1 auto'} className={classes.title}>
          {back !== undefined && (
            <LinkAnchor size="sm" className={classes.back} {...back.to}>
              <Icon name="chevron-left" size={14} />
              {back.label}
            </LinkAnchor>
          )}
          <Group gap="sm" align="baseline">
            <Title order={1} tabIndex={-1}>
              {props.title}
            </Title>
            {props.aside}
          </Group>
          {props.description !== undefined && (
            <Text c="dimmed" mt={4} component="div" className={classes.description}>
              {props.description}
            </Text>
          )}
        </Box>
        {isShort && <PageTabLinks />}
        {props.actions !== undefined && (
          <Group gap="xs" data-not-printed className={classes.actions}>
            {props.actions}
          </Group>
        )}
      </Group>
      {!isShort && <PageTabLinks />}
    </>
  )
}
