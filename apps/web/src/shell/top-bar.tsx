import { plural } from '@lingui/core/macro'
import { Trans, useLingui } from '@lingui/react/macro'
import { ActionIcon, Group, Kbd, Text, UnstyledButton, VisuallyHidden } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { alertSummaryQuery } from '../api/queries.ts'
import { useMay, useProfile } from '../api/use-profile.ts'
import { countsBySeverity, HIGHEST_FIRST, SEVERITY_STYLES } from '../components/alerts/severity.ts'
import { Brand, ColourModeSwitch, LanguageSwitch } from '../components/frame/frame-parts.tsx'
import { isWatchingSearches } from '../components/lists/memory-key.ts'
import { ALERT_SEVERITY_WORDS } from '../components/words/alert-words.ts'
import { withTexts } from '../i18n/i18n.ts'
import { Icon } from '../ui/icon.tsx'
import { ClientButton } from './client-button.tsx'
import type { Area } from './navigation.ts'
import { UserButton } from './user-button.tsx'
import alertBellClasses from './alert-bell.module.css'
import classes from './top-bar.module.css'

/** Larger numbers would widen the top bar. */
const MAX_SHOWN = 99

/** Bell of the top bar: incidents of open alerts by severity. Hidden without the right. */
function AlertBell() {
  const { t, i18n } = useLingui()
  const may = useMay()
  const { data } = useQuery({ ...alertSummaryQuery, enabled: may('alerts.summary:read') })
  if (!may('alerts.summary:read')) return null
  const counts = countsBySeverity(data?.data ?? [])
  const present = HIGHEST_FIRST.filter((severity) => counts[severity] > 0)
  const total = present.reduce((sum, severity) => sum + counts[severity], 0)
  const parts = present
    .map((severity) => `${counts[severity]} ${i18n._(ALERT_SEVERITY_WORDS[severity])}`)
    .join(', ')
  const label =
    total === 0
      ? t`No alerts`
      : `${t`${plural(total, { one: '# open incident', other: '# open incidents' })}`}: ${parts}`
  const content = (
    <>
      <VisuallyHidden>{label}</VisuallyHidden>
      <span aria-hidden className={alertBellClasses.content}>
        <Icon name="bell" />
        {present.map((severity, index) => (
          <span
            key={severity}
            className={alertBellClasses.count}
            data-severity={severity}
            // Narrow screens show the highest severity only.
            data-first={index === 0 || undefined}
          >
            <Icon name={SEVERITY_STYLES[severity].icon} size={12} />
            {counts[severity] > MAX_SHOWN ? `${MAX_SHOWN}+` : counts[severity]}
          </span>
        ))}
      </span>
    </>
  )
  return may('alerts:list') ? (
    <Link to="/dashboard/account/alerts" className={alertBellClasses.bell} title={label}>
      {content}
    </Link>
  ) : (
    <span className={alertBellClasses.bell} title={label}>
      {content}
    </span>
  )
}

const NewHits = lazy(() => withTexts('lazy', import('./new-hits-link.tsx')))

/** New hits of saved searches. Only a user who watches one loads them. */
function NewHitsLink() {
  if (!isWatchingSearches(useProfile())) return null
  return (
    <Suspense>
      <NewHits />
    </Suspense>
  )
}

const ClientSwitchMenu = lazy(() => withTexts('lazy', import('./client-switch-menu.tsx')))

/** Client switch for staff. The menu loads on first use and opens at once. */
function ClientSwitch({ area }: { area: Area }) {
  const [wanted, setWanted] = useState(false)
  const closed = <ClientButton onClick={() => setWanted(true)} aria-haspopup="menu" aria-expanded={false} />
  if (!wanted) return closed
  return (
    <Suspense fallback={closed}>
      <ClientSwitchMenu area={area} />
    </Suspense>
  )
}

const UserMenuDropdown = lazy(() => withTexts('lazy', import('./user-menu-dropdown.tsx')))

/** User menu. It loads on first use and opens at once. */
function UserMenu(props: { onMyAccess: () => void; onShortcuts: () => void }) {
  const [wanted, setWanted] = useState(false)
  const closed = <UserButton onClick={() => setWanted(true)} aria-haspopup="menu" aria-expanded={false} />
  if (!wanted) return closed
  return (
    <Suspense fallback={closed}>
      <UserMenuDropdown {...props} />
    </Suspense>
  )
}

interface TopBarProps {
  area: Area
  navigationOpen: boolean
  onToggleNavigation: () => void
  onSearch: () => void
  onShortcuts: () => void
  onMyAccess: () => void
}

/** Bar above all pages: client, command menu, alerts, settings and user. */
export function TopBar(props: TopBarProps) {
  return (
    <Group h="100%" px="md" gap="sm" wrap="nowrap" justify="space-between">
      <AccountName {...props} />
      <UnstyledButton className={classes.search} visibleFrom="md" onClick={props.onSearch}>
        <Icon name="search" size={16} />
        <span className={classes.hint}>
          <Trans>Go to…</Trans>
        </span>
        <Kbd size="xs">Ctrl K</Kbd>
      </UnstyledButton>
      <Tools {...props} />
    </Group>
  )
}

/** Navigation button, product and client. */
function AccountName({ area, navigationOpen, onToggleNavigation }: TopBarProps) {
  const { t } = useLingui()
  const { client_name, is_provider, support } = useProfile()
  const isStaff = is_provider || support !== null
  return (
    <Group gap="sm" wrap="nowrap" miw={0}>
      <ActionIcon
        hiddenFrom="md"
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t`Main navigation`}
        aria-expanded={navigationOpen}
        aria-controls="main-navigation"
        onClick={onToggleNavigation}
      >
        <Icon name={navigationOpen ? 'x' : 'menu'} size={20} />
      </ActionIcon>
      <Brand to={area.home} isShort={isStaff} />
      {isStaff ? (
        <ClientSwitch area={area} />
      ) : (
        <Text c="dimmed" truncate visibleFrom="sm" className={classes.client}>
          {client_name}
        </Text>
      )}
    </Group>
  )
}

function Tools({ area, onSearch, onShortcuts, onMyAccess }: TopBarProps) {
  const { t } = useLingui()
  return (
    <Group gap={4} wrap="nowrap">
      <ActionIcon
        hiddenFrom="md"
        variant="subtle"
        color="gray"
        size={36}
        aria-label={t`Go to…`}
        onClick={onSearch}
      >
        <Icon name="search" />
      </ActionIcon>
      {/* Their counts arrive later: nothing stands left of them that would move. */}
      {area.home === '/dashboard' && <NewHitsLink />}
      {area.home === '/dashboard' && <AlertBell />}
      <Group gap={4} wrap="nowrap" visibleFrom="sm">
        <LanguageSwitch />
        <ColourModeSwitch />
        <ActionIcon
          variant="subtle"
          color="gray"
          size={36}
          aria-label={t`Keyboard shortcuts`}
          title={t`Keyboard shortcuts`}
          onClick={onShortcuts}
        >
          <Icon name="keyboard" />
        </ActionIcon>
      </Group>
      <UserMenu onMyAccess={onMyAccess} onShortcuts={onShortcuts} />
    </Group>
  )
}
