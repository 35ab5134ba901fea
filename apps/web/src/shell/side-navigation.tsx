import { useLingui } from '@lingui/react/macro'
import { Link } from '@tanstack/react-router'
import { useProfile } from '../api/use-profile.ts'
import type { Area } from './area.ts'
import { Icon } from '../ui/icon.tsx'
import classes from './side-navigation.module.css'

/** Permitted pages by section. */
export function SideNavigation({ area }: { area: Area }) {
  const { i18n } = useLingui()
  const entries = area.menuFor(useProfile().actions)
  return Object.entries(area.sections).map(([section, label]) => {
    const inSection = entries.filter((entry) => entry.section === section)
    if (inSection.length === 0) return null
    return (
      <div key={section} className={classes.section}>
        {label !== undefined && (
          <p className={classes.label} id={`section-${section}`}>
            {i18n._(label)}
          </p>
        )}
        <ul
          className={classes.list}
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
  })
}
