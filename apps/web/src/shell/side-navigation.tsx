import { useLingui } from '@lingui/react/macro'
import { UnstyledButton } from '@mantine/core'
import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useProfile } from '../api/use-profile.ts'
import { Icon } from '../ui/icon.tsx'
import type { Area, AreaEntry } from './navigation.ts'
import classes from './side-navigation.module.css'

/** Storage key of the collapsed sections. */
const COLLAPSED = 'custodia.collapsed_sections'

/** Pages that the reader may open, by section. Sections collapse to their current page. */
export function SideNavigation({ area }: { area: Area }) {
  const entries = area.menuFor(useProfile())
  // The same for all records of a list.
  const page = useLocation({ select: ({ pathname }) => pathname.split('/').slice(0, 4).join('/') })
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const frame = list.current?.closest('nav')
    const entry = frame?.querySelector('[aria-current=page]')?.getBoundingClientRect()
    if (!frame || !entry) return
    // Not scrollIntoView: the first Tab of the page would begin at the entry, past the skip link.
    const { top, bottom } = frame.getBoundingClientRect()
    frame.scrollTop += Math.min(0, entry.top - top) + Math.max(0, entry.bottom - bottom)
  }, [page])
  const [collapsed, setCollapsed] = useState(() => (localStorage.getItem(COLLAPSED) ?? '').split(' '))
  const toggle = (section: string) => {
    const next = collapsed.includes(section)
      ? collapsed.filter((each) => each !== section)
      : [...collapsed, section]
    localStorage.setItem(COLLAPSED, next.join(' '))
    setCollapsed(next)
  }
  return (
    <div ref={list}>
      {Object.keys(area.sections).map((section) => (
        <Section
          key={section}
          area={area}
          section={section}
          entries={entries}
          isCollapsed={collapsed.includes(section)}
          onToggle={() => toggle(section)}
        />
      ))}
    </div>
  )
}

function Section(props: {
  area: Area
  section: string
  /** Entries of all sections. */
  entries: readonly AreaEntry[]
  isCollapsed: boolean
  onToggle: () => void
}) {
  const { i18n } = useLingui()
  const { section, entries, isCollapsed } = props
  const label = props.area.sections[section]
  const inSection = entries.filter((entry) => entry.section === section)
  if (inSection.length === 0) return null
  return (
    <div className={classes.section}>
      {label !== undefined && (
        <UnstyledButton
          className={classes.label}
          id={`section-${section}`}
          aria-expanded={!isCollapsed}
          onClick={props.onToggle}
        >
          {i18n._(label)}
          <Icon name={isCollapsed ? 'chevron-right' : 'chevron-down'} size={14} />
        </UnstyledButton>
      )}
      <ul
        className={classes.list}
        data-collapsed={(label !== undefined && isCollapsed) || undefined}
        {...(label === undefined ? {} : { 'aria-labelledby': `section-${section}` })}
      >
        {inSection.map((entry) => (
          <li key={entry.to}>
            <Link
              to={entry.to}
              className={classes.entry}
              activeOptions={{
                // Only the closest of nested entries is the current page.
                exact: entries.some(({ to }) => to.startsWith(`${entry.to}/`)),
                includeSearch: false,
              }}
            >
              <Icon name={entry.icon} />
              {i18n._(entry.label)}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
