import { useLingui } from '@lingui/react/macro'
import { AppShell, ScrollArea } from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Outlet, useLocation, useMatches } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useProfile } from '../api/use-profile.ts'
import { actionOf } from '../navigation.ts'
import { MissingPermission } from '../screens/errors/missing-permission.tsx'
import { useSingleKeys } from '../ui/use-single-keys.ts'
import { SideNavigation } from './side-navigation.tsx'
import { SkipLink } from './skip-link.tsx'
import { TopBar } from './top-bar.tsx'

const CommandMenu = lazy(() => import('./command-menu.tsx'))
const ShortcutsSheet = lazy(() => import('./shortcuts-sheet.tsx'))

/** The shell around all pages behind the sign-in: top bar, side navigation, content. */
export function DashboardLayout() {
  const { t } = useLingui()
  const { actions } = useProfile()
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

  const needed = useMatches({ select: (matches) => actionOf(matches.at(-1)?.fullPath ?? '') })
  const missing = needed !== undefined && !actions.includes(needed) ? needed : undefined

  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 224, breakpoint: 'md', collapsed: { mobile: !navigationOpen } }}
      padding={{ base: 'md', md: 'lg' }}
    >
      <SkipLink />
      <AppShell.Header>
        <TopBar
          navigationOpen={navigationOpen}
          onToggleNavigation={navigation.toggle}
          onSearch={openMenu}
          onShortcuts={sheet.open}
        />
      </AppShell.Header>
      <AppShell.Navbar p="sm" aria-label={t`Main navigation`}>
        <ScrollArea>
          <SideNavigation />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        {missing === undefined ? <Outlet /> : <MissingPermission action={missing} />}
      </AppShell.Main>
      <Suspense>
        {menuWishes > 0 && <CommandMenu wishes={menuWishes} onShortcuts={sheet.open} />}
        {sheetOpen && <ShortcutsSheet onClose={sheet.close} />}
      </Suspense>
    </AppShell>
  )
}
