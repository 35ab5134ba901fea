import { useLingui } from '@lingui/react/macro'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { QueryClientProvider } from '@tanstack/react-query'
import { Outlet, useLocation, useMatches } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { queryClient } from '../api/query-client.ts'
import { useProfile } from '../api/use-profile.ts'
import { actionOf } from '../navigation.ts'
import { MissingPermission } from '../screens/errors/missing-permission.tsx'
import { useSingleKeys } from '../ui/use-single-keys.ts'
import classes from './dashboard-layout.module.css'
import { SideNavigation } from './side-navigation.tsx'
import { SkipLink } from './skip-link.tsx'
import { TopBar } from './top-bar.tsx'

const CommandMenu = lazy(() => import('./command-menu.tsx'))
const ShortcutsSheet = lazy(() => import('./shortcuts-sheet.tsx'))

/** Everything behind the sign-in reads through the one query client. */
export const DashboardLayout = () => (
  <QueryClientProvider client={queryClient}>
    <Shell />
  </QueryClientProvider>
)

/** The shell around all pages: top bar, side navigation, content. */
function Shell() {
  const { t } = useLingui()
  const [navigationOpen, navigation] = useDisclosure()
  const [sheetOpen, sheet] = useDisclosure()
  // Counts the wishes for the command menu, so that it loads with the first and opens with each.
  const [menuWishes, setMenuWishes] = useState(0)
  const openMenu = () => setMenuWishes((wishes) => wishes + 1)
  useHotkeys([['mod+K', openMenu]], [])
  useSingleKeys({ '?': sheet.open })

  const { pathname } = useLocation()
  const closeNavigation = navigation.close
  useEffect(closeNavigation, [pathname, closeNavigation])

  return (
    <div className={classes.shell}>
      <SkipLink />
      <header className={classes.header}>
        <TopBar
          navigationOpen={navigationOpen}
          onToggleNavigation={navigation.toggle}
          onSearch={openMenu}
          onShortcuts={sheet.open}
        />
      </header>
      <nav
        id="main-navigation"
        className={classes.navigation}
        data-open={navigationOpen || undefined}
        aria-label={t`Main navigation`}
      >
        <SideNavigation />
      </nav>
      <main id="main" tabIndex={-1} className={classes.main}>
        <Page />
      </main>
      <Suspense>
        {menuWishes > 0 && <CommandMenu wishes={menuWishes} onShortcuts={sheet.open} />}
        {sheetOpen && <ShortcutsSheet onClose={sheet.close} />}
      </Suspense>
    </div>
  )
}

/** The page at this address, or which permission it is missing. */
function Page() {
  const { actions } = useProfile()
  const needed = useMatches({ select: (matches) => actionOf(matches.at(-1)?.fullPath ?? '') })
  if (needed !== undefined && !actions.includes(needed)) return <MissingPermission action={needed} />
  return <Outlet />
}
