import { useLingui } from '@lingui/react/macro'
import { NavLink, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useProfile } from '../api/use-profile.ts'
import { menuFor, type Section, SECTIONS } from '../navigation.ts'
import { Icon } from '../ui/icon.tsx'
import classes from './side-navigation.module.css'

/** The pages that the profile's actions allow, by section. */
export function SideNavigation() {
  const { i18n } = useLingui()
  const entries = menuFor(useProfile().actions)
  return (Object.keys(SECTIONS) as Section[]).map((section) => {
    const inSection = entries.filter((entry) => entry.section === section)
    const label = SECTIONS[section]
    if (inSection.length === 0) return null
    return (
      <div key={section} className={classes.section}>
        {label !== undefined && (
          <Text className={classes.label} id={`section-${section}`}>
            {i18n._(label)}
          </Text>
        )}
        <ul
          className={classes.list}
          {...(label === undefined ? {} : { 'aria-labelledby': `section-${section}` })}
        >
          {inSection.map((entry) => (
            <li key={entry.to}>
              <NavLink
                className={classes.entry}
                label={i18n._(entry.label)}
                leftSection={<Icon name={entry.icon} />}
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to={entry.to}
                    activeOptions={{ exact: entry.to === '/dashboard' || entry.to === '/dashboard/services' }}
                    activeProps={{ 'data-active': true }}
                  />
                )}
              />
            </li>
          ))}
        </ul>
      </div>
    )
  })
}
