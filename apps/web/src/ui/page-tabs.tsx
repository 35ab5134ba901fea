import type { MessageDescriptor } from '@lingui/core'
import { useLingui } from '@lingui/react'
import { Link, type LinkProps } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import classes from './page-tabs.module.css'

type Tab = Pick<LinkProps, 'to' | 'search'> & { label: MessageDescriptor; isShown: boolean }

/** Several pages of one entry in the menu: tabs above the title, each an address of its own. Without tabs none show. */
export function PageTabs(props: { label: MessageDescriptor; tabs: readonly Tab[]; children: ReactNode }) {
  const { _ } = useLingui()
  const { label, tabs, children } = props
  return (
    // Lists fill what is left of the window below.
    <div style={{ ['--list-above' as string]: tabs.length > 0 ? '48px' : '0px' }}>
      {tabs.length > 0 && (
        <nav className={classes.tabs} aria-label={_(label)}>
          {tabs.map((tab) => (
            <Link
              key={tab.label.id}
              to={tab.to}
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
      )}
      {children}
    </div>
  )
}
