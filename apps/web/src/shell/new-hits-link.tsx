import { plural } from '@lingui/core/macro'
import { useLingui } from '@lingui/react/macro'
import { VisuallyHidden } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useNewHits } from '../screens/payloads/new-hits.ts'
import { Icon } from '../ui/icon.tsx'
import classes from './alert-bell.module.css'

/** Larger numbers would widen the top bar. */
const MAX_SHOWN = 99

/** New results of the user's saved searches, next to the bell. */
export default function NewHitsLink() {
  const { t, i18n } = useLingui()
  const found = useNewHits().filter((each) => (each.total?.total ?? 0) > 0)
  const [first] = found
  if (first === undefined) return null
  const count = found.reduce((sum, { total }) => sum + (total?.total ?? 0), 0)
  const label = found
    .map(({ name, total }) => {
      const hits = total?.total ?? 0
      return t`${plural(hits, { one: `# new hit for “${name}”`, other: `# new hits for “${name}”` })}`
    })
    .join(', ')
  return (
    <Link
      {...(found.length === 1 ? first.to : { to: '/dashboard' })}
      className={classes.bell}
      data-narrow
      title={label}
    >
      <VisuallyHidden>{label}</VisuallyHidden>
      <span aria-hidden className={classes.content}>
        <span className={classes.count} data-severity="Low" data-first>
          <Icon name="search" size={12} />
          {count > MAX_SHOWN ? `${MAX_SHOWN}+` : i18n.number(count)}
        </span>
      </span>
    </Link>
  )
}
