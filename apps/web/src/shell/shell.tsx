import { useLingui } from '@lingui/react/macro'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Link, Outlet, useLocation, useMatches } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useProfile } from '../api/use-profile.ts'
import { shownLocale, withTexts } from '../i18n/i18n.ts'
import { keepKeys } from '../ui/keep-keys.ts'
import { useSingleKeys } from '../ui/use-keys.ts'
import type { Area } from './navigation.ts'
import { COMMAND_FIELD } from './command-field.ts'
import classes from './shell.module.css'
import { connectReasonQuestion, type ReasonQuestion as Question } from '../api/reasons.ts'
import { Icon } from '../ui/icon.tsx'
import sideNavigationClasses from './side-navigation.module.css'
import { Letterhead } from '../components/print/letterhead.tsx'
import { SkipLink } from '../components/frame/skip-link.tsx'
import { TopBar } from './top-bar.tsx'
import { noticeSessionEnds } from '../api/notices.ts'
import { noticeDelay } from './notice-delay.ts'

const NOTICE_KEY = 'custodia.session_end_notice'

/** Shows a notice five minutes before the session's final end, once per session. */
function useSessionNotice(): void {
  const { session_expires_at } = useProfile()
  useEffect(() => {
    const delay = noticeDelay(session_expires_at, Date.now())
    if (delay === undefined || sessionStorage.getItem(NOTICE_KEY) === String(session_expires_at)) return
    const timer = setTimeout(() => {
      sessionStorage.setItem(NOTICE_KEY, String(session_expires_at))
      const time = new Intl.DateTimeFormat(shownLocale(), { timeStyle: 'short' })
      noticeSessionEnds(time.format(session_expires_at * 1000))
    }, delay)
    return () => clearTimeout(timer)
  }, [session_expires_at])
}

const ReasonQuestionDialog = lazy(() => import('../components/reason-question-dialog.tsx'))

/** Host of the reason dialog; loads with the first question. */
function ReasonQuestion() {
  const [question, setQuestion] = useState<Question>()
  useEffect(() => connectReasonQuestion(setQuestion), [])
  if (question === undefined) return null
  return (
    <Suspense>
      <ReasonQuestionDialog
        choices={question.choices}
        answer={(reason) => {
          setQuestion(undefined)
          question.answer(reason)
        }}
      />
    </Suspense>
  )
}

const CommandMenu = lazy(() => withTexts('lazy', import('./find/command-menu.tsx')))
const MissingPermission = lazy(() => import('../screens/errors/missing-permission.tsx'))
const MyAccess = lazy(() => import('../screens/account/my-access.tsx'))
const ShortcutsSheet = lazy(() => withTexts('lazy', import('./shortcuts-sheet.tsx')))
const SupportBar = lazy(() => import('./support-bar.tsx'))

/** Shell of an area: top bar, side navigation and content; in support mode also its bar. */
export function Shell({ area }: { area: Area }) {
  const { t } = useLingui()
  const { support } = useProfile()
  const [navigationOpen, navigation] = useDisclosure()
  const [sheetOpen, sheet] = useDisclosure()
  const [accessOpen, access] = useDisclosure()
  // Counts openings of the command menu: it loads with the first and opens with each.
  const [menuRequests, setMenuRequests] = useState(0)
  const openMenu = () => {
    setMenuRequests((requests) => requests + 1)
    // Keeps keys that the user types before the menu loads.
    keepKeys(() => document.getElementById(COMMAND_FIELD))
  }
  useHotkeys([['mod+K', openMenu]], [])
  useSingleKeys({ '?': sheet.open })
  useSessionNotice()

  const { pathname } = useLocation()
  const closeNavigation = navigation.close
  useEffect(closeNavigation, [pathname, closeNavigation])

  return (
    <div className={classes.shell} data-support={support === null ? undefined : true}>
      <SkipLink />
      {support !== null && (
        <div className={classes.support}>
          <Suspense>
            <SupportBar support={support} />
          </Suspense>
        </div>
      )}
      <header className={classes.header}>
        <TopBar
          area={area}
          navigationOpen={navigationOpen}
          onToggleNavigation={navigation.toggle}
          onSearch={openMenu}
          onShortcuts={sheet.open}
          onMyAccess={access.open}
        />
      </header>
      <nav
        id="main-navigation"
        className={classes.navigation}
        data-open={navigationOpen || undefined}
        aria-label={t`Main navigation`}
      >
        <SideNavigation area={area} />
      </nav>
      <main id="main" tabIndex={-1} className={classes.main}>
        <Letterhead />
        <Page area={area} />
      </main>
      <ReasonQuestion />
      <Suspense>
        {menuRequests > 0 && <CommandMenu area={area} requests={menuRequests} onShortcuts={sheet.open} />}
        {accessOpen && <MyAccess onClose={access.close} />}
        {sheetOpen && <ShortcutsSheet onClose={sheet.close} />}
      </Suspense>
    </div>
  )
}

/** The page, or its missing permission. */
function Page({ area }: { area: Area }) {
  const { actions } = useProfile()
  const missing = useMatches({
    select: (matches) => {
      const last = matches.at(-1)
      const { tab } = (last?.search ?? {}) as { tab?: string }
      return area.missingAt(last?.fullPath ?? '', tab, actions)
    },
  })
  if (missing !== undefined)
    return (
      <Suspense>
        <MissingPermission action={missing} />
      </Suspense>
    )
  return <Outlet />
}

/** Permitted pages by section. */
function SideNavigation({ area }: { area: Area }) {
  const { i18n } = useLingui()
  const entries = area.menuFor(useProfile().actions)
  return Object.entries(area.sections).map(([section, label]) => {
    const inSection = entries.filter((entry) => entry.section === section)
    if (inSection.length === 0) return null
    return (
      <div key={section} className={sideNavigationClasses.section}>
        {label !== undefined && (
          <p className={sideNavigationClasses.label} id={`section-${section}`}>
            {i18n._(label)}
          </p>
        )}
        <ul
          className={sideNavigationClasses.list}
          {...(label === undefined ? {} : { 'aria-labelledby': `section-${section}` })}
        >
          {inSection.map((entry) => (
            <li key={entry.to}>
              <Link
                to={entry.to}
                className={sideNavigationClasses.entry}
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
